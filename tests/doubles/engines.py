"""Engines that answer from a script, and the service without its thread.

``ScriptedRunner`` is a ``CommandRunner``: give it to ``EngineService`` (a real thread) or to
``DirectService`` (no thread: events arrive when the test says so). Both obey the contract's laws,
which ``tests/engine/test_contract_laws.py`` proves for them and for the real engine alike.

    runner = ScriptedRunner([Reply("Hello there."), Reply(fault=Fault(FaultKind.INTERNAL))])
    service = DirectService(events.append, lambda: runner)
    service.submit(Load(1, Path("model.gguf")))
    service.run_all()
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from engine.contract import (
    Channel,
    Command,
    CommandRunner,
    Complete,
    CountTokens,
    EngineError,
    Event,
    Failed,
    FaultKind,
    Finished,
    FinishReason,
    Generate,
    Inspect,
    Load,
    Loaded,
    Metrics,
    ModelFacts,
    Priority,
    Progress,
    PromptPage,
    PromptRendered,
    ReadPrompt,
    RenderPrompt,
    Sampling,
    Stage,
    TextDelta,
    Timings,
    TokensCounted,
    Unload,
    Usage,
)
from engine.service import Request, RequestLoop
from tests.doubles.scripts import CONTEXT, MEMORY, LoadScript, Reply, model_facts
from tests.doubles.traces import prompt_tokens, traced, weighed

__all__ = ["CONTEXT", "DirectService", "LoadScript", "Reply", "ScriptedRunner", "model_facts"]


_LOOK_S = 0.002  # between two looks at whether a reply that lingers was cancelled


@dataclass
class ScriptedRunner:
    """Answers commands from a script; when it is used up it answers "A scripted reply.".

    Attributes:
        replies: taken in order, one for each ``Generate`` or ``Complete``.
        loads: likewise for ``Load``.
        titles: likewise for what is generated in the background; used up, it is answered nothing.
        tokens_per_second: 0 is at once; otherwise it sleeps between two pieces.
        inspected: what ``Inspect`` finds out.
        uncountable: a text with these words in it cannot be counted.
        commands: everything that was asked, for assertions.
        is_closed: whether ``close`` was called.
    """

    replies: Iterable[Reply] = ()
    loads: Iterable[LoadScript] = ()
    titles: Iterable[str] = ()
    tokens_per_second: float = 0.0
    inspected: Reply = field(default_factory=lambda: Reply("A scripted reply."))
    uncountable: str = ""
    commands: list[Command] = field(default_factory=list)
    is_closed: bool = False

    def __post_init__(self) -> None:
        self._replies = deque(self.replies)
        self._loads = deque(self.loads)
        self._titles = deque(self.titles)
        self._facts: ModelFacts | None = None
        self._prompts: dict[int, Reply] = {}

    def run(self, command: Command, cancelled: Callable[[], bool]) -> Iterator[Event | None]:
        """The command's scripted events."""
        self.commands.append(command)
        match command:
            case Load():
                yield from self._load(command, cancelled)
            case Unload():
                self._facts = None
                yield Finished(command.request, FinishReason.DONE)
            case CountTokens():
                self._need_model()
                if self.uncountable and self.uncountable in command.messages[-1].content:
                    raise EngineError(FaultKind.INTERNAL, detail="the tokenizer refused")
                words = sum(len(message.content.split()) for message in command.messages)
                yield TokensCounted(command.request, words, CONTEXT)
                yield Finished(command.request, FinishReason.DONE)
            case Complete(request=request, settings=settings) if settings.traces:
                self._need_model()
                yield TextDelta(request, Channel.ANSWER, "", (weighed(settings.sampling),))
                yield Finished(request, FinishReason.LENGTH)
            case Generate() | Complete():
                self._need_model()
                reply = self._next_reply(command.settings.priority)
                if command.settings.traces:
                    self._prompts[command.request] = reply
                traces = command.settings.traces and reply.is_traced
                yield from self._reply(command.request, reply, cancelled, traces=traces)
            case Inspect(request=request):
                self._need_model()
                self._prompts[request] = reply = self.inspected
                yield from self._reply(request, reply, cancelled, traces=reply.is_traced)
            case ReadPrompt():
                yield from self._read(command)
            case RenderPrompt():
                self._need_model()
                if "{% bad" in command.template:
                    raise EngineError(FaultKind.TEMPLATE_INVALID, detail="line 2: unknown tag")
                said = " ".join(message.content for message in command.messages)
                yield PromptRendered(command.request, f"<{command.template[:9]}>{said}", 5)
                yield Finished(command.request, FinishReason.DONE)

    def _next_reply(self, priority: Priority) -> Reply:
        if priority is Priority.BACKGROUND:
            title = self._titles.popleft() if self._titles else ""
            return Reply(title, reason=FinishReason.END_OF_TURN)
        return self._replies.popleft() if self._replies else Reply("A scripted reply.")

    def close(self) -> None:
        """Remember that it was closed."""
        self.is_closed = True

    def _need_model(self) -> None:
        if self._facts is None:
            raise EngineError(FaultKind.NO_MODEL)

    def _load(self, command: Load, cancelled: Callable[[], bool]) -> Iterator[Event]:
        script = self._loads.popleft() if self._loads else LoadScript()
        self._facts = None
        facts = model_facts(command.path)
        for step in range(script.steps + 1):
            if cancelled():
                yield Finished(command.request, FinishReason.CANCELLED)
                return
            done = facts.size_bytes * step // max(script.steps, 1)
            yield Progress(command.request, Stage.READING, done, facts.size_bytes)
        if script.fault is not None:
            raise EngineError(script.fault.kind, **script.fault.figures)
        self._facts = facts
        yield Loaded(
            request=command.request,
            model=facts,
            context=command.settings.context or CONTEXT,
            device="cpu",
            threads=2,
            memory=MEMORY,
            default_sampling=Sampling(),
            can_think=script.can_think,
            load_s=0.5,
            notices=script.notices,
        )
        yield Finished(command.request, FinishReason.DONE)

    def _read(self, command: ReadPrompt) -> Iterator[Event]:
        if command.of not in self._prompts:
            raise EngineError(FaultKind.PROMPT_FORGOTTEN, of=command.of)
        reply = self._prompts[command.of]
        tokens = prompt_tokens(reply.prefill)[command.first : command.first + command.count]
        yield PromptPage(
            command.request, command.of, command.first, reply.prefill, reply.reused, tokens
        )
        yield Finished(command.request, FinishReason.DONE)

    def _reply(
        self, request: int, reply: Reply, cancelled: Callable[[], bool], *, traces: bool
    ) -> Iterator[Event | None]:
        for done in range(reply.reused, reply.prefill, 16):
            if not cancelled():
                yield Progress(request, Stage.PREFILL, done, reply.prefill)
        yield Progress(request, Stage.PREFILL, reply.prefill, reply.prefill)
        sent = reasoning = 0
        for channel, text in _pieces(reply):
            if cancelled():
                break
            self._wait()
            sent += 1
            reasoning += channel is Channel.REASONING
            tokens = (traced(text, sent),) if traces else ()
            yield TextDelta(request, channel, text, tokens)
            yield _metrics(request, sent)
        while reply.lingers and not cancelled():
            time.sleep(_LOOK_S)
            yield None
        if not cancelled() and reply.fault is not None:
            raise EngineError(reply.fault.kind, **reply.fault.figures)
        if not cancelled() and reply.bug is not None:
            raise reply.bug
        reason = FinishReason.CANCELLED if cancelled() else reply.reason
        yield _finished(request, reply, reason, sent, reasoning)

    def _wait(self) -> None:
        if self.tokens_per_second > 0:
            time.sleep(1 / self.tokens_per_second)


def _pieces(reply: Reply) -> Iterator[tuple[Channel, str]]:
    yield from reply.pieces
    words = reply.text.split(" ")
    for index, word in enumerate(words):
        if piece := word if index == len(words) - 1 else word + " ":
            yield Channel.ANSWER, piece
    while reply.endless:
        yield Channel.ANSWER, "… "


def _metrics(request: int, tokens: int) -> Metrics:
    return Metrics(
        request=request,
        generated_tokens=tokens,
        tokens_per_second=100.0 if tokens >= 2 else None,
        time_to_first_token_s=0.05,
        context_used=12 + tokens,
        context_size=CONTEXT,
        memory=MEMORY,
    )


def _finished(
    request: int, reply: Reply, reason: FinishReason, tokens: int, reasoning: int
) -> Finished:
    usage = Usage(
        prompt_tokens=reply.prefill,
        reused_tokens=reply.reused,
        generated_tokens=tokens,
        reasoning_tokens=reasoning,
        left_out_turns=reply.left_out_turns,
        context_used=reply.prefill + tokens,
        context_size=CONTEXT,
    )
    timings = Timings(
        prefill_s=0.05,
        decode_s=tokens / 100,
        time_to_first_token_s=0.05,
        tokens_per_second=100.0 if tokens >= 2 else None,
        tokenize_s=0.003,
        prefill_tokens_per_second=240.0,
        sample_s=tokens / 10_000,
        detokenize_s=tokens / 100_000,
    )
    ids = tuple(range(100, 100 + tokens))
    return Finished(request, reason, usage, timings, ids, reply.notices)


class DirectService:
    """``EngineService`` without its thread: events arrive inside ``step`` and ``run_all``.

    The same loop decides whose turn it is, so what a test sees is what the window gets.
    """

    def __init__(
        self,
        sink: Callable[[Event], None],
        make_runner: Callable[[], CommandRunner] = ScriptedRunner,
    ) -> None:
        self._sink = sink
        self._loop = RequestLoop(self._deliver, make_runner)
        self._requests: dict[int, Request] = {}
        self.is_closed = False

    def submit(self, command: Command) -> None:
        """Queue a command; nothing runs before ``step``."""
        if self.is_closed:
            raise RuntimeError("the engine service is closed")
        request = Request(command)
        if self._requests.setdefault(request.number, request) is not request:
            raise ValueError(f"request {request.number} is still running")
        self._loop.take(request)

    def cancel(self, request: int) -> None:
        """Ask a request to end."""
        if (found := self._requests.get(request)) is not None:
            found.cancelled = True

    def close(self, timeout_s: float = 5.0) -> bool:
        """End everything; always in time."""
        self.is_closed = True
        self._loop.close()
        return timeout_s >= 0

    def step(self, turns: int = 1) -> bool:
        """Give every running request ``turns`` turns; False when nothing is left to do."""
        busy = True
        for _ in range(turns):
            busy = self._loop.advance()
        return busy

    def run_all(self) -> None:
        """Advance until nothing is left to do; an endless reply must be cancelled before."""
        while self.step():
            pass

    def _deliver(self, event: Event) -> None:
        if isinstance(event, Finished | Failed):
            self._requests.pop(event.request, None)
        self._sink(event)
