"""One reply on its way: sampled tokens go in, the contract's events come out."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from time import perf_counter

from engine.contract import (
    Candidate,
    Channel,
    Event,
    Finished,
    FinishReason,
    Memory,
    Metrics,
    Notice,
    Progress,
    Stage,
    StepTrace,
    TextDelta,
    TokenChoice,
    TokenTrace,
    Usage,
)
from engine.generation.sampler import Drawn
from engine.generation.scheduler import Sequence
from engine.generation.speculation import Speculation
from engine.generation.tracing import Traced
from engine.inspecting import Guesses, ReplyDraws
from engine.loaded import ReplyText, Tokens
from engine.meter import Meter


@dataclass(frozen=True, slots=True)
class Bounds:
    """Where a reply ends at the latest.

    Attributes:
        end_ids: tokens that end it.
        max_tokens: of the reply; None is no limit.
        context: of prompt and reply together.
    """

    end_ids: frozenset[int]
    max_tokens: int | None
    context: int


class Outbox:
    """Events that wait to be fetched; neighbouring text of one channel becomes one event."""

    def __init__(self) -> None:
        self._events: deque[Event] = deque()

    def put(self, event: Event) -> None:
        """Append an event."""
        last = self._events[-1] if self._events else None
        if (
            isinstance(event, TextDelta)
            and isinstance(last, TextDelta)
            and last.channel is event.channel
        ):
            text, tokens = last.text + event.text, last.tokens + event.tokens
            self._events[-1] = replace(last, text=text, tokens=tokens)
        else:
            self._events.append(event)

    def take(self) -> Event | None:
        """The oldest event, if there is one."""
        return self._events.popleft() if self._events else None

    def __bool__(self) -> bool:
        return bool(self._events)


class Reply:
    """The text, the figures and the end of one request.

    Args:
        request: its number.
        sequence: its ids, which the scheduler runs.
        sampler: where its tokens come from.
        text: turns them into the text of channels.
        tokens: names single tokens, when figures for each were asked for.
        bounds: where it ends.
        meter: its clock, running since submission.
        notices: told with its end.
        left_out: (turns, tokens) of the conversation that did not fit.
        guesses: what may come next; None looks for it in the text.
    """

    def __init__(
        self,
        request: int,
        sequence: Sequence,
        sampler: ReplyDraws,
        text: ReplyText,
        tokens: Tokens,
        bounds: Bounds,
        meter: Meter,
        *,
        notices: Iterable[Notice] = (),
        left_out: tuple[int, int] = (0, 0),
        guesses: Guesses | None = None,
    ) -> None:
        self.sequence = sequence
        self.sampler = sampler
        self.meter = meter
        self.guesses: Guesses = guesses or Speculation()
        self.outbox = Outbox()
        self.reason: FinishReason | None = None
        self._request = request
        self._text = text
        self._tokens = tokens
        self._bounds = bounds
        self._channel = Channel.ANSWER
        self._notices = tuple(notices)
        self._left_out = left_out
        self._reasoning_tokens = 0
        self._begun: tuple[int, ...] = ()
        self._choices: list[TokenChoice] = []
        self._shown_prefill = -1

    @property
    def generated_tokens(self) -> int:
        """Tokens sampled so far, the end-of-turn token included."""
        return len(self.sequence.ids) - self.sequence.prompt_tokens

    @property
    def room(self) -> int:
        """Tokens that may still come."""
        in_context = self._bounds.context - len(self.sequence.ids)
        if self._bounds.max_tokens is None:
            return in_context
        return min(in_context, self._bounds.max_tokens - self.generated_tokens)

    def begin(self, ids: tuple[int, ...]) -> None:
        """Let the reply begin with these ids, which are the last of the sequence's prompt.

        They may end it at once: ``reason`` says so.
        """
        self._begun = ids
        for id in ids:
            self.sampler.remember(id)
            if not self._take(id):
                return

    def accept(self, drawn: Drawn) -> bool:
        """Take a sampled token, which is the sequence's last id; False if it ends the reply."""
        if drawn.logprob is not None:
            self._choices.append(self._choice(drawn))
        return self._take(drawn.id)

    def _take(self, id: int) -> bool:
        if id in self._bounds.end_ids:
            self.reason = FinishReason.END_OF_TURN
            return False
        is_reasoning = self._text.inside is not None
        begin = perf_counter()
        self._say(self._text.push(id))
        self.meter.spelled(perf_counter() - begin)
        if is_reasoning or self._text.inside is not None:
            self._reasoning_tokens += 1
            if self._text.inside is None:
                self.sampler.constrain()
        if self._text.stopped:
            self.reason = FinishReason.STOP_STRING
        elif self.generated_tokens == self._bounds.max_tokens:
            self.reason = FinishReason.LENGTH
        elif len(self.sequence.ids) >= self._bounds.context:
            self.reason = FinishReason.CONTEXT_FULL
        return self.reason is None

    def stepped(self, step_s: float, tokens: int, memory: Callable[[], Memory]) -> None:
        """Note a step that included this reply: its time, its tokens; ``memory`` asks for it."""
        self.meter.stepped(step_s, tokens)
        if self.generated_tokens == 0:
            self._show_prefill()
        elif self.meter.is_due():
            self.outbox.put(self._metrics(memory()))

    def admitted(self) -> None:
        """The reply's sequence runs; what the cache holds of the prompt is known."""
        self.meter.started()
        if self.generated_tokens == 0 and self._shown_prefill < 0:
            self._show_prefill()

    def end(self, reason: FinishReason) -> None:
        """Give out what was held back, and the terminal event."""
        self.reason = reason
        self._say(self._text.finish())
        if self._choices:  # tokens without text of their own, such as the end of the turn
            self.outbox.put(TextDelta(self._request, self._channel, "", tuple(self._choices)))
        prompt = self.sequence.prompt_tokens
        reused = self.sequence.reused
        usage = Usage(
            prompt_tokens=prompt,
            reused_tokens=reused,
            generated_tokens=self.generated_tokens,
            reasoning_tokens=self._reasoning_tokens,
            left_out_turns=self._left_out[0],
            left_out_tokens=self._left_out[1],
            context_used=len(self.sequence.ids),
            context_size=self._bounds.context,
        )
        timings = self.meter.timings(prompt - reused)
        ids = (*self._begun, *self.sequence.ids[prompt:])
        self.outbox.put(Finished(self._request, reason, usage, timings, ids, self._notices))

    def _say(self, pieces: Iterable[tuple[Channel, str]]) -> None:
        for channel, text in pieces:
            self._channel = channel
            self.outbox.put(TextDelta(self._request, channel, text, tuple(self._choices)))
            self._choices.clear()

    def _show_prefill(self) -> None:
        done, total = self.sequence.computed, self.sequence.prompt_tokens
        if done > self._shown_prefill:
            self._shown_prefill = done
            self.outbox.put(Progress(self._request, Stage.PREFILL, done, total))

    def _metrics(self, memory: Memory) -> Metrics:
        return Metrics(
            request=self._request,
            generated_tokens=self.generated_tokens,
            tokens_per_second=self.meter.tokens_per_second(),
            time_to_first_token_s=self.meter.time_to_first_token_s,
            context_used=len(self.sequence.ids),
            context_size=self._bounds.context,
            memory=memory,
        )

    def _choice(self, drawn: Drawn) -> TokenChoice:
        spell, id = self._tokens.token_bytes, drawn.id
        alternatives = tuple((id, self._name(id), p, spell(id)) for id, p in drawn.alternatives)
        trace = None if drawn.trace is None else self._trace(drawn.trace)
        logprob = drawn.logprob or 0.0
        return TokenChoice(id, self._name(id), logprob, alternatives, trace, spell(id))

    def _trace(self, traced: Traced) -> TokenTrace:
        tokens = self._tokens
        candidates = tuple(
            Candidate(id, tokens.token_bytes(id), logit, tokens.is_control(id))
            for id, logit in zip(traced.ids, traced.logits, strict=True)
        )
        return TokenTrace(candidates, tuple(StepTrace(*step) for step in traced.steps), traced.draw)

    def _name(self, id: int) -> str:
        return self._tokens.token_bytes(id).decode("utf-8", "replace")
