"""A three-line table: heavy lines above and below, a thin one under the head, hairlines between.

Wider than the column, it scrolls sideways in its own frame. A long table is set in parts of some
rows, one under the other: a row more costs the same in a table of ten rows and of a thousand. Parts
are made when they come near the view; until then their place is kept by an estimate.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import ceil

from PySide6.QtCore import QEvent, QRect, Qt, Slot
from PySide6.QtGui import QEnterEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QMenu, QScrollBar, QWidget

from app.rendering.blocks import Align, Table, plain_text
from app.rendering.table_text import csv_text, markdown_text, tsv_text
from app.ui.buttons import Tool
from app.ui.transcript.column_needs import need_of
from app.ui.transcript.columns import Need, alignments, share_out
from app.ui.transcript.paper import TABLE, Paper
from app.ui.transcript.table_part import Cells, TablePart

_ROWS = 16  # of a part: 3 ms to lay out
_SETTLED = 80  # rows: later ones do not change the columns any more
_PADDING = 7  # px: above and below the words of a row, and its line
_BAR = 12  # px: the sideways scroll bar, where one is needed


class TableCopy(Tool):
    """A button that shows over its table while the mouse or the keyboard is there."""

    def __init__(self, paper: Paper, parent: QWidget) -> None:
        super().__init__(paper.look, "copy", "transcript-copy-table", side=24, parent=parent)
        self._paper = paper

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the button on paper, so that no word shines through."""
        table = self.parentWidget()
        if self.hasFocus() or (table is not None and table.underMouse()):
            QPainter(self).fillRect(self.rect(), self._paper.look.theme.color("paper"))
            super().paintEvent(event)


class TableView(QWidget):
    """One table."""

    def __init__(self, paper: Paper, parent: QWidget) -> None:
        super().__init__(parent)
        self._paper = paper
        self._table = Table((), (), ())
        self._parts: dict[int, TablePart] = {}  # by their place, those that have been near the view
        self._heights: list[int] = []  # of all parts, px; estimated where there is no part
        self._band = (0, 0)  # px of this widget that are near the view
        self._marked = ("", -1)
        self._widths: list[int] = []
        self._align: list[Align] = []
        self._laid_out: tuple[int, Table | None] = (0, None)
        self._bar = QScrollBar(Qt.Orientation.Horizontal, self)
        self._bar.valueChanged.connect(self._on_scrolled)
        self._bar.setSingleStep(20)
        self._bar.hide()
        self._copy = TableCopy(paper, self)
        self._copy.clicked.connect(self._on_copy)

    def copy_menu(self) -> QMenu:
        """Return the forms in which the table can be copied; it goes away when it closes."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for words, form in (
            ("transcript-table-tsv", tsv_text),
            ("transcript-table-csv", csv_text),
            ("transcript-table-markdown", markdown_text),
        ):
            action = menu.addAction(self._paper.look.language.text(words))
            action.triggered.connect(lambda _=False, form=form: self._paper.copy(form(self._table)))
        return menu

    def enterEvent(self, event: QEnterEvent) -> None:
        """Offer copying while the mouse is over the table."""
        self._copy.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Show the table alone again."""
        self._copy.update()

    @Slot()
    def _on_copy(self) -> None:
        self.copy_menu().popup(self._copy.mapToGlobal(self._copy.rect().bottomLeft()))

    @property
    def table(self) -> Table:
        """What is shown."""
        return self._table

    @property
    def parts(self) -> list[TablePart]:
        """The text edits that hold the rows, from top to bottom."""
        return [self._parts[index] for index in sorted(self._parts)]

    def set_band(self, top: int, bottom: int) -> bool:
        """Say what is near the view, in pixels of this widget; True if parts are to be made."""
        self._band = top, bottom
        return any(index not in self._parts for index in self._near())

    def show_table(self, table: Table) -> None:
        """Show a table; one that grew keeps the rows that did not change."""
        self._table = table

    def refresh(self) -> None:
        """Set the cells anew whose formulas have been drawn."""
        self._laid_out = (0, None)
        for part in self._parts.values():
            part.refresh()

    def fit(self, width: int) -> int:
        """Lay the table out for a column's width, and return its height."""
        if self._laid_out != (width, self._table):
            settled = len(self._table.rows) > _SETTLED and self._laid_out[0] == width
            if not settled:
                self._widths = self._share_out(width)
            self._align = alignments(self._table, _SETTLED)
            self._count_parts()
            for index in self._parts:
                self._set_part(index)
            self._laid_out = width, self._table
        while missing := [index for index in self._near() if index not in self._parts]:
            self._set_part(
                missing[0]
            )  # it may be taller than was thought, and the last one not near
        return self._place(width)

    def _share_out(self, room: int) -> list[int]:
        """Return the widths of the columns; numbers are never broken over lines."""
        columns = zip(self._table.head, *self._table.rows[:_SETTLED], strict=True)
        needs = [need_of(column, self._paper) for column in columns]
        numbers = [align is Align.RIGHT for align in alignments(self._table, _SETTLED)]
        return share_out(
            [
                Need(n.whole, n.whole, n.unbreakable) if is_number else n
                for n, is_number in zip(needs, numbers, strict=True)
            ],
            room,
        )

    def _near(self) -> list[int]:
        """Return which parts stand in the band that is near the view."""
        top, bottom = self._band
        edges = list(accumulate(self._heights, initial=0))
        return [k for k, edge in enumerate(edges[:-1]) if edge <= bottom and edges[k + 1] >= top]

    def _count_parts(self) -> None:
        """Keep a place for every part, and let those go that are no more."""
        rows = len(self._table.rows)
        count = max(1, ceil(rows / _ROWS))
        for index in [index for index in self._parts if index >= count]:
            part = self._parts.pop(index)
            part.hide()
            part.deleteLater()
        row = self._paper.typeset.line(TABLE) + _PADDING
        known = self._heights[:count]
        sizes = [min(_ROWS, rows - index * _ROWS) + (index == 0) for index in range(count)]
        self._heights = [
            known[k] if k in self._parts and k < len(known) else size * row
            for k, size in enumerate(sizes)
        ]

    def _set_part(self, index: int) -> None:
        """Make a part, or show in it what the table has become."""
        is_new = index not in self._parts
        part = self._parts[index] = self._parts.get(index) or TablePart(self._paper, self)
        text, columns = self._paper.look.language.text, len(self._table.head)
        part.setAccessibleName(
            text("transcript-table", rows=len(self._table.rows), columns=columns)
        )
        own = self._table.rows[index * _ROWS : (index + 1) * _ROWS]
        part.show_rows(
            self._table.head if index == 0 else None,
            own,
            self._align,
            self._widths,
            is_last=index == len(self._heights) - 1,
        )
        self._heights[index] = part.tall()
        if is_new:
            part.show()
            words, nth = self._marked
            part.mark(words, nth - self._found_before(index, words) if words and nth >= 0 else -1)

    def _place(self, width: int) -> int:
        total, edges = sum(self._widths), list(accumulate(self._heights, initial=0))
        for index, part in self._parts.items():
            part.setGeometry(-self._bar.value(), edges[index], total, self._heights[index])
        self._bar.setRange(0, max(0, total - width))
        self._bar.setPageStep(width)
        self._bar.setVisible(total > width)
        self._bar.setGeometry(0, edges[-1], width, _BAR)
        self._copy.raise_()
        return edges[-1] + (_BAR if total > width else 0)

    # --- what is looked for -------------------------------------------------------------------

    def mark(self, words: str, current: int) -> None:
        """Mark words where they stand; ``current`` is which place is shown, -1 for none."""
        self._marked = words, current
        for index, part in self._parts.items():
            part.mark(words, current - self._found_before(index, words) if current >= 0 else -1)

    def place_of(self, words: str, nth: int) -> QRect:
        """Return where words stand for the ``nth`` time in this widget; empty for nowhere."""
        for index in range(len(self._heights)):
            count = self._count_in(index, words)
            if nth < count:
                self._set_part(index)
                self._place(self.width())
                part = self._parts[index]
                place = part.place_of(words, nth)
                return QRect(part.mapTo(self, place.topLeft()), place.size())
            nth -= count
        return QRect()

    def _found_before(self, part: int, words: str) -> int:
        return sum(self._count_in(index, words) for index in range(part))

    def _count_in(self, part: int, words: str) -> int:
        rows: Sequence[Cells] = self._table.rows[part * _ROWS : (part + 1) * _ROWS]
        shown = (self._table.head, *rows) if part == 0 else rows
        cells = (plain_text(cell).lower() for row in shown for cell in row)
        return sum(cell.count(words.lower()) for cell in cells)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the scroll bar at the foot."""
        self._bar.setGeometry(0, self.height() - _BAR, self.width(), _BAR)
        self._copy.move(self.width() - 26, 4)

    @Slot(int)
    def _on_scrolled(self, value: int) -> None:
        for part in self._parts.values():
            part.move(-value, part.y())
