"""The text of a code block: grows line by line, coloured as it grows, exact when it is closed."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from time import perf_counter

from PySide6.QtCore import QRect, Qt, QTimer, Slot
from PySide6.QtGui import (
    QColor,
    QSyntaxHighlighter,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextOption,
)
from PySide6.QtWidgets import QTextEdit, QWidget

from app.rendering.highlighting import LineLexer, Spans
from app.ui.transcript.paper import Paper
from app.ui.transcript.still_text import StillText, x_of
from app.ui.transcript.utf16 import settable, utf16_length

SIDE, TOP = 14, 9  # px around the code
BAR = 12  # px: the sideways scroll bar, where one is needed
_SLICE_S = 0.004  # of colouring at a time
_AT_ONCE = 40  # lines that are coloured at once, however long it takes


class Colours(QSyntaxHighlighter):
    """Hands the lexer's spans to the document's lines."""

    def __init__(self, document: QTextDocument, paper: Paper) -> None:
        super().__init__(document)
        self._paper = paper
        self._formats: dict[str, QTextCharFormat] = {}
        self.spans: list[Spans] = []

    def highlightBlock(self, text: str) -> None:
        """Colour one line."""
        line = self.currentBlock().blockNumber()
        for span in self.spans[line] if line < len(self.spans) else ():
            start = utf16_length(text[: span.start])
            length = utf16_length(text[span.start : span.start + span.length])
            self.setFormat(start, length, self._format(span.tone))

    def _format(self, tone: str) -> QTextCharFormat:
        if tone not in self._formats:
            made = QTextCharFormat()
            made.setForeground(QColor(self._paper.look.theme.color(tone)))
            made.setFontItalic(tone == "ink3")
            self._formats[tone] = made
        return self._formats[tone]


class CodeText(StillText):
    """The lines of one block of code."""

    def __init__(self, paper: Paper, language: str, parent: QWidget) -> None:
        super().__init__(paper, parent)
        self._text = ""
        self._wraps = False
        self._lexer = LineLexer(language)
        self._colours = Colours(self.document(), paper)
        self._exact: Iterator[None] | None = None
        self._slices = QTimer(self)
        self._slices.setInterval(0)
        self._slices.timeout.connect(self._on_slice)
        self._uncoloured = 0  # the first line whose colours are not shown yet
        self._painting = QTimer(self)
        self._painting.setInterval(0)
        self._painting.timeout.connect(self._on_painting)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setLineWrapMode(QTextEdit.LineWrapMode.NoWrap)
        self.setFont(paper.look.theme.font("code"))
        self.document().setDefaultFont(self.font())
        self.setViewportMargins(SIDE, TOP, SIDE, TOP)
        option = self.document().defaultTextOption()
        option.setTextDirection(Qt.LayoutDirection.LeftToRight)
        option.setTabStopDistance(4 * self.fontMetrics().horizontalAdvance(" "))
        self.document().setDefaultTextOption(option)
        self._line_format = QTextBlockFormat()
        self._line = paper.look.theme.line_height("code")
        fixed = QTextBlockFormat.LineHeightTypes.FixedHeight.value
        self._line_format.setLineHeight(self._line, fixed)
        self._plain = QTextCharFormat()
        self._plain.setFont(self.font())
        self._plain.setForeground(paper.look.theme.color("ink"))
        QTextCursor(self.document()).setBlockFormat(self._line_format)

    @property
    def text(self) -> str:
        """The code as it was written."""
        return self._text

    def show_code(self, text: str, *, closed: bool) -> None:
        """Show code; what it shares with the code shown is not touched."""
        if text.startswith(self._text):
            self._append(text[len(self._text) :])
        elif text != self._text:
            self._replace(text)
        self._text = text
        self._colour(text, closed=closed)

    def set_wrap(self, wraps: bool) -> None:
        """Break long lines, or scroll sideways."""
        self._wraps = wraps
        mode = QTextEdit.LineWrapMode
        self.setLineWrapMode(mode.WidgetWidth if wraps else mode.NoWrap)
        self.setWordWrapMode(
            QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere
            if wraps
            else QTextOption.WrapMode.NoWrap
        )

    def fit(self, width: int) -> int:
        """Return the height for a width."""
        inner = width - 2 * SIDE
        if self._wraps:
            self.document().setTextWidth(inner)
            return ceil(self.document().size().height()) + 2 * TOP
        bar = BAR if ceil(self.document().idealWidth()) > inner else 0
        return self.document().blockCount() * self._line + 2 * TOP + bar

    def caret(self) -> QRect:
        """Return where the reply's caret stands: after the last glyph, in this widget."""
        block = self.document().lastBlock()
        line = block.layout().lineAt(max(0, block.layout().lineCount() - 1))
        x = x_of(line, block.length() - 1) if line.isValid() else 0.0
        top = self.document().documentLayout().blockBoundingRect(block).bottom() - self._line
        left = SIDE + x - self.horizontalScrollBar().value()
        return QRect(round(left) + 2, round(TOP + top) + 1, 3, self._paper.look.theme.px(18))

    # --- growing ------------------------------------------------------------------------------

    def _append(self, new: str) -> None:
        if not new:
            return
        hold = self.textCursor()
        if hold.hasSelection():
            hold.setKeepPositionOnInsert(True)
            self.setTextCursor(hold)
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.beginEditBlock()
        first, *rest = (settable(line) for line in new.split("\n"))
        at_start = self.document().isEmpty()
        cursor.insertText(first, self._plain)
        for line in rest:
            cursor.insertBlock(self._line_format, self._plain)
            cursor.insertText(line, self._plain)
        cursor.endEditBlock()
        if at_start:
            self.rest_cursor()

    def _replace(self, text: str) -> None:
        self.document().clear()
        QTextCursor(self.document()).setBlockFormat(self._line_format)
        self._lexer.restart()
        self._append(text)

    # --- colours ------------------------------------------------------------------------------

    def _colour(self, text: str, *, closed: bool) -> None:
        if not self._lexer.colours:
            return
        known = len(self._lexer.spans)
        lines = text.split("\n")
        whole = len(lines) if closed else len(lines) - 1
        first = self._push(lines[known:whole])
        tail = [] if closed else [self._lexer.preview(settable(lines[-1]))]
        self._colours.spans = [*self._lexer.spans, *tail]
        self._recolour(first)
        if closed and whole > known and known:
            self._exact = self._lexer.exact()
            self._slices.start()

    def _push(self, lines: list[str]) -> int:
        known = len(self._lexer.spans)
        return self._lexer.push([settable(line) for line in lines]) if lines else known

    def _recolour(self, first: int) -> None:
        """Show the colours from a line on: some at once, the rest in slices."""
        self._uncoloured = min(first, self._uncoloured) if self._painting.isActive() else first
        self._painting.start()
        self._on_painting()

    @Slot()
    def _on_painting(self) -> None:
        until, begun = perf_counter() + _SLICE_S, self._uncoloured
        block = self.document().findBlockByNumber(begun)
        while block.isValid():
            if perf_counter() > until and self._uncoloured - begun >= _AT_ONCE:
                return
            self._colours.rehighlightBlock(block)
            self._uncoloured += 1
            block = block.next()
        self._painting.stop()

    @Slot()
    def _on_slice(self) -> None:
        """Read on for a few milliseconds; when all is read, show what differs."""
        until = perf_counter() + _SLICE_S
        before = self._colours.spans
        for _ in self._exact or ():
            if perf_counter() > until:
                return
        self._slices.stop()
        self._exact = None
        self._colours.spans = list(self._lexer.spans)
        for line, (old, new) in enumerate(zip(before, self._colours.spans, strict=False)):
            if old != new:
                self._colours.rehighlightBlock(self.document().findBlockByNumber(line))
