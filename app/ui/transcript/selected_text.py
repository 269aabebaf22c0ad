"""What is selected in one text, as it is read: for the clipboard."""

from __future__ import annotations

from typing import cast

from PySide6.QtGui import QTextCharFormat, QTextCursor, QTextDocument, QTextFragment

from app.ui.transcript.inline_formula import OBJECT, key_of
from app.ui.transcript.paper import GOES_ON, PAD
from app.ui.transcript.utf16 import utf16_slice


def selected_text(cursor: QTextCursor) -> str:
    """Return the selected words as they are read, without padding; cells as rows with tabs."""
    table = cursor.currentTable()
    if table is None or not cursor.hasComplexSelection():
        return _text_between(cursor.document(), cursor.selectionStart(), cursor.selectionEnd())
    found: object = cursor.selectedTableCells()  # a tuple in PySide, its annotation has other names
    row, rows, column, columns = cast(tuple[int, int, int, int], found)
    cells = [
        [table.cellAt(row + below, column + right) for right in range(columns)]
        for below in range(rows)
    ]
    return "\n".join(
        "\t".join(
            _text_between(cursor.document(), cell.firstPosition(), cell.lastPosition())
            for cell in each
        )
        for each in cells
    )


def _text_between(document: QTextDocument, start: int, end: int) -> str:
    parts: list[str] = []
    block = document.findBlock(start)
    while block.isValid() and block.position() < end:
        fragments = block.begin()
        while not fragments.atEnd():
            fragment = fragments.fragment()
            form = fragment.charFormat()
            if form.objectType() == OBJECT:
                parts.append(_sources(form, fragment, start, end))
            elif not form.hasProperty(PAD):
                first = max(0, start - fragment.position())
                last = max(first, end - fragment.position())
                parts.append(utf16_slice(fragment.text(), first, last))
            fragments += 1
        block = block.next()
        goes_on = block.blockFormat().hasProperty(GOES_ON)
        if block.isValid() and block.position() <= end and not goes_on:
            parts.append("\n")
    return "".join(parts).replace("\u2028", "\n").removesuffix("\n")


def _sources(form: QTextCharFormat, fragment: QTextFragment, start: int, end: int) -> str:
    """Return the LaTeX of the formulas in a fragment, as often as it stands there."""
    first, last = max(start, fragment.position()), min(end, fragment.position() + fragment.length())
    return f"${key_of(form).source}$" * max(0, last - first)
