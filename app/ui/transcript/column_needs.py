"""What a column of a table asks for: measured from its words and its formulas as they are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from PySide6.QtGui import QFontMetricsF

from app.rendering.blocks import Formula, Inline, plain_text
from app.ui.transcript.columns import Need
from app.ui.transcript.paper import TABLE, TABLE_HEAD, Manner, Paper
from app.ui.transcript.pieces import formula_key
from app.ui.transcript.table_part import SIDE

_CHINESE = 60.0  # px: words without spaces are broken anywhere


def need_of(column: Sequence[tuple[Inline, ...]], paper: Paper) -> Need:
    """Return what a column needs whose first cell is its head; a formula is never broken."""
    word = whole = formula = 0.0
    for row, inlines in enumerate(column):
        manner = TABLE if row else TABLE_HEAD
        metrics = QFontMetricsF(paper.typeset.font(manner))
        words, widths = _apart(inlines, manner, paper)
        formula = max(formula, *widths, 0.0)
        for line in plain_text(words).split("\n"):
            whole = max(whole, metrics.horizontalAdvance(line) + sum(widths))
            longest = max(line.split(), key=len, default="")
            word = max(word, metrics.horizontalAdvance(longest) if longest.isascii() else _CHINESE)
    padding = 2 * SIDE + 2
    return Need(ceil(word) + padding, ceil(whole) + padding, ceil(formula) + padding)


def _apart(
    inlines: Sequence[Inline], manner: Manner, paper: Paper
) -> tuple[tuple[Inline, ...], list[float]]:
    """Return the words of a cell, and the widths of the formulas that are drawn among them."""
    words: list[Inline] = []
    widths: list[float] = []
    for inline in inlines:
        key = formula_key(inline.source, manner, paper) if isinstance(inline, Formula) else None
        sketch = paper.formulas.sketch(key) if key is not None else None
        if sketch is None:
            words.append(inline)
        else:
            widths.append(sketch.width + 2)
    return tuple(words), widths
