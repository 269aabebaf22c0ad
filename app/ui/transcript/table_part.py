"""Some rows of a table in one text edit, ruled by the borders of its cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import (
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

from app.rendering.blocks import Align, Inline, plain_text
from app.ui.transcript.paper import TABLE, TABLE_HEAD, Manner, Paper
from app.ui.transcript.pieces import Piece, has_tall, pieces_of, write
from app.ui.transcript.spots import carried, take_between
from app.ui.transcript.still_text import StillText, code_grounds

SIDE, _TOP = 12, 3  # px: padding of a cell
_SETTINGS = {
    Align.NONE: Qt.AlignmentFlag.AlignLeft,
    Align.LEFT: Qt.AlignmentFlag.AlignLeft,
    Align.CENTER: Qt.AlignmentFlag.AlignHCenter,
    Align.RIGHT: Qt.AlignmentFlag.AlignRight,
}

Cells = tuple[tuple[Inline, ...], ...]


@dataclass(frozen=True, slots=True)
class _End:
    """One end of a selection: how far behind the beginning of a cell, and what the cell held."""

    is_end: bool
    row: int = -1  # outside of all cells
    column: int = -1
    offset: int = 0
    pieces: Sequence[Piece] = ()


class TablePart(StillText):
    """Rows of a table, with or without its head."""

    def __init__(self, paper: Paper, parent: QWidget) -> None:
        super().__init__(paper, parent)
        self._rows: list[Cells] = []  # the head, if it is here, is the first
        self._align: list[Align] = []
        self._widths: list[int] = []
        self._has_head = False
        self._is_last = False
        self._made: QTextTable | None = None
        self._cells: dict[tuple[int, int], list[Piece]] = {}  # what is set, by row and column
        self._is_stale = False
        self.setLineWrapMode(QTextEdit.LineWrapMode.FixedPixelWidth)
        self.accept_formulas()

    def refresh(self) -> None:
        """Set the cells whose formulas have been drawn anew at the next occasion."""
        self._is_stale = True

    def show_rows(
        self,
        head: Cells | None,
        rows: Sequence[Cells],
        align: Sequence[Align],
        widths: Sequence[int],
        *,
        is_last: bool,
    ) -> None:
        """Show rows; those that are shown already are not touched."""
        new = [*([head] if head is not None else []), *rows]
        grows = self._made is not None and self._align == [*align] and len(new) >= len(self._rows)
        known = self._shared(new) if grows else 0
        changed = self._is_last != is_last
        same = grows and known == len(new) and not changed and self._widths == [*widths]
        if same and not self._is_stale:
            return
        first = 0 if self._is_stale else max(0, known - 1)
        self._is_stale, ends = False, self._ends()
        self._has_head, self._is_last = head is not None, is_last
        if self.lineWrapColumnOrWidth() != sum(widths):
            self.setLineWrapColumnOrWidth(sum(widths))
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        if known:
            self._grow(len(new), widths)
        else:
            self._begin(len(new), widths)
        self._rows, self._align, self._widths = new, [*align], [*widths]
        self.setAccessibleDescription("; ".join(map(_in_words, new)))
        self._fill(first, max(0, known - 1))  # the last row so far has another line below it now
        cursor.endEditBlock()
        self._take_between(ends)
        self.rest_cursor()

    def tall(self) -> int:
        """Return the height."""
        return ceil(self.document().size().height())

    def _shared(self, new: list[Cells]) -> int:
        """Return how many rows, from the first, are shown already."""
        pairs = zip(self._rows, new, strict=False)
        return next((k for k, (a, b) in enumerate(pairs) if a != b), len(self._rows))

    def _begin(self, rows: int, widths: Sequence[int]) -> None:
        self.document().clear()
        self._cells.clear()
        cursor = QTextCursor(self.document())
        self._made = cursor.insertTable(rows, len(widths), _form(widths))
        form = QTextBlockFormat()  # an empty paragraph stands before and after every table
        form.setLineHeight(0.01, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        for place in (QTextCursor.MoveOperation.Start, QTextCursor.MoveOperation.End):
            cursor.movePosition(place)
            cursor.setBlockFormat(form)

    def _grow(self, rows: int, widths: Sequence[int]) -> None:
        if self._made is None:
            return
        if rows > len(self._rows):
            self._made.appendRows(rows - len(self._rows))
        if self._widths != [*widths]:
            self._made.setFormat(_form(widths))

    def _fill(self, first: int, unruled: int) -> None:
        """Set the cells from a row on that changed, and draw lines for those from ``unruled``."""
        made = self._made
        if made is None:
            return
        for row in range(first, len(self._rows)):
            is_head = self._has_head and row == 0
            for column, inlines in enumerate(self._rows[row]):
                cell = made.cellAt(row, column)
                if row >= unruled:
                    self._rule(cell, is_head=is_head, is_last=row == len(self._rows) - 1)
                manner = TABLE_HEAD if is_head else TABLE
                pieces = pieces_of(inlines, manner, self._paper)
                if self._cells.get((row, column)) == pieces:
                    continue
                cursor = cell.firstCursorPosition()
                end = cell.lastCursorPosition().position()
                cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
                cursor.removeSelectedText()
                self._write(cursor, pieces, self._align[column], manner)
                self._cells[row, column] = pieces

    def _write(
        self, cursor: QTextCursor, pieces: list[Piece], align: Align, manner: Manner
    ) -> None:
        form = QTextBlockFormat()
        line = self._paper.typeset.line(manner)
        kinds = QTextBlockFormat.LineHeightTypes
        grows = has_tall(pieces, manner, self._paper)
        form.setLineHeight(line, (kinds.MinimumHeight if grows else kinds.FixedHeight).value)
        form.setAlignment(_SETTINGS[align])
        cursor.setBlockFormat(form)
        write(cursor, pieces, manner, self._paper)

    def _ends(self) -> tuple[_End, _End] | None:
        """Return the first and the last place of what is selected, turned if it was made so."""
        cursor = self.textCursor()
        anchor, position = cursor.anchor(), cursor.position()
        if anchor == position:
            return None
        return (
            self._end_at(anchor, is_end=anchor > position),
            self._end_at(position, is_end=anchor < position),
        )

    def _end_at(self, position: int, *, is_end: bool) -> _End:
        cell = self._made.cellAt(position) if self._made is not None else None
        if cell is None or not cell.isValid():
            return _End(is_end)
        row, column = cell.row(), cell.column()
        held = self._cells.get((row, column), [])
        return _End(is_end, row, column, position - cell.firstPosition(), held)

    def _take_between(self, ends: tuple[_End, _End] | None) -> None:
        """Select again what was selected before its cells were set anew."""
        if ends is not None:
            anchor, position = map(self._position_of, ends)
            self.setTextCursor(take_between(self.textCursor(), anchor, position))

    def _position_of(self, end: _End) -> int:
        now = self._cells.get((end.row, end.column))
        if self._made is None or now is None:
            return self.document().characterCount() - 1 if end.is_end else 0
        first = self._made.cellAt(end.row, end.column).firstPosition()
        return first + carried(end.offset, end.pieces, now, is_end=end.is_end)

    def _rule(self, cell: QTextTableCell, *, is_head: bool, is_last: bool) -> None:
        """Draw the lines of a cell and set its padding."""
        form = cell.format().toTableCellFormat()
        form.setLeftPadding(SIDE)
        form.setRightPadding(SIDE)
        form.setTopPadding(_TOP)
        form.setBottomPadding(_TOP)
        solid = QTextFrameFormat.BorderStyle.BorderStyle_Solid
        ink, line = self._paper.look.theme.color("ink"), self._paper.look.theme.color("line")
        if is_head:
            form.setTopBorder(2)
            form.setTopBorderStyle(solid)
            form.setTopBorderBrush(ink)
        is_end = is_last and self._is_last
        form.setBottomBorder(2 if is_end and not is_head else 1)
        form.setBottomBorderStyle(solid)
        form.setBottomBorderBrush(ink if is_head or is_end else line)
        cell.setFormat(form)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the grounds of inline code, then the rows."""
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._paper.look.theme.color("stone2"))
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


def _in_words(row: Cells) -> str:
    """Return a row as it is read out: the text of a table edit is full of marks of frames."""
    return ", ".join(" ".join(plain_text(cell).split()) for cell in row)


def _form(widths: Sequence[int]) -> QTextTableFormat:
    """Return a table's format: no lines of its own, columns of fixed widths."""
    form = QTextTableFormat()
    form.setBorderCollapse(True)
    form.setBorder(0)
    form.setCellPadding(0)
    form.setCellSpacing(0)
    fixed = QTextLength.Type.FixedLength
    form.setWidth(QTextLength(fixed, sum(widths)))
    form.setColumnWidthConstraints([QTextLength(fixed, width) for width in widths])
    return form
