"""A three-line table: heavy lines above and below, a thin one under the head, hairlines between.

Wider than the column, it scrolls sideways in its own frame. A long table is set in parts of some
rows, one under the other: a row more costs the same in a table of ten rows and of a thousand.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from PySide6.QtCore import QEvent, Qt, Slot
from PySide6.QtGui import QEnterEvent, QFontMetricsF, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QMenu, QScrollBar, QWidget

from app.rendering.blocks import Align, Inline, Table, plain_text
from app.rendering.table_text import csv_text, markdown_text, tsv_text
from app.ui.buttons import Tool
from app.ui.transcript.columns import Need, alignments, share_out
from app.ui.transcript.paper import TABLE, TABLE_HEAD, Paper
from app.ui.transcript.table_part import SIDE, TablePart

_ROWS = 16  # of a part: 3 ms to lay out
_SETTLED = 80  # rows: later ones do not change the columns any more
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
        self._parts: list[TablePart] = []
        self._widths: list[int] = []
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
        return self._parts

    def show_table(self, table: Table) -> None:
        """Show a table; one that grew keeps the rows that did not change."""
        self._table = table

    def refresh(self) -> None:
        """Set every row anew: its formulas have been drawn."""
        self._laid_out = (0, None)
        for part in self._parts:
            part.forget()

    def fit(self, width: int) -> int:
        """Lay the table out for a column's width, and return its height."""
        if self._laid_out != (width, self._table):
            settled = len(self._table.rows) > _SETTLED and self._laid_out[0] == width
            if not settled:
                self._widths = self._share_out(width)
            self._set_parts(alignments(self._table, _SETTLED))
            self._laid_out = width, self._table
        return self._place(width)

    def _share_out(self, room: int) -> list[int]:
        """Return the widths of the columns; numbers are never broken over lines."""
        head = QFontMetricsF(self._paper.typeset.font(TABLE_HEAD))
        body = QFontMetricsF(self._paper.typeset.font(TABLE))
        columns = zip(self._table.head, *self._table.rows[:_SETTLED], strict=True)
        needs = [_need(column, head, body) for column in columns]
        numbers = [align is Align.RIGHT for align in alignments(self._table, _SETTLED)]
        return share_out(
            [
                Need(n.whole, n.whole) if is_number else n
                for n, is_number in zip(needs, numbers, strict=True)
            ],
            room,
        )

    def _set_parts(self, align: Sequence[Align]) -> None:
        rows = self._table.rows
        text, columns = self._paper.look.language.text, len(self._table.head)
        name = text("transcript-table", rows=len(rows), columns=columns)
        count = max(1, ceil(len(rows) / _ROWS))
        for part in self._parts[count:]:
            part.hide()
            part.deleteLater()
        del self._parts[count:]
        for index in range(count):
            if index == len(self._parts):
                self._parts.append(TablePart(self._paper, self))
                self._parts[index].show()
            head = self._table.head if index == 0 else None
            own = rows[index * _ROWS : (index + 1) * _ROWS]
            is_last = index == count - 1
            self._parts[index].setAccessibleName(name)
            self._parts[index].show_rows(head, own, align, self._widths, is_last=is_last)

    def _place(self, width: int) -> int:
        total = sum(self._widths)
        y = 0
        for part in self._parts:
            tall = part.tall()
            part.setGeometry(-self._bar.value(), y, total, tall)
            y += tall
        self._bar.setRange(0, max(0, total - width))
        self._bar.setPageStep(width)
        self._bar.setVisible(total > width)
        self._bar.setGeometry(0, y, width, _BAR)
        self._copy.raise_()
        return y + (_BAR if total > width else 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the scroll bar at the foot."""
        self._bar.setGeometry(0, self.height() - _BAR, self.width(), _BAR)
        self._copy.move(self.width() - 26, 4)

    @Slot(int)
    def _on_scrolled(self, value: int) -> None:
        for part in self._parts:
            part.move(-value, part.y())


def _need(column: Sequence[tuple[Inline, ...]], head: QFontMetricsF, body: QFontMetricsF) -> Need:
    word = whole = 0.0
    for row, inlines in enumerate(column):
        metrics = body if row else head
        for line in plain_text(inlines).split("\n"):
            whole = max(whole, metrics.horizontalAdvance(line))
            longest = max(line.split(), key=len, default="")
            word = max(word, metrics.horizontalAdvance(longest) if longest.isascii() else 60.0)
    return Need(ceil(word) + 2 * SIDE + 2, ceil(whole) + 2 * SIDE + 2)
