"""The quality report: a copy and its source read the same text, and answer the same question.

One after the other, each as it would run for a user, so that only one is in memory. What the
source says of each token waits in a file.
"""

from __future__ import annotations

import gc
import json
import math
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from engine.answering import Answering
from engine.asking import first_difference
from engine.contract import (
    Channel,
    EngineError,
    FaultKind,
    Finished,
    Generate,
    GenerateSettings,
    Load,
    LoadSettings,
    Message,
    Role,
    Sampling,
    TextDelta,
    Thinking,
)
from engine.generation.pages import PageTable
from engine.generation.scheduler import Sequence, Share, Step
from engine.library.copy_facts import FACTS, REPORT_TOKENS
from engine.library.identify import identify
from engine.loaded import LoadedModel
from engine.loading import load_model
from engine.quantization.likeness import Comparison, Likeness
from engine.quantizing import TEXTS
from engine.runner import ModelRunner

HELD_OUT = ("held_out_en.txt", "held_out_zh.txt")
QUESTION = "Explain why ice floats, in two sentences."
_CONTEXT, _SLICE = 2048, 64

Report = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Spoken:
    """A model on its own.

    Attributes:
        name: of the file or folder.
        size: bytes of its weights' files.
        bits_per_weight: of all of them.
        reply: to the question, without chance.
        tokens_per_second: of that reply, measured.
        tokens: that it drew, ``REPORT_TOKENS`` at most.
        ended: why the reply ended, a ``FinishReason``.
    """

    name: str
    size: int
    bits_per_weight: float
    reply: str
    tokens_per_second: float
    tokens: int
    ended: str


@dataclass(frozen=True, slots=True)
class QualityReport:
    """A copy beside its source.

    Attributes:
        copy, source: each on its own.
        likeness: over the text.
        errors: of each layer's outputs, as the copy's own file tells; empty where it tells none.
        recipe: "bits", "group" and "method" of the layers' weights, as that file tells.
        first_difference: the first token of their replies that is not the same, from 1; 0: none.
        question: that both were asked.
    """

    copy: Spoken
    source: Spoken
    likeness: Likeness
    errors: list[float]
    recipe: dict[str, Any]
    first_difference: int = 0
    question: str = QUESTION


def evaluate(copy: Path, source: Path, tokens: int, report: Report) -> QualityReport:
    """Compare a copy with its source.

    Args:
        copy: a model that we can load.
        source: another with the same tokens.
        tokens: of each of the two texts.
        report: is told (stage, done, total).

    Raises:
        EngineError: of loading; SETTING_INVALID where the two have other tokens.
    """
    with tempfile.TemporaryDirectory() as folder:
        there = _read_source(source, tokens, report, Path(folder) / "logits")
        gc.collect()  # tokenizers and templates are full of cycles: the source's weights go now
        here = _Reading(copy, tokens, report)
        try:
            if here.texts != there.texts or here.loaded.model.vocabulary != there.logits.shape[1]:
                raise EngineError(
                    FaultKind.SETTING_INVALID, name="against", value=str(source),
                    allowed="a model with the same tokens",
                )  # fmt: skip
            likeness = _compare(here, there.logits)
            ours, ids = here.spoken()
        finally:
            here.close()
        theirs, differs = there.spoken, first_difference(there.ids, ids)
        del there  # Windows deletes no file that is mapped
    made = _facts_of(copy)
    recipe: dict[str, Any] = {key: made[key] for key in ("bits", "group", "method") if key in made}
    return QualityReport(ours, theirs, likeness, made["errors"], recipe, differs)


@dataclass(frozen=True, slots=True)
class _Source:
    """What is kept of the source while the copy is in memory.

    Attributes:
        texts: ids of the texts that it read.
        logits: float32 [tokens, vocabulary], in a file.
        spoken, ids: its reply.
    """

    texts: list[list[int]]
    logits: np.memmap[Any, np.dtype[np.float32]]
    spoken: Spoken
    ids: tuple[int, ...]


def _read_source(source: Path, tokens: int, report: Report, file: Path) -> _Source:
    """Let the source read and answer, and forget it."""
    there = _Reading(source, tokens, report)
    try:
        width = there.loaded.model.vocabulary
        kept = np.memmap(file, np.float32, "w+", shape=(max(there.count, 1), width))
        for at, rows in there.logits():
            kept[at : at + len(rows)] = rows
        return _Source(there.texts, kept, *there.spoken())
    finally:
        there.close()


def made_of(copy: Path) -> str:
    """The name of the model that a copy says it was made of; "" where it is no copy of ours."""
    return str(_facts_of(copy).get("source", ""))


def as_json(report: QualityReport) -> dict[str, Any]:
    """The report as plain values."""
    return asdict(report)


def _compare(here: _Reading, kept: np.memmap[Any, np.dtype[np.float32]]) -> Likeness:
    found, targets = Comparison(), here.targets()
    for at, rows in here.logits():
        mine = torch.from_numpy(rows)
        theirs = torch.from_numpy(np.array(kept[at : at + len(rows)]))
        here_targets = targets[at : at + len(rows)]
        real = here_targets >= 0  # the last token of a text predicts nothing that is known
        found.add(theirs[real], mine[real], here_targets[real])
    return found.likeness()


class _Reading:
    """A model that reads the held-out texts."""

    def __init__(self, path: Path, tokens: int, report: Report) -> None:
        self._path, self._report = path, report
        self._facts = identify(path)
        report("loading", 0, 1)
        self.loaded = _load(path)
        texts = [(TEXTS / name).read_text("utf-8") for name in HELD_OUT]
        self.texts = [self.loaded.text.raw(text)[:tokens] for text in texts]
        self.count = sum(map(len, self.texts))

    def targets(self) -> torch.Tensor:
        """int64 [count], the token after each; -1 after a text's last."""
        return torch.tensor([one for ids in self.texts for one in (*ids[1:], -1)])

    def logits(self) -> Iterator[tuple[int, np.ndarray[Any, np.dtype[np.float32]]]]:
        """(place among all tokens, float32 [some, vocabulary]), in order."""
        loaded, place = self.loaded, 0
        runner = ModelRunner(loaded.model, loaded.cache, loaded.kernels.device)
        for ids in self.texts:
            pages = list(range(math.ceil(len(ids) / loaded.cache.page_size)))
            tables = [PageTable(pages) for _ in loaded.cache.windows]
            sequence = Sequence(ids, len(ids), tables=tables)
            for at in range(0, len(ids), _SLICE):
                some = ids[at : at + _SLICE]
                yield place, runner.run(Step((Share(sequence, some, at, len(some)),), ()))
                place += len(some)
                self._report("reading", place, self.count)

    def spoken(self) -> tuple[Spoken, tuple[int, ...]]:
        """Ask the question; the reply, and the ids of its tokens."""
        settings = GenerateSettings(Sampling(temperature=0, seed=0), max_tokens=REPORT_TOKENS)
        messages = (Message(Role.USER, QUESTION),)
        asked = Generate(1, messages, settings, thinking=Thinking.OFF)
        said, speed, ended = "", 0.0, ""
        ids: tuple[int, ...] = ()
        for event in Answering(self.loaded).answer(asked, lambda: False):
            if isinstance(event, TextDelta) and event.channel is Channel.ANSWER:
                said += event.text
            elif isinstance(event, Finished):
                speed, ids = event.timings.tokens_per_second or 0.0, event.ids
                ended = event.reason.value
        facts = self._facts
        size, bits = facts.size_bytes, facts.bits_per_weight
        reply = said.rstrip("\ufffd")  # where the limit cut a character in the middle
        return Spoken(facts.name, size, bits, reply, round(speed, 1), len(ids), ended), ids

    def close(self) -> None:
        """Let go of the model."""
        self.loaded.close()


def _load(path: Path) -> LoadedModel:
    steps = load_model(Load(0, path, LoadSettings(context=_CONTEXT)), identify(path))
    while True:
        try:
            next(steps)
        except StopIteration as end:
            loaded: LoadedModel = end.value
            return loaded


def _facts_of(copy: Path) -> dict[str, Any]:
    """What the copy's own file says of how it was made; nothing where it is no copy of ours."""
    try:
        found = json.loads((copy / FACTS).read_bytes())
        return {**found, "errors": [float(error) for error in found["errors"]]}
    except (OSError, ValueError, KeyError, TypeError):
        return {"errors": []}
