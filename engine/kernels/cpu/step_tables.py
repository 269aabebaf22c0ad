"""The numbers of a step that change from one to the next: rows, pages, where the logits go."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from engine.kernels.batch import Batch
from engine.kernels.cpu.step_builder import LINE
from engine.kernels.cpu.tables import STEP

_PLACES = {name: place for place, name in enumerate(STEP.names)}


def page_numbers(pages: Sequence[int]) -> array[int]:
    """Page numbers as int64; where they are that already, they are not copied."""
    return pages if isinstance(pages, array) and pages.typecode == "q" else array("q", pages)


def address_of(numbers: array[int]) -> int:
    """Where the numbers lie."""
    return numbers.buffer_info()[0]


def _int64(values: Tensor) -> Tensor:
    is_right = values.dtype is torch.int64 and values.is_contiguous()
    return values if is_right else values.to(torch.int64).contiguous()


class StepState:
    """The ``STEP`` table with what it points at."""

    def __init__(self, threads: int) -> None:
        self.table = np.zeros(1, STEP)
        self._figures = self.table.view(np.int64)  # single numbers are set faster by their place
        self._threads = threads
        self._scratch = np.zeros(0, np.uint8)
        self._kept: list[Any] = []

    def need_scratch(self, size: int) -> None:
        """Have ``size`` bytes for each thread."""
        size = -(-size // LINE) * LINE
        if self.table["scratch_step"][0] < size:
            self._scratch = np.zeros(size * self._threads + LINE, np.uint8)
            self.table["scratch"] = -(-self._scratch.ctypes.data // LINE) * LINE
            self.table["scratch_step"] = size

    def set_batch(self, batch: Batch, groups: int) -> None:
        """Point at a batch's rows and pages for each group; kept until the next batch."""
        pages = [page_numbers(span.table(group)) for group in range(groups) for span in batch.spans]
        count = len(batch.spans)
        spans = np.array(
            [
                (span.first, span.tokens, span.start, address_of(pages[group * count + row]))
                for group in range(groups)
                for row, span in enumerate(batch.spans)
            ],
            np.int64,
        )
        ids, positions, wanted = map(_int64, (batch.ids, batch.positions, batch.logit_rows))
        figures = {
            "rows": len(ids), "span_count": count, "spans": spans.ctypes.data,
            "ids": ids.data_ptr(), "positions": positions.data_ptr(), "wanted": wanted.data_ptr(),
            "wanted_count": len(wanted),
        }  # fmt: skip
        self.set(figures)
        self._kept = [*pages, spans, ids, positions, wanted]

    def set(self, figures: Mapping[str, int]) -> None:
        """Set single numbers; whoever does it keeps what they point at."""
        for name, value in figures.items():
            self._figures[_PLACES[name]] = value

    def set_logits(self, logits: Tensor) -> None:
        """Where the logits go."""
        self.table["logits"], self.table["logits_step"] = logits.data_ptr(), logits.shape[1] * 4
