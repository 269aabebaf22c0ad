"""What stands left of blocks on paper: markers, and bars, which whoever prints draws."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QRectF
from PySide6.QtGui import QTextBlockFormat, QTextDocument, QTextFormat

from app.rendering.blocks import Block, Container, Item, Note, Quote

_BARS = QTextFormat.Property.UserProperty.value + 11  # where they stand, as "0 22"
_WIDE, _INSIDE = 2, 6  # px: a bar, and from its step's left edge


def keep_bars(form: QTextBlockFormat, place: Sequence[Container], step: int) -> None:
    """Note the bars of a block that stands inside these containers, each a step to the right."""
    lefts = [n * step + _INSIDE for n, each in enumerate(place) if isinstance(each, Quote)]
    if lefts:
        form.setProperty(_BARS, " ".join(map(str, lefts)))


def marker_of(block: Block) -> str:
    """Return what stands before a block: a bullet, a check box, the number of item or footnote."""
    match next((each for each in reversed(block.place) if not isinstance(each, Quote)), None):
        case Note(label=label):
            return label
        case Item(task=None, marker=marker):
            return marker
        case Item(task=is_done):
            return "☑" if is_done else "☐"
    return ""


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
