"""From a block to the widget that shows it."""

from __future__ import annotations

from typing import Protocol, assert_never, cast

from PySide6.QtCore import QRect
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.rendering.blocks import (
    Block,
    Code,
    DisplayFormula,
    Formula,
    Heading,
    Note,
    Paragraph,
    Quote,
    Rule,
    Table,
)
from app.ui.transcript.code import CodeFrame, CodeState
from app.ui.transcript.display_formula import FormulaView
from app.ui.transcript.paper import NOTE, QUESTION, Manner, Paper
from app.ui.transcript.prose import Prose
from app.ui.transcript.selection import Whole
from app.ui.transcript.still_text import StillText
from app.ui.transcript.tables import TableView


class Row(Protocol):
    """A widget that shows one block: lays itself out to a width and says how tall it is."""

    def fit(self, width: int) -> int:
        """Lay out to a width and return the height."""
        ...


class Line(QWidget):
    """A thematic break."""

    def __init__(self, paper: Paper, parent: QWidget) -> None:
        super().__init__(parent)
        self._paper = paper

    def fit(self, width: int) -> int:
        """Return the height."""
        return 9

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint a hairline in the middle."""
        painter = QPainter(self)
        painter.fillRect(0, 4, self.width(), 1, self._paper.look.theme.color("line"))


def manner_of(block: Block, manner: Manner) -> Manner:
    """Return how the text of a block is set where running text is set in ``manner``."""
    if isinstance(block, Heading):
        return Manner(f"heading{min(block.level, 4)}", manner.ink)
    if any(isinstance(c, Note) for c in block.place):
        return NOTE
    return manner.quoted() if any(isinstance(c, Quote) for c in block.place) else manner


def is_wide(block: Block) -> bool:
    """Tell whether a block may use the whole column; running text keeps to a readable width."""
    return isinstance(block, Code | Table | DisplayFormula | Rule)


def make_row(
    block: Block, manner: Manner, paper: Paper, parent: QWidget, code: CodeState
) -> QWidget:
    """Return a new widget for a block; ``code`` is what was chosen for it, should it be code."""
    row: QWidget
    match block:
        case Paragraph() | Heading():
            row = Prose(paper, manner_of(block, manner), parent)
            is_joined = isinstance(block, Paragraph) and block.joined
            row.joint = "" if is_joined else "\n" if manner == QUESTION else row.joint
        case Code():
            row = CodeFrame(paper, block.language, parent, calls=block.calls)
            row.restore(code)
        case Table():
            row = TableView(paper, parent)
        case DisplayFormula():
            row = FormulaView(paper, parent)
        case Rule():
            row = Line(paper, parent)
        case never:
            assert_never(never)
    update_row(row, block)
    return row


def can_become(old: Block, new: Block, manner: Manner) -> bool:
    """Tell whether the widget of one block can show another, keeping what they share."""
    if type(old) is not type(new) or manner_of(old, manner) != manner_of(new, manner):
        return False
    return not isinstance(old, Code) or _label(old) == _label(cast(Code, new))


def _label(code: Code) -> tuple[str, str]:
    return code.language, code.calls


def update_row(row: QWidget, block: Block) -> None:
    """Show a block in a widget that was made for its kind."""
    match block, row:
        case ((Paragraph() | Heading()), Prose()):
            row.show_inlines(block.inlines)
        case Code(), CodeFrame():
            row.show_code(block)
        case DisplayFormula(), FormulaView():
            row.show_formula(block)
        case Table(), TableView():
            row.show_table(block)
        case _:
            pass


def refresh_row(row: QWidget, block: Block) -> None:
    """Show a block again after formulas in it have been drawn."""
    if isinstance(row, TableView):
        row.refresh()
    update_row(row, block)


def has_formula(block: Block) -> bool:
    """Tell whether a block holds formulas, which may become known after it was set."""
    match block:
        case DisplayFormula():
            return True
        case Paragraph() | Heading():
            return any(isinstance(inline, Formula) for inline in block.inlines)
        case Table():
            cells = [cell for row in (block.head, *block.rows) for cell in row]
            return any(isinstance(inline, Formula) for cell in cells for inline in cell)
        case Code() | Rule():
            return False


def texts_of(row: QWidget) -> list[StillText]:
    """Return the text edits of a block's widget, from top to bottom."""
    match row:
        case StillText():
            return [row]
        case CodeFrame():
            return [row.text]
        case TableView():
            return [*row.parts]
        case _:
            return []


def parts_of(row: QWidget) -> list[StillText | Whole]:
    """Return what a selection can take of a block's widget, from top to bottom."""
    return [row] if isinstance(row, Whole) else [*texts_of(row)]


def mark_row(row: QWidget, words: str, current: int) -> None:
    """Mark words in a block; ``current`` is which of its places is shown, -1 where none is."""
    if isinstance(row, TableView):
        row.mark(words, current)
        return
    for text in texts_of(row):
        current -= text.mark(words, current)


def place_in_row(row: QWidget, words: str, nth: int) -> QRect:
    """Return where words stand for the ``nth`` time in a block, in its widget; empty for nowhere.

    Code that is folded is unfolded: the place would not be seen.
    """
    if isinstance(row, CodeFrame):
        row.unfold()
    if isinstance(row, TableView):
        return row.place_of(words, nth)
    for text in texts_of(row):
        count = text.count_of(words)
        if nth < count:
            place = text.place_of(words, nth)
            return QRect(text.mapTo(row, place.topLeft()), place.size())
        nth -= count
    return QRect()


def caret_of(row: QWidget) -> QRect | None:
    """Return where the reply's caret stands in a widget, None where it has no place."""
    return row.caret() if isinstance(row, Prose | CodeFrame) else None
