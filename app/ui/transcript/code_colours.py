"""Colours on the rows of a block of code."""

from __future__ import annotations

from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor, QTextDocument, QTextLayout

from app.rendering.highlighting import Span, Spans
from app.ui.transcript.colouring import Colouring
from app.ui.transcript.paper import Paper
from app.ui.transcript.utf16 import utf16_length


class CodeColours:
    """Hands the colours that are known to the document's rows, and knows which are shown.

    Not a QSyntaxHighlighter: each row that it colours makes Qt go through all rows below it once
    more, 4 ms in a block of 3,000 lines. Here some rows are coloured in one change.
    """

    def __init__(self, document: QTextDocument, paper: Paper, colouring: Colouring) -> None:
        self._document = document
        self._paper = paper
        self._colouring = colouring
        self._formats: dict[str, QTextCharFormat] = {}
        self._shown: dict[int, Spans] = {}

    def forget(self) -> None:
        """The document begins again."""
        self._shown.clear()

    def show(self, first: int, last: int) -> None:
        """Show the colours of some rows as they are known now."""
        rows = [
            row
            for row in range(first, last)
            if self._shown.get(row, ()) != self._colouring.spans(row)
        ]
        if not rows:
            return
        cursor = QTextCursor(self._document)
        cursor.beginEditBlock()
        for row in rows:
            block = self._document.findBlockByNumber(row)
            spans = self._shown[row] = self._colouring.spans(row)
            text = block.text()
            block.layout().setFormats([self._range(text, span) for span in spans])
        cursor.endEditBlock()

    def _range(self, text: str, span: Span) -> QTextLayout.FormatRange:
        found = QTextLayout.FormatRange()
        found.start = utf16_length(text[: span.start])
        found.length = utf16_length(text[span.start : span.start + span.length])
        found.format = self._format(span.tone)
        return found

    def _format(self, tone: str) -> QTextCharFormat:
        if tone not in self._formats:
            made = QTextCharFormat()
            made.setForeground(QColor(self._paper.look.theme.color(tone)))
            made.setFontItalic(tone == "ink3")
            self._formats[tone] = made
        return self._formats[tone]
