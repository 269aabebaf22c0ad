"""What the model thought before it answered: a line that opens into the whole.

Closed by default, so that nothing moves when the answer begins; a reply that has no answer is
shown with its thought open, never as an empty reply.
"""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QWidget

from app.chat.turn import Turn
from app.rendering.blocks import Block
from app.ui.buttons import Tool
from app.ui.transcript.column import Column
from app.ui.transcript.live import Live
from app.ui.transcript.paper import THOUGHT, Paper

_CLOSED, _OPEN = 28, 32  # px: the line's height
_SIDE, _TOP = 14, 10  # px around the text


class ThoughtLine(QAbstractButton):
    """The line: an arrow, how long, how many tokens."""

    def __init__(self, paper: Paper, parent: QWidget) -> None:
        super().__init__(parent)
        self._paper = paper
        self._lead, self._tail = "", ""
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def say(self, lead: str, tail: str) -> None:
        """Show how long the model thought and, quietly, how many tokens that took."""
        if (lead, tail) != (self._lead, self._tail):
            self._lead, self._tail = lead, tail
            self.setAccessibleName(f"{lead} {tail}".strip())
            self.update()

    def wanted_width(self) -> int:
        """Return how wide the closed line is."""
        metrics = QFontMetrics(self._paper.look.theme.font("small"))
        words = metrics.horizontalAdvance(self._lead)
        words += metrics.horizontalAdvance(self._tail) + 8 if self._tail else 0
        return 30 + words + 12

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open and close with Enter as well as with the space bar."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def sizeHint(self) -> QSize:
        """Return the size of the closed line."""
        return QSize(self.wanted_width(), _CLOSED)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the arrow and the words; the ground on hover."""
        theme = self._paper.look.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.underMouse():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("stone2"))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 5, 5)
        arrow = "caret-down" if self.isChecked() else "caret-right"
        place = QRect(9, (self.height() - 14) // 2, 14, 14)
        theme.icon(arrow).paint(painter, place)
        font = theme.font("small")
        painter.setFont(font)
        painter.setPen(theme.color("ink2"))
        words = self.rect().adjusted(30, 0, -8, 0)
        middle = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(words, middle, self._lead)
        painter.setPen(theme.color("ink3"))
        left = QFontMetrics(font).horizontalAdvance(self._lead) + 8
        painter.drawText(words.adjusted(left, 0, 0, 0), middle, self._tail)


class Thought(QWidget):
    """The block: the line and, when open, the text under it."""

    height_changed = Signal()

    def __init__(self, paper: Paper, parent: QWidget) -> None:
        super().__init__(parent)
        self._paper = paper
        self._line = ThoughtLine(paper, self)
        self._line.toggled.connect(self._on_toggled)
        self._copy = Tool(paper.look, "copy", "transcript-copy-thought", parent=self)
        self._copy.clicked.connect(self._on_copied)
        self._copy.hide()
        self._text = Column(paper, THOUGHT, self)
        self._text.height_changed.connect(self.height_changed)
        self._text.hide()
        self._source: Turn | Live | None = None
        self._width = 0
        self._band = (0, 0)

    @property
    def is_open(self) -> bool:
        """Whether the text can be seen."""
        return self._line.isChecked()

    @property
    def text(self) -> Column:
        """The column of the thought's blocks."""
        return self._text

    def open(self) -> None:
        """Show the text."""
        self._line.setChecked(True)

    def show_live(self, live: Live) -> None:
        """Follow a thought that is growing or has just ended."""
        self._source = live
        language = self._paper.look.language
        seconds = language.seconds(max(1.0, live.thought_s), whole=True)
        words = "transcript-thinking" if live.is_thinking else "transcript-thought"
        self._line.say(language.text(words, seconds=seconds), "")
        if self.is_open:
            self._text.choices.is_growing = True
            first = live.thought.update()
            self._text.set_blocks(live.thought.blocks, min(first, len(self._text.blocks)))

    def show_turn(self, turn: Turn, blocks: list[Block] | None = None) -> None:
        """Show the thought of a finished reply.

        Args:
            turn: the reply.
            blocks: its thought as blocks, where they are known already.
        """
        self._source = turn
        language, figures = self._paper.look.language, turn.figures
        if figures is not None and figures.reasoning_s > 0:
            seconds = language.seconds(max(1.0, figures.reasoning_s), whole=True)
            tokens = language.text("transcript-tokens", count=figures.reasoning_tokens)
            lead = language.text("transcript-thought", seconds=seconds)
            self._line.say(lead, tokens if figures.reasoning_tokens else "")
        else:
            self._line.say(language.text("transcript-thought-plain"), "")
        if self.is_open:
            self._text.choices.is_growing = False
            self._text.set_blocks(blocks or self._paper.reader.read(turn.reasoning))

    def fit(self, width: int) -> int:
        """Lay out to a width and return the height."""
        self._width = width
        if not self.is_open:
            self._line.setGeometry(0, 0, min(width, self._line.wanted_width()), _CLOSED)
            return _CLOSED
        self._line.setGeometry(0, 0, width - 36, _OPEN)
        self._copy.setGeometry(width - 34, 2, 28, 28)
        self._text.move(_SIDE, _OPEN + 1 + _TOP)
        self._text.set_width(width - 2 * _SIDE)
        return _OPEN + 1 + _TOP + self._text.full_height() + _TOP

    def set_band(self, top: int, bottom: int) -> None:
        """Keep alive what can be seen of the text."""
        if self.is_open:
            self._text.set_band(top - self._text.y(), bottom - self._text.y())

    def restyle(self) -> None:
        """The theme or the language has changed."""
        match self._source:
            case Turn():
                self.show_turn(self._source)
            case Live():
                self.show_live(self._source)
            case None:
                pass
        self._text.restyle()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the frame: around the line, or around line and text."""
        theme = self._paper.look.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.color("line"), 1))
        painter.setBrush(theme.color("paper"))
        if not self.is_open:
            frame = QRectF(self._line.geometry())
            painter.drawRoundedRect(frame.adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
            return
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)
        painter.fillRect(0, _OPEN, self.width(), 1, theme.color("line"))

    @Slot(bool)
    def _on_toggled(self, is_open: bool) -> None:
        self._copy.setVisible(is_open)
        self._text.setVisible(is_open)
        match self._source:
            case Turn(reasoning=reasoning) if is_open:
                self._text.set_blocks(self._paper.reader.read(reasoning))
            case Live() if is_open:
                self._source.thought.update()
                self._text.set_blocks(self._source.thought.blocks)
            case _:
                pass
        self.update()
        self.height_changed.emit()

    @Slot()
    def _on_copied(self) -> None:
        match self._source:
            case Turn(reasoning=reasoning):
                self._paper.copy(reasoning)
            case Live():
                self._paper.copy(self._source.thought.text)
            case None:
                pass
