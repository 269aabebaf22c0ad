"""A loaded model at work: conversations and raw text in, events out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace

from engine.ahead import draw_rule
from engine.contract import (
    Complete,
    Constraint,
    CountTokens,
    EngineError,
    Event,
    FaultKind,
    Finished,
    FinishReason,
    Generate,
    GenerateSettings,
    Inspect,
    Loaded,
    Notice,
    ReadPrompt,
    RenderPrompt,
    Sampling,
    Thinking,
    TokensCounted,
)
from engine.device import peak_resident_bytes
from engine.fitting import fit_conversation
from engine.generation.candidates import Drawing
from engine.generation.constraints import Grammars
from engine.generation.sampler import Sampler, TokenMask, Vocabulary
from engine.generation.scheduler import Sequence
from engine.inspecting import Retracer, SeenPrompts, asked_again
from engine.kernels.drawing import DrawRule, DrawsHere
from engine.loaded import LoadedModel, Text
from engine.meter import Meter
from engine.rendering import counted, rendered
from engine.replies import Replies
from engine.reply import Bounds, Reply
from engine.text.model_text import Prompt


@dataclass(frozen=True, slots=True)
class _Question:
    """What a reply is made for, once its prompt is known."""

    ids: list[int]
    prompt: Prompt | None = None
    notices: tuple[Notice, ...] = ()
    left_out: tuple[int, int] = (0, 0)
    begins_with: tuple[int, ...] = ()


class Answering:
    """Answers with one model.

    Args:
        loaded: the model.
    """

    def __init__(self, loaded: LoadedModel) -> None:
        self._model = loaded
        self._replies = Replies(loaded)
        self._breakers: dict[tuple[str, ...], frozenset[int]] = {}
        self._grammars: Grammars | None = None
        self._prompts = SeenPrompts(loaded.text.tokenizer)

    def describe(self, request: int, load_s: float) -> Loaded:
        """The event that says what was loaded."""
        model = self._model
        return Loaded(
            request=request,
            model=model.facts,
            context=model.context,
            device=" + ".join(model.devices),
            threads=model.threads,
            memory=replace(model.memory, peak=peak_resident_bytes()),
            default_sampling=model.text.default_sampling,
            can_think=model.text.can_think,
            load_s=load_s,
            notices=model.notices,
        )

    def close(self) -> None:
        """Free the model."""
        self._model.close()

    def count(self, command: CountTokens) -> Iterator[Event]:
        """Count the tokens of a conversation as a prompt."""
        tokens = counted(self._model.text, command)
        yield TokensCounted(command.request, tokens, self._model.context)
        yield Finished(command.request, FinishReason.DONE)

    def read_prompt(self, command: ReadPrompt) -> Iterator[Event]:
        """Tell a stretch of a prompt.

        Raises:
            EngineError: PROMPT_FORGOTTEN.
        """
        yield self._prompts.page(command)
        yield Finished(command.request, FinishReason.DONE)

    def render(self, command: RenderPrompt) -> Iterator[Event]:
        """Make a prompt with a template.

        Raises:
            EngineError: TEMPLATE_INVALID, TEMPLATE_REFUSED, PROMPT_EMPTY.
        """
        yield rendered(self._model.text, command)
        yield Finished(command.request, FinishReason.DONE)

    def answer(
        self, command: Generate | Complete, cancelled: Callable[[], bool]
    ) -> Iterator[Event | None]:
        """Reply to a conversation, or continue a text.

        Raises:
            EngineError: PROMPT_EMPTY, PROMPT_TOO_LONG, SETTING_INVALID, BUSY, OUT_OF_MEMORY,
                TEMPLATE_INVALID, TEMPLATE_REFUSED.
        """
        meter = Meter()
        question = self._question(command)
        yield from self._advance(self._reply(command, question, meter), cancelled)

    def inspect(self, command: Inspect, cancelled: Callable[[], bool]) -> Iterator[Event | None]:
        """Compute the figures of a reply once more.

        Raises:
            EngineError: as ``answer``; PROMPT_EMPTY where the reply has no ids.
        """
        meter = Meter()
        if not command.ids:
            raise EngineError(FaultKind.PROMPT_EMPTY)
        asked = asked_again(command)
        question = self._question(asked)
        self._check_room(len(question.ids) + len(command.ids))
        self._check_ids(list(command.ids))
        limited = replace(asked, settings=replace(asked.settings, max_tokens=len(command.ids)))
        reply = self._reply(limited, question, meter, command.ids)
        yield from self._advance(reply, cancelled)

    def _advance(self, reply: Reply, cancelled: Callable[[], bool]) -> Iterator[Event | None]:
        reply.meter.tokenized()
        if reply.reason is not None:  # its beginning was its end
            reply.end(reply.reason)
        else:
            self._replies.add(reply)
        try:
            while True:
                if cancelled():
                    self._replies.end(reply, FinishReason.CANCELLED)
                self._replies.advance(reply, cancelled)
                event = reply.outbox.take()
                yield event
                if isinstance(event, Finished):
                    return
        finally:
            self._replies.drop(reply)

    def _check_room(self, tokens: int) -> None:
        context = self._model.context
        if tokens > context:
            raise EngineError(FaultKind.PROMPT_TOO_LONG, tokens=tokens, context=context)

    def _check_ids(self, ids: list[int]) -> None:
        """A kernel would read an id that the embedding does not have from foreign memory."""
        rows = self._model.model.vocabulary
        beyond = next((id for id in ids if not 0 <= id < rows), None)
        if beyond is not None:
            detail = f"token {beyond}, {rows} rows of the embedding"
            path = str(self._model.facts.path)
            raise EngineError(FaultKind.TOKENIZER_INVALID, path=path, detail=detail)

    def _question(self, command: Generate | Complete) -> _Question:
        context = self._model.context
        if isinstance(command, Generate):
            fitted = fit_conversation(command, self._text(command), context)
            prompt = fitted.prompt
            left_out = (fitted.left_out_turns, fitted.left_out_tokens)
            begins_with = command.begins_with
            self._check_room(len(prompt.ids) + len(begins_with) + bool(begins_with))
            ids = [*prompt.ids, *begins_with]
            self._check_ids(ids)
            return _Question(ids, prompt, fitted.notices, left_out, begins_with)
        ids = self._model.text.raw(command.prompt)
        if not ids:
            raise EngineError(FaultKind.PROMPT_EMPTY)
        if len(ids) >= context:
            raise EngineError(FaultKind.PROMPT_TOO_LONG, tokens=len(ids), context=context)
        self._check_ids(ids)
        return _Question(ids)

    def _reply(
        self,
        command: Generate | Complete,
        question: _Question,
        meter: Meter,
        known: tuple[int, ...] = (),
    ) -> Reply:
        """Make a reply; ``known`` are ids that were drawn for it before."""
        settings, text = command.settings, self._text(command)
        _check(settings)
        sampling = settings.sampling or text.default_sampling
        vocabulary = Vocabulary(
            size=min(text.tokenizer.size, self._model.model.vocabulary),
            end_ids=text.end_ids,
            breaker_ids=self._breaker_ids(sampling),
        )
        stream = text.reply_stream(stop=settings.stop, prompt=question.prompt)
        sampler = Sampler(
            sampling,
            vocabulary,
            question.ids[: len(question.ids) - len(question.begins_with)],
            settings.alternatives,
            self._mask(settings.constraint),
            is_constrained=stream.inside is None,
            traces=settings.traces,
            openers=self._openers(command),
            drawing=self._drawing(draw_rule(sampling, vocabulary.size)),
        )
        retracer = Retracer(sampler, known) if known else None
        reply = Reply(
            command.request,
            Sequence(question.ids, len(question.ids), settings.priority),
            retracer or sampler,
            stream,
            text.tokenizer,
            Bounds(text.end_ids, settings.max_tokens, self._model.context),
            meter,
            notices=question.notices,
            left_out=question.left_out,
            guesses=retracer,
        )
        reply.begin(question.begins_with)
        if settings.traces:
            read = len(question.ids) - len(question.begins_with)
            self._prompts.keep(command.request, reply.sequence, read)
        return reply

    def _drawing(self, rule: DrawRule) -> Drawing | None:
        """The kernels' own way to draw by this rule, if they have one."""
        kernels = self._model.kernels
        return kernels.drawing(rule) if isinstance(kernels, DrawsHere) else None

    def _openers(self, command: Generate | Complete) -> Collection[int]:
        """Tokens by which the reply may open reasoning that nobody has switched off."""
        is_off = isinstance(command, Complete) or command.thinking is Thinking.OFF
        return () if is_off else self._text(command).reasoning_openers

    def _text(self, command: Generate | Complete) -> Text:
        """The model's text side, with the template that a conversation wants."""
        return self._model.text.with_template(getattr(command, "template", ""))

    def _mask(self, constraint: Constraint | None) -> TokenMask | None:
        """The constraint's mask; the first one builds the tables of the vocabulary."""
        if constraint is None:
            return None
        if self._grammars is None:
            tokens = self._model.text.tokenizer
            self._grammars = Grammars(
                [tokens.token_bytes(id) for id in range(tokens.size)],
                self._model.text.end_ids,
                [id for id in range(tokens.size) if tokens.is_control(id)],
                tokens.encode,
            )
        return self._grammars.compile(constraint)

    def _breaker_ids(self, sampling: Sampling) -> Collection[int]:
        """Tokens that contain a DRY breaker; looked up once for each set of breakers."""
        if sampling.dry_multiplier <= 0:
            return ()
        breakers = sampling.dry_breakers
        if breakers not in self._breakers:
            parts = [text.encode() for text in breakers if text]
            tokens = self._model.text.tokenizer
            self._breakers[breakers] = frozenset(
                id for id in range(tokens.size) if any(p in tokens.token_bytes(id) for p in parts)
            )
        return self._breakers[breakers]


def _check(settings: GenerateSettings) -> None:
    """Refuse numbers that mean nothing.

    Raises:
        EngineError: SETTING_INVALID.
    """
    if settings.max_tokens is not None and settings.max_tokens < 1:
        raise EngineError(
            FaultKind.SETTING_INVALID, name="max_tokens", value=settings.max_tokens, allowed=">= 1"
        )
    if settings.alternatives < 0:
        raise EngineError(
            FaultKind.SETTING_INVALID,
            name="alternatives",
            value=settings.alternatives,
            allowed=">= 0",
        )
