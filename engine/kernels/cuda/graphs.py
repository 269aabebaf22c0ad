"""The decode step as recordings: one for each number of sequences rounded up to a power of two.

A recording keeps addresses and shapes, so all that changes from token to token lies in tensors that
stay: ids, positions, lengths, slots and page tables. Lengths are read on the device, so nothing is
recorded again while a text grows. Rows without a sequence have length 0 and write nowhere. A cache
at another address, or a page table that became too wide, makes the recordings void.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from engine.kernels.batch import Batch
from engine.kernels.cuda.attending import Decoding
from engine.kernels.cuda.launches import power_of_two
from engine.kernels.cuda.recording import Recorder
from engine.kernels.cuda.sampling import NUMBERS, draw, rule_numbers
from engine.kernels.cuda.step import Input
from engine.kernels.drawing import NextToken
from engine.kernels.reference_cache import ReferenceCache

MOST_ROWS = 16
"""Sequences in a recorded step: as many as the scheduler lets run."""

_IDS, _POSITIONS, _LENGTHS, _SLOTS = 0, 1, 2, 3

Tables = tuple[tuple[int, ...], ...]
Compute = Callable[[Input, ReferenceCache], Tensor]


@dataclass(slots=True)
class _Bucket:
    """The tensors and recordings of one number of rows."""

    numbers: Tensor  # int64 [3 + groups, rows]: ids, positions, lengths, slots of each group
    tables: list[Tensor]  # int32 [rows, width] for each group
    rules: Tensor  # float64 [NUMBERS, rows]
    held: list[Tables]  # what the tables say, a row each
    step: tuple[Tensor, Callable[[], None]] | None = None
    draws: tuple[Tensor, Callable[[], None]] | None = None

    @property
    def places(self) -> tuple[Decoding, ...]:
        """Where the rows' tokens are, for each group."""
        return tuple(
            Decoding(self.numbers[_SLOTS + group], self.numbers[_LENGTHS], table)
            for group, table in enumerate(self.tables)
        )


class DecodeGraphs:
    """Runs steps of one new token for each sequence.

    Args:
        compute: the step.
        recorder: of the device.
        device: where it runs.
    """

    def __init__(self, compute: Compute, recorder: Recorder, device: torch.device) -> None:
        self._compute = compute
        self._recorder = recorder
        self._device = device
        self._buckets: dict[int, _Bucket] = {}
        self._cache: weakref.ref[ReferenceCache] | None = None
        self._width = 0

    def forward(self, batch: Batch, cache: ReferenceCache) -> Tensor:
        """The logits of ``batch.logit_rows``, float32, in memory of their own."""
        groups = range(len(cache.windows))
        tables = [tuple(tuple(span.table(group)) for group in groups) for span in batch.spans]
        bucket = self._bucket(tables, cache)
        bucket.numbers[_IDS, : len(tables)].copy_(batch.ids)
        logits = self._run(bucket, [span.start for span in batch.spans], tables, cache)
        return logits[batch.logit_rows.to(logits.device)]

    def queue(self, tokens: Sequence[NextToken], cache: ReferenceCache) -> Callable[[], list[int]]:
        """Queue a step and its draw; see ``engine.kernels.drawing.Draws``."""
        tables = [token.tables for token in tokens]
        bucket = self._bucket(tables, cache)
        ids = [token.id for token in tokens if token.id is not None]
        padding = bucket.numbers.shape[1] - len(tokens)
        if ids:
            self._recorder.send([[*ids, *[0] * padding]], bucket.numbers[_IDS : _IDS + 1])
        elif bucket.draws is not None:
            bucket.numbers[_IDS].copy_(bucket.draws[0].clamp_min(0))
        else:
            raise ValueError("nothing was drawn before")
        logits = self._run(bucket, [token.start for token in tokens], tables, cache)
        numbers = rule_numbers(
            [token.rule for token in tokens], [token.uniform for token in tokens]
        )
        self._recorder.send([[*row, *[1.0] * padding] for row in numbers], bucket.rules)
        if bucket.draws is None:
            bucket.draws = self._recorder.record(lambda: draw(logits, bucket.rules))
        drawn, replay = bucket.draws
        replay()
        read = self._recorder.fetch(drawn)
        return lambda: read()[: len(tokens)]

    def _bucket(self, tables: Sequence[Tables], cache: ReferenceCache) -> _Bucket:
        """The bucket for so many rows, in which every table has room."""
        width = max(len(table) for row in tables for table in row)
        if self._cache is None or self._cache() is not cache or width > self._width:
            self._buckets.clear()
            self._cache = weakref.ref(cache)
            self._width = power_of_two(max(width, *cache.pages, 1))
        rows = power_of_two(len(tables))
        if rows not in self._buckets:
            groups = len(cache.windows)
            self._buckets[rows] = _Bucket(
                numbers=self._zeros(_SLOTS + groups, rows, dtype=torch.int64),
                tables=[self._zeros(rows, self._width, dtype=torch.int32) for _ in range(groups)],
                rules=self._zeros(NUMBERS, rows, dtype=torch.float64),
                held=[((),) * groups] * rows,
            )
        return self._buckets[rows]

    def _run(
        self,
        bucket: _Bucket,
        starts: Sequence[int],
        tables: Sequence[Tables],
        cache: ReferenceCache,
    ) -> Tensor:
        """Fill the tensors behind the ids, and replay the step; float32 [rows, vocabulary]."""
        self._place(bucket, starts, tables, cache.page_size)
        if bucket.step is None:
            step = Input(bucket.numbers[_IDS], bucket.numbers[_POSITIONS], bucket.places)
            bucket.step = self._recorder.record(lambda: self._compute(step, cache))
        logits, replay = bucket.step
        replay()
        return logits

    def _place(
        self, bucket: _Bucket, starts: Sequence[int], tables: Sequence[Tables], size: int
    ) -> None:
        padding = bucket.numbers.shape[1] - len(starts)
        rows = [[*starts, *[0] * padding], [*(s + 1 for s in starts), *[0] * padding]]
        for group in range(len(bucket.tables)):
            slots = [
                table[group][start // size] * size + start % size
                for start, table in zip(starts, tables, strict=True)
            ]
            rows.append([*slots, *[-1] * padding])
        self._recorder.send(rows, bucket.numbers[_POSITIONS:])
        for row, table in enumerate(tables):
            if bucket.held[row] != table:
                bucket.held[row] = table
                for target, pages in zip(bucket.tables, table, strict=True):
                    target[row, : len(pages)].copy_(torch.tensor(pages, dtype=torch.int32))

    def _zeros(self, *shape: int, dtype: torch.dtype) -> Tensor:
        return torch.zeros(shape, dtype=dtype, device=self._device)
