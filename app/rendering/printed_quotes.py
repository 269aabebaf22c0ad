"""The bars of quotes on paper: a text block knows which it has, whoever prints draws them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QRectF
from PySide6.QtGui import QTextBlockFormat, QTextDocument, QTextFormat

from app.rendering.blocks import Container, Item, Quote

_BARS = QTextFormat.Property.UserProperty.value + 11  # where they stand, as "0 22"
_WIDE, _INSIDE = 2, 6  # px: a bar, and from its step's left edge


def keep_bars(form: QTextBlockFormat, place: Sequence[Container], step: int) -> None:
    """Note the bars of a block that stands inside these containers, each a step to the right."""
    steps = [container for container in place if isinstance(container, Item | Quote)]
    lefts = [n * step + _INSIDE for n, each in enumerate(steps) if isinstance(each, Quote)]
    if lefts:
        form.setProperty(_BARS, " ".join(map(str, lefts)))


def bars(document: QTextDocument) -> Iterator[QRectF]:
    """Yield the bars of a document that is laid out; those of neighbours meet."""
    layout, block, before = document.documentLayout(), document.begin(), 0.0
    held: list[str] = []
    while block.isValid():
        area = layout.blockBoundingRect(block)
        lefts = str(block.blockFormat().property(_BARS) or "").split()
        for left in lefts:
            top = before if left in held else area.top()
            yield QRectF(float(left), top, _WIDE, area.bottom() - top)
        held, before = lefts, area.bottom()
        block = block.next()
