"""What one step of a model works on: the new tokens of several sequences, laid end to end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True, slots=True)
class Span:
    """One sequence's share of a step.

    Attributes:
        first: row of its first new token in the batch.
        tokens: how many new tokens it has; 1 when decoding.
        start: position of the first new token = tokens of this sequence that the cache holds
            already.
        pages: the sequence's page numbers, in order; they cover ``start + tokens`` tokens. What
            stands behind a layer's window means nothing and is never looked at. A reference, not a
            copy: only the step that it is for may read it.
        ids: the sequence's ids, at least the ``start`` that were computed before; a reference, not
            a copy. Only models that keep no pages read it (compatibility mode).
        windows: the page numbers of the groups of layers after the first (see ``groups.py``);
            empty where all layers lie in the same pages.
    """

    first: int
    tokens: int
    start: int
    pages: Sequence[int]
    ids: Sequence[int] = ()
    windows: tuple[Sequence[int], ...] = ()

    def table(self, group: int) -> Sequence[int]:
        """The page numbers of a group of layers."""
        return self.windows[group - 1] if group and self.windows else self.pages


@dataclass(frozen=True, slots=True)
class Batch:
    """One step's input.

    Attributes:
        ids: int64 [tokens], the new token ids of all spans, span after span.
        positions: int64 [tokens], each token's position in its own sequence.
        spans: in row order, covering all rows.
        logit_rows: int64 [wanted], the rows whose logits are wanted (usually each span's last).
    """

    ids: Tensor
    positions: Tensor
    spans: tuple[Span, ...]
    logit_rows: Tensor
