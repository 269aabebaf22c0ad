"""Running text: a read-only text edit exactly as tall as its text.

The height is a whole number of lines, so nothing jumps while text grows. Links open on a click or
with Enter, never by themselves.
"""

from __future__ import annotations

from math import ceil

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import (
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QTextBlockFormat,
    QTextCursor,
)
from PySide6.QtWidgets import QTextEdit, QWidget

from app.rendering.blocks import Inline
from app.ui.transcript.paper import Manner, Paper
from app.ui.transcript.pieces import (
    Piece,
    added_at_end,
    after,
    common_length,
    format_of,
    has_tall,
    pieces_of,
    write,
)
from app.ui.transcript.seams import Seams
from app.ui.transcript.spots import carried, take_between
from app.ui.transcript.still_text import StillText, code_grounds, x_of
from app.ui.transcript.utf16 import utf16_length

_GROUND = 20  # px: height of the ground behind inline code at 100 %


class Prose(StillText):
    """One paragraph, heading or part of a question."""

    def __init__(self, paper: Paper, manner: Manner, parent: QWidget) -> None:
        super().__init__(paper, parent)
        self._manner = manner
        self._pieces: list[Piece] = []
        self._pressed_link = ""
        self._seams = Seams()
        self.setLineWrapMode(QTextEdit.LineWrapMode.FixedPixelWidth)
        # the likely width: words that come before one is set would be set a letter a line
        self.setLineWrapColumnOrWidth(paper.look.theme.prose)
        self._set_lines(tall=False)

    def _set_lines(self, *, tall: bool) -> None:
        """Set all lines at one height, or let those grow that hold something tall."""
        self._is_tall = tall
        heights = QTextBlockFormat.LineHeightTypes
        form = QTextBlockFormat()
        kind = heights.MinimumHeight if tall else heights.FixedHeight
        form.setLineHeight(self._paper.typeset.line(self._manner), kind.value)
        QTextCursor(self.document()).setBlockFormat(form)

    def show_inlines(self, inlines: tuple[Inline, ...]) -> None:
        """Show a paragraph; what it shares with the one shown is not touched."""
        new = pieces_of(inlines, self._manner, self._paper)
        if (added := added_at_end(self._pieces, new)) and not self.has_selection():
            self._add(added)
            self._pieces = new
            return
        shared = common_length(self._pieces, new)
        held = self.textCursor()
        anchor, position = held.anchor(), held.position()
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        kept = "".join(piece.text for piece in new)[:shared]
        cursor.setPosition(utf16_length(kept))
        cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()
        self._prepare_formulas(new)
        write(cursor, after(new, shared), self._manner, self._paper)
        cursor.endEditBlock()
        if anchor != position:
            first = carried(anchor, self._pieces, new, is_end=anchor > position)
            last = carried(position, self._pieces, new, is_end=anchor < position)
            self.setTextCursor(take_between(self.textCursor(), first, last))
        self._pieces = new
        linked = any(piece.link for piece in new)
        policy = Qt.FocusPolicy.StrongFocus if linked else Qt.FocusPolicy.ClickFocus
        self.setFocusPolicy(policy)
        self.viewport().setMouseTracking(linked)

    def _add(self, piece: Piece) -> None:
        """Set more text at the end, and paint no more than the lines that it changes."""
        view, tall = self.viewport(), self.height()
        view.setAttribute(Qt.WidgetAttribute.WA_UpdatesDisabled)  # Qt would paint all of them
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText(piece.text, format_of(piece, self._manner, self._paper))
        view.setAttribute(Qt.WidgetAttribute.WA_UpdatesDisabled, False)
        first = tall - self._paper.typeset.line(self._manner)
        view.update(0, first, view.width(), 1 << 20)

    def _prepare_formulas(self, pieces: list[Piece]) -> None:
        if any(piece.formula for piece in pieces):
            if self._formulas is None:
                self.accept_formulas()
            self._set_lines(tall=has_tall(pieces, self._manner, self._paper))

    def fit(self, width: int) -> int:
        """Lay the text out to a width, and return its height."""
        if self.lineWrapColumnOrWidth() != width:
            self.setLineWrapColumnOrWidth(width)
        return max(ceil(self.document().size().height()), self._paper.typeset.line(self._manner))

    def drop(self) -> float:
        """Return how much lower the first line's letters stand than in a line without formulas."""
        line = self.document().begin().layout().lineAt(0)
        if not self._is_tall or not line.isValid():
            return 0.0
        usual = 0.8 * self._paper.typeset.line(self._manner)  # Qt's rule for lines of one height
        return line.y() + line.ascent() - usual

    def caret(self) -> QRect:
        """Return where the reply's caret stands: after the last glyph."""
        block = self.document().lastBlock()
        line = block.layout().lineAt(max(0, block.layout().lineCount() - 1))
        if not line.isValid():
            return QRect(0, 0, 3, 18)
        x = x_of(line, block.length() - 1)
        corner = self.document().documentLayout().blockBoundingRect(block).topLeft()
        bottom = corner.y() + line.y() + line.height()
        typeset = self._paper.typeset
        middle = bottom - typeset.line(self._manner) + typeset.middle(self._manner) - 1
        tall = self._paper.look.theme.px(18)
        return QRect(round(corner.x() + x) + 2, round(middle - tall / 2) + 1, 3, tall)

    # --- what is looked for -------------------------------------------------------------------

    def set_seams(self, seams: Seams) -> None:
        """Say what of the words that are looked for next stands across the paragraph's ends."""
        self._seams = seams

    def mark(self, words: str, current: int) -> int:
        """Mark words where they stand, their halves at the ends too."""
        count = super().mark(words, current)
        if words and self._seams.head:
            head = QTextCursor(self.document())
            head.setPosition(self._seams.head, QTextCursor.MoveMode.KeepAnchor)
            mark = self.marked(head, is_shown=self._seams.is_head_shown)
            self.setExtraSelections([mark, *self.extraSelections()])
        return count

    def count_of(self, words: str) -> int:
        """Return how often words begin here."""
        return super().count_of(words) + bool(self._seams.tail)

    def places(self, words: str) -> list[QTextCursor]:
        """Return where words stand; the last may go on in the next piece of the paragraph."""
        found = super().places(words)
        if words and self._seams.tail:
            tail = QTextCursor(self.document())
            tail.movePosition(QTextCursor.MoveOperation.End)
            start = tail.position() - self._seams.tail
            tail.setPosition(start, QTextCursor.MoveMode.KeepAnchor)
            found.append(tail)
        return found

    # --- links --------------------------------------------------------------------------------

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show the hand, and where a link leads, over a link."""
        super().mouseMoveEvent(event)
        link = self.anchorAt(event.position().toPoint())
        shape = Qt.CursorShape.PointingHandCursor if link else Qt.CursorShape.IBeamCursor
        self.viewport().setCursor(shape)
        self.setToolTip(link)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Remember the link under the press: it opens only if released there."""
        self._pressed_link = ""
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed_link = self.anchorAt(event.position().toPoint())
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Open the link that was clicked, unless the mouse selected text."""
        super().mouseReleaseEvent(event)
        pressed, self._pressed_link = self._pressed_link, ""
        released = self.anchorAt(event.position().toPoint())
        if pressed and released == pressed and not self.has_selection():
            self._paper.open_link(pressed)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the link that Tab has reached with Enter."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            link = self.textCursor().charFormat().anchorHref()
            if link and self.has_selection():
                self._paper.open_link(link)
                return
        super().keyPressEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Step from link to link inside the text, then on to the next control."""
        links = self._links()
        at = (
            self.textCursor().selectionStart()
            if self.has_selection()
            else (-1 if forward else 10**9)
        )
        order = links if forward else links[::-1]
        for start, end in order:
            if (start > at) if forward else (start < at):
                cursor = self.textCursor()
                cursor.setPosition(start)
                cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
                self.setTextCursor(cursor)
                return True
        cursor = self.textCursor()
        cursor.clearSelection()
        self.setTextCursor(cursor)
        return super().focusNextPrevChild(forward)

    def _links(self) -> list[tuple[int, int]]:
        """Return (start, end) of every link in the text."""
        spans: list[tuple[int, int]] = []
        position = 0
        for piece in self._pieces:
            end = position + utf16_length(piece.text)
            if piece.link:
                spans.append((position, end))
            position = end
        return spans

    # --- painting -----------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the grounds of inline code, then the text."""
        if any(piece.pad for piece in self._pieces):
            painter = QPainter(self.viewport())
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._paper.look.theme.color("stone2"))
            tall = self._paper.look.theme.px(_GROUND)
            for rect in code_grounds(self.document().begin(), tall):
                painter.drawRoundedRect(rect, 4, 4)
            painter.end()
        super().paintEvent(event)
