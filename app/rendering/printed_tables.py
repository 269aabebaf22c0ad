"""Tables on paper: three lines, and hairlines between the rows."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QColor,
    QTextFrameFormat,
    QTextLength,
    QTextTable,
    QTextTableCellFormat,
    QTextTableFormat,
)

from app.rendering.blocks import Align

_THICK, _THIN, _HAIR = 1.6, 0.9, 0.5  # px

ALIGN = {
    Align.NONE: Qt.AlignmentFlag.AlignLeft,
    Align.LEFT: Qt.AlignmentFlag.AlignLeft,
    Align.CENTER: Qt.AlignmentFlag.AlignHCenter,
    Align.RIGHT: Qt.AlignmentFlag.AlignRight,
}


def table_format() -> QTextTableFormat:
    """Return the format of a table as wide as the page, its head repeated on each page."""
    form = QTextTableFormat()
    form.setBorder(0)
    form.setCellSpacing(0)
    form.setBorderCollapse(True)
    form.setHeaderRowCount(1)
    form.setTopMargin(6)
    form.setBottomMargin(10)
    form.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
    return form


def rule_cell(
    table: QTextTable, row: int, column: int, colors: Mapping[str, str], *, last: bool
) -> None:
    """Draw the lines of a cell: thick above and below the table, thin under its head."""
    cell = table.cellAt(row, column)
    form = QTextTableCellFormat()
    form.setPadding(5)
    solid = QTextFrameFormat.BorderStyle.BorderStyle_Solid
    if row == 0:
        form.setTopBorder(_THICK)
        form.setTopBorderStyle(solid)
        form.setTopBorderBrush(QColor(colors["ink"]))
    form.setBottomBorder(_THICK if last else _THIN if row == 0 else _HAIR)
    form.setBottomBorderStyle(solid)
    quiet = not last and row > 0
    form.setBottomBorderBrush(QColor(colors["line" if quiet else "ink"]))
    cell.setFormat(form)
