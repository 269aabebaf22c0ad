"""A model that really reads its cache, and a text side of single bytes: exact, and instant.

The mock model writes token ids into the pages where a real one writes keys and values, and its
logits are a hash of all ids that it finds there. A page shared wrongly, a copy forgotten, a token
written over: each changes what it says next. ``expected_reply`` computes the same without a cache.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from engine.contract import (
    Channel,
    EngineError,
    FaultKind,
    Memory,
    Message,
    Notice,
    Sampling,
    Thinking,
)
from engine.kernels.batch import Batch, Span
from engine.kernels.interface import SLICE_FLOPS, CachePool, CacheShape
from engine.loaded import LoadedModel
from engine.text.model_text import Prompt
from tests.doubles.scripts import model_facts

BYTES = 256
END = 256  # the end-of-turn token
VOCABULARY = 260  # some ids past the tokenizer's 257, as padded vocabularies have


GREEDY = Sampling(temperature=0)


def logits_of(ids: Sequence[int] | NDArray[np.int64]) -> NDArray[np.float32]:
    """The mock model's opinion after these ids: any float32 row, the same every time."""
    seed = zlib.crc32(np.asarray(ids, dtype=np.int32).tobytes())
    return np.random.Generator(np.random.PCG64(seed)).normal(size=VOCABULARY).astype(np.float32)


def expected_reply(prompt: Sequence[int], tokens: int) -> list[int]:
    """The greedy continuation, computed without any cache; ends at the end-of-turn token."""
    ids = list(prompt)
    while len(ids) - len(prompt) < tokens:
        ids.append(int(logits_of(ids)[:257].argmax()))
        if ids[-1] == END:
            break
    return ids[len(prompt) :]


@dataclass
class MockCache:
    """Pages of token ids; with a window a second group of pages, for layers that look no further.

    Attributes:
        count: pages of the layers that see everything.
        page_size: tokens a page.
        window: of the other layers.
        window_count: their pages.
    """

    count: int
    page_size: int
    window: int | None = None
    window_count: int = 0

    def __post_init__(self) -> None:
        self.slots = np.full((self.count, self.page_size), -1, dtype=np.int64)
        self.near = np.full((self.window_count, self.page_size), -1, dtype=np.int64)

    @property
    def pages(self) -> tuple[int, ...]:
        return (self.count,) if self.window is None else (self.count, self.window_count)

    @property
    def windows(self) -> tuple[int | None, ...]:
        return (None,) if self.window is None else (None, self.window)

    @property
    def nbytes(self) -> int:
        return self.slots.nbytes + self.near.nbytes

    def copy_page(self, source: int, target: int, group: int | None = None) -> None:
        for number, slots in enumerate((self.slots, self.near)):
            if group is None or group == number:
                slots[target] = slots[source]


@dataclass
class MockModel:
    """Reads all that a sequence's pages hold; counts what it computed.

    Attributes:
        computed_tokens: all tokens of all steps, for counters in tests.
        largest_step: tokens of the largest step.
        rule: logits after the ids that the cache holds.
        breaks_at: the step (counted from 1) that raises; 0 is never.
        error: what it raises.
    """

    context_length: int = 4096
    computed_tokens: int = 0
    largest_step: int = 0
    steps: int = 0
    rule: Callable[[NDArray[np.int64]], NDArray[np.float32]] = logits_of
    breaks_at: int = 0
    error: Exception = field(default_factory=lambda: ZeroDivisionError("the model broke"))

    vocabulary: int = VOCABULARY
    cache_layers = (CacheShape(1, 1, 1),)
    weight_bytes = 1000
    notices: tuple[Notice, ...] = ()

    def forward(self, batch: Batch, cache: CachePool) -> Tensor:
        assert isinstance(cache, MockCache)
        self.steps += 1
        if self.steps == self.breaks_at:
            raise self.error
        self.computed_tokens += len(batch.ids)
        self.largest_step = max(self.largest_step, len(batch.ids))
        rows: dict[int, NDArray[np.float32]] = {}
        groups = (cache.slots, cache.near)[: len(cache.windows)]
        for span in batch.spans:
            for group, slots in enumerate(groups):
                self._write(batch, span, span.table(group), slots)
        for span in batch.spans:
            seen = cache.slots[list(span.pages)].reshape(-1)
            self._look_back(span, seen, cache)
            for row in range(span.tokens):
                if span.first + row in batch.logit_rows:
                    rows[span.first + row] = self.rule(seen[: span.start + row + 1])
        return torch.from_numpy(
            np.stack([rows[int(row)] for row in batch.logit_rows])
            if rows
            else np.empty((0, self.vocabulary), np.float32)
        )

    def _write(
        self, batch: Batch, span: Span, pages: Sequence[int], slots: NDArray[np.int64]
    ) -> None:
        for offset in range(span.tokens):
            position = int(batch.positions[span.first + offset])
            assert position == span.start + offset
            page, place = divmod(position, slots.shape[1])
            slots[pages[page], place] = int(batch.ids[span.first + offset])

    def _look_back(self, span: Span, seen: NDArray[np.int64], cache: MockCache) -> None:
        """What the window's layers read is the end of what the others read."""
        if cache.window is not None:
            end = span.start + span.tokens
            first = max(0, span.start - cache.window + 1)
            near = cache.near[list(span.table(1))].reshape(-1)
            assert (near[first:end] == seen[first:end]).all(), "the window's pages are not there"


@dataclass
class MockKernels:
    """Just a name and a device."""

    name: str = "mock"
    slice_flops: float = SLICE_FLOPS
    device: torch.device = field(default_factory=lambda: torch.device("cpu"))
    dtype: torch.dtype = torch.float32

    def close(self) -> None:
        """Nothing to end."""


class ByteTokens:
    """One id a byte, and the end of the turn."""

    size = 257

    def encode(self, text: str, *, control: bool = False) -> list[int]:
        return list(text.encode())

    def token_bytes(self, id: int) -> bytes:
        return bytes([id]) if id < BYTES else b"<end>"

    def is_control(self, id: int) -> bool:
        return id == END


class ByteReply:
    """Each byte is a Latin-1 letter at once; stop strings of single letters."""

    def __init__(self, stop: Sequence[str]) -> None:
        self._stop = stop
        self.stopped = False
        self.inside: object | None = None

    def push(self, id: int) -> list[tuple[Channel, str]]:
        letter = chr(id)
        if letter in self._stop:
            self.stopped = True
            return []
        return [(Channel.ANSWER, letter)]

    def finish(self) -> list[tuple[Channel, str]]:
        return []


@dataclass
class ByteText:
    """A template of one letter a role: ``u`` question, ``a`` reply, each message ends with END.

    Replies with ids are rebuilt from them, as the real template does.
    """

    end_ids: frozenset[int] = frozenset({END})
    default_sampling: Sampling = GREEDY
    notices: tuple[Notice, ...] = ()
    can_think: bool = False
    reasoning_openers: frozenset[int] = frozenset()
    tokenizer: ByteTokens = field(default_factory=ByteTokens)

    def prompt(
        self,
        messages: Sequence[Message],
        *,
        thinking: Thinking = Thinking.AUTO,
        tools: Sequence[str] = (),
        continue_reply: bool = False,
    ) -> Prompt:
        ids: list[int] = []
        for message in messages:
            ids.append(ord(message.role[0]))
            content = list(message.ids) or [*message.content.encode(), END]
            ids += content if content[-1] == END else [*content, END]
        return Prompt([*ids, ord("a")])

    def with_template(self, source: str) -> ByteText:
        return self

    def raw(self, text: str) -> list[int]:
        if "\0" in text:
            raise EngineError(FaultKind.TOKENIZER_INVALID, path="mock", detail="a zero byte")
        return list(text.encode())

    def reply_stream(self, *, stop: Sequence[str] = (), prompt: Prompt | None = None) -> ByteReply:
        return ByteReply(stop)


def mock_loaded(
    context: int = 512, pages: int = 48, page_size: int = 16, model: MockModel | None = None
) -> LoadedModel:
    """A loaded mock model."""
    return LoadedModel(
        facts=model_facts(),
        model=model or MockModel(context_length=context),
        text=ByteText(),
        kernels=MockKernels(),  # type: ignore[arg-type]
        cache=MockCache(pages, page_size),
        context=context,
        memory=Memory(weights=1000, cache=2000, workspace=300, peak=0),
        threads=1,
    )
