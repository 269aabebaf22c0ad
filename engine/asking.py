"""One question to a smaller copy and to the model that it was made of, one after the other.

Each is loaded as a person would load it, asked without chance, and freed before the next one: they
never share the memory. The safety layer stands before both, as before every conversation.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from engine.contract import (
    Channel,
    CommandRunner,
    EngineError,
    Event,
    Failed,
    Fault,
    FaultKind,
    Finished,
    Generate,
    GenerateSettings,
    Load,
    Loaded,
    LoadSettings,
    Message,
    Metrics,
    ModelFacts,
    Progress,
    Role,
    Sampling,
    TextDelta,
    Thinking,
)
from engine.engine import Answers, Engine, Loader, load_from_files
from engine.library.copy_facts import REPLY_TOKENS
from engine.library.identify import identify
from engine.library.memory import memory_needed
from engine.safety.guard import Guarded
from engine.startup import load_libraries

_CONTEXT, _FRAME = 2048, 512  # tokens: at least; and what a template may add to a question
_ANSWERING = "answering"
_SAMPLING = Sampling(temperature=0.0, seed=0)


class Side(StrEnum):
    """Which of the two."""

    SOURCE = "source"
    COPY = "copy"


@dataclass(frozen=True, slots=True)
class Answer:
    """What one of them said.

    Attributes:
        name: of its file or folder.
        reply: to the question; ``reasoning``: what it thought before, in a channel of its own.
        tokens: that it drew.
        tokens_per_second: of those, measured; 0 where there were too few.
        ended: why it ended, a ``FinishReason``.
        ids: of the tokens; ``vocabulary``: how many there are to draw from.
    """

    name: str
    reply: str
    reasoning: str
    tokens: int
    tokens_per_second: float
    ended: str
    ids: tuple[int, ...]
    vocabulary: int


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked.

    Attributes:
        text: of the question.
        most: tokens that an answer may have.
        leave: bytes of the computer's memory that another program has been promised.
        is_offline: whether a model on another computer is refused.
    """

    text: str
    most: int = REPLY_TOKENS
    leave: int = 0
    is_offline: bool = False

    @property
    def context(self) -> int:
        """Tokens that surely hold question and answer: none is shorter than a byte."""
        return max(_CONTEXT, len(self.text.encode("utf-8", "replace")) + self.most + _FRAME)


@dataclass(frozen=True, slots=True)
class Asked:
    """Both answers, each with the fault in its place where there is none.

    Attributes:
        source: None where only the copy was asked.
        first_difference: the first token that is not the same, from 1; 0 where all are, None where
            it cannot be said: one is missing, or they have other tokens.
    """

    copy: Answer | Fault
    source: Answer | Fault | None
    first_difference: int | None


class Listener(Protocol):
    """Who is told meanwhile."""

    def progressed(self, side: Side, stage: str, done: int, total: int) -> None:
        """How far one of them is: a ``Stage``, or tokens "answering"."""
        ...

    def said(self, side: Side, text: str) -> None:
        """More of an answer."""
        ...


def ask_both(
    copy: Path,
    source: Path | None,
    question: Question,
    listener: Listener,
    load: Loader = load_from_files,
) -> Asked:
    """Ask both, first the source; what goes wrong with one does not keep the other from answering.

    Args:
        copy: a model that we can load.
        source: another; None asks the copy alone.
        question: for both.
        listener: is told how far they are, and what they say.
        load: how a model comes about.
    """
    engine = Guarded(Engine(_with_room(question.leave, load)))
    try:
        theirs = _ask(engine, Side.SOURCE, source, question, listener) if source else None
        ours = _ask(engine, Side.COPY, copy, question, listener)
    finally:
        engine.close()
    return Asked(ours, theirs, _compared(theirs, ours))


def first_difference(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    """Return the first token that is not the same, counted from 1; 0 where all are."""
    if one == other:
        return 0
    shared = zip(one, other, strict=False)
    same = (at for at, (mine, theirs) in enumerate(shared, 1) if mine != theirs)
    return next(same, min(len(one), len(other)) + 1)


def _compared(one: Answer | Fault | None, other: Answer | Fault) -> int | None:
    if not isinstance(one, Answer) or not isinstance(other, Answer):
        return None
    return first_difference(one.ids, other.ids) if one.vocabulary == other.vocabulary else None


def _ask(
    engine: CommandRunner, side: Side, path: Path, question: Question, listener: Listener
) -> Answer | Fault:
    try:
        facts = _loaded(engine, side, path, question, listener)
        return _answered(engine, side, facts, question, listener)
    except EngineError as error:
        return error.fault


def _loaded(
    engine: CommandRunner, side: Side, path: Path, question: Question, listener: Listener
) -> ModelFacts:
    settings = LoadSettings(context=question.context)
    command = Load(0, path, settings, is_offline=question.is_offline)
    facts: ModelFacts | None = None
    for event in engine.run(command, _never):
        match event:
            case Progress(stage=stage, done=done, total=total):
                listener.progressed(side, stage.value, done, total)
            case Loaded(model=model):
                facts = model
    if facts is None:
        raise RuntimeError("a load ended without a model")
    return facts


def _answered(
    engine: CommandRunner, side: Side, facts: ModelFacts, question: Question, listener: Listener
) -> Answer:
    import torch  # noqa: PLC0415 - it is loaded by now

    from engine.device import out_of_memory_named  # noqa: PLC0415

    settings = GenerateSettings(_SAMPLING, max_tokens=question.most)
    messages = (Message(Role.USER, question.text),)
    asked = Generate(0, messages, settings, thinking=Thinking.OFF)
    texts = dict.fromkeys(Channel, "")
    listener.progressed(side, _ANSWERING, 0, question.most)
    with out_of_memory_named(torch.device("cpu")):
        for event in engine.run(asked, _never):
            match event:
                case TextDelta(channel=channel, text=text):
                    texts[channel] += text
                    if channel is Channel.ANSWER:
                        listener.said(side, text)
                case Metrics(generated_tokens=tokens):
                    listener.progressed(side, _ANSWERING, tokens, question.most)
                case Failed(fault=fault):
                    raise EngineError(fault.kind, **fault.figures)
                case Finished():
                    return _answer(facts, texts, event)
    raise RuntimeError("a reply ended without a terminal event")


def _answer(facts: ModelFacts, texts: dict[Channel, str], end: Finished) -> Answer:
    return Answer(
        name=facts.name,
        reply=texts[Channel.ANSWER].strip(),
        reasoning=texts[Channel.REASONING].strip(),
        tokens=end.usage.generated_tokens,
        tokens_per_second=round(end.timings.tokens_per_second or 0.0, 1),
        ended=end.reason.value,
        ids=end.ids,
        vocabulary=facts.vocabulary,
    )


def _with_room(leave: int, load: Loader) -> Loader:
    """Load only what leaves so much of the computer's memory free."""

    def with_room(command: Load) -> Generator[Event, None, Answers]:
        if leave:
            yield from load_libraries(command.request)
            _check_room(identify(command.path), command.settings, leave)
        return (yield from load(command))

    return with_room


def _check_room(facts: ModelFacts, settings: LoadSettings, leave: int) -> None:
    """Refuse a model for the processor that would take what was promised to another program.

    Raises:
        EngineError: MEMORY_SHORT.
    """
    import torch  # noqa: PLC0415 - it is loaded by now

    from engine.device import device_names, free_bytes  # noqa: PLC0415

    if device_names(settings.device) != ("cpu",):
        return  # a GPU tells what is taken of it, to the byte
    context = min(settings.context or _CONTEXT, facts.context_length or _CONTEXT)
    needed = memory_needed(facts, context).total
    free = max(0, free_bytes(torch.device("cpu")) - leave)
    if needed > free:
        raise EngineError(FaultKind.MEMORY_SHORT, needed=needed, free=free, context=context)


def _never() -> bool:
    return False
