"""A three-line table: heavy lines above and below, a thin one under the head, hairlines between.

Wider than the column, it scrolls sideways in its own frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import (
    QFontMetricsF,
    QPainter,
    QPaintEvent,
    QTextBlockFormat,
    QTextCursor,
    QTextFrameFormat,
    QTextLength,
    QTextTable,
    QTextTableCell,
    QTextTableFormat,
)
from PySide6.QtWidgets import QTextEdit, QWidget

from app.rendering.blocks import Align, Inline, Table, plain_text
from app.ui.transcript.columns import Need, alignments, share_out
from app.ui.transcript.paper import TABLE, TABLE_HEAD, Manner, Paper
from app.ui.transcript.pieces import pieces_of, write
from app.ui.transcript.prose import StillText, code_grounds

_SIDE, _TOP = 12, 3  # px: padding of a cell
_BAR = 12  # px: the sideways scroll bar, where one is needed
_SETTINGS = {
    Align.NONE: Qt.AlignmentFlag.AlignLeft,
    Align.LEFT: Qt.AlignmentFlag.AlignLeft,
    Align.CENTER: Qt.AlignmentFlag.AlignHCenter,
    Align.RIGHT: Qt.AlignmentFlag.AlignRight,
}


class TableView(StillText):
    """One table."""

    def __init__(self, paper: Paper, parent: QWidget) -> None:
        super().__init__(paper, parent)
        self._table: Table | None = None
        self._room = 0
        self.accept_formulas()
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)

    def show_table(self, table: Table) -> None:
        """Show a table; one that grew is set anew."""
        self._table = table
        self._room = 0

    def fit(self, width: int) -> int:
        """Lay the table out for a column's width, and return its height."""
        if self._table is None:
            return 0
        if width != self._room:
            self._room = width
            self._set(self._table, self._widths(self._table, width))
        wide = round(self.document().idealWidth()) > width
        bar = _BAR if wide else 0
        return ceil(self.document().size().height()) + bar

    def _widths(self, table: Table, room: int) -> list[int]:
        head = QFontMetricsF(self._paper.typeset.font(TABLE_HEAD))
        body = QFontMetricsF(self._paper.typeset.font(TABLE))
        columns = zip(table.head, *table.rows, strict=True)
        needs = [_need(column, head, body) for column in columns]
        whole = [align is Align.RIGHT for align in alignments(table)]
        return share_out(
            [Need(n.whole, n.whole) if w else n for n, w in zip(needs, whole, strict=True)], room
        )

    def _set(self, table: Table, widths: Sequence[int]) -> None:
        total = sum(widths)
        self.setLineWrapMode(QTextEdit.LineWrapMode.FixedPixelWidth)
        self.setLineWrapColumnOrWidth(total)
        self.document().clear()
        self.document().setTextWidth(total)
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        form = QTextTableFormat()
        form.setBorderCollapse(True)
        form.setBorder(0)
        form.setCellPadding(0)
        form.setCellSpacing(0)
        form.setHeaderRowCount(1)
        fixed = QTextLength.Type.FixedLength
        form.setWidth(QTextLength(fixed, total))
        form.setColumnWidthConstraints([QTextLength(fixed, width) for width in widths])
        made = cursor.insertTable(1 + len(table.rows), len(table.head), form)
        self._fill(made, table)
        self._hide_outside(cursor)
        cursor.endEditBlock()
        self.rest_cursor()

    def _fill(self, made: QTextTable, table: Table) -> None:
        align = alignments(table)
        last = len(table.rows)
        for row, cells in enumerate((table.head, *table.rows)):
            for column, inlines in enumerate(cells):
                cell = made.cellAt(row, column)
                self._rule(cell, row, last)
                manner = TABLE if row else TABLE_HEAD
                self._write(cell.firstCursorPosition(), inlines, align[column], manner)

    def _write(
        self, cursor: QTextCursor, inlines: tuple[Inline, ...], align: Align, manner: Manner
    ) -> None:
        form = QTextBlockFormat()
        line = self._paper.typeset.line(manner)
        form.setLineHeight(line, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        form.setAlignment(_SETTINGS[align])
        cursor.setBlockFormat(form)
        write(cursor, pieces_of(inlines, manner, self._paper), manner, self._paper)

    def _rule(self, cell: QTextTableCell, row: int, last: int) -> None:
        """Draw the lines of a cell and set its padding."""
        form = cell.format().toTableCellFormat()
        form.setLeftPadding(_SIDE)
        form.setRightPadding(_SIDE)
        form.setTopPadding(_TOP)
        form.setBottomPadding(_TOP)
        solid = QTextFrameFormat.BorderStyle.BorderStyle_Solid
        ink, line = self._paper.look.theme.color("ink"), self._paper.look.theme.color("line")
        if row == 0:
            form.setTopBorder(2)
            form.setTopBorderStyle(solid)
            form.setTopBorderBrush(ink)
        form.setBottomBorder(2 if row == last and last else 1)
        form.setBottomBorderStyle(solid)
        form.setBottomBorderBrush(ink if row in {0, last} else line)
        cell.setFormat(form)

    def _hide_outside(self, cursor: QTextCursor) -> None:
        """Shrink the empty paragraphs that a document has before and after a table."""
        form = QTextBlockFormat()
        form.setLineHeight(0.01, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        for place in (QTextCursor.MoveOperation.Start, QTextCursor.MoveOperation.End):
            cursor.movePosition(place)
            cursor.setBlockFormat(form)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the grounds of inline code, then the table."""
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._paper.look.theme.color("stone2"))
        painter.translate(-self.horizontalScrollBar().value(), 0)
        for rect in self._grounds():
            painter.drawRoundedRect(rect, 4, 4)
        painter.end()
        super().paintEvent(event)

    def _grounds(self) -> list[QRectF]:
        tall = self._paper.look.theme.px(20)
        grounds: list[QRectF] = []
        block = self.document().begin()
        while block.isValid():
            grounds += code_grounds(block, tall)
            block = block.next()
        return grounds


def _need(column: Sequence[tuple[Inline, ...]], head: QFontMetricsF, body: QFontMetricsF) -> Need:
    word = whole = 0.0
    for row, inlines in enumerate(column):
        metrics = body if row else head
        for line in plain_text(inlines).split("\n"):
            whole = max(whole, metrics.horizontalAdvance(line))
            longest = max(line.split(), key=len, default="")
            word = max(word, metrics.horizontalAdvance(longest) if longest.isascii() else 60.0)
    return Need(ceil(word) + 2 * _SIDE + 2, ceil(whole) + 2 * _SIDE + 2)
