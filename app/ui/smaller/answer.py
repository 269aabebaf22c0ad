"""One of the two answers: whose it is, how fast it came, its words, how it ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt, Slot
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QTextEdit, QVBoxLayout, QWidget

from app.ui.look import Look
from app.ui.transcript.still_text import x_of
from app.ui.words import Elided, Plain, wrapped

_LEAST, _MOST = 72, 380  # px of an answer's height; a longer one scrolls
_RULE = 2


class Answer(QTextEdit):
    """A reply to read, as tall as its text; words that the other one has not are marked."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._pieces: Sequence[tuple[str, bool]] = ()
        self._marks: list[tuple[int, int]] = []
        self.setReadOnly(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTabChangesFocus(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.document().setDocumentMargin(0)
        self.document().documentLayout().documentSizeChanged.connect(self._on_size_changed)
        look.follow(self._on_look_changed)

    def show_pieces(self, pieces: Sequence[tuple[str, bool]]) -> None:
        """Show pieces of a text, each with whether it is marked."""
        if pieces == self._pieces:
            return
        self._pieces = pieces
        self._marks = []
        at = 0
        for text, marked in pieces:
            end = at + len(text.encode("utf-16-le")) // 2
            if marked and self._marks and self._marks[-1][1] == at:
                self._marks[-1] = (self._marks[-1][0], end)
            elif marked:
                self._marks.append((at, end))
            at = end
        self.setPlainText("".join(text for text, _ in pieces))
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the grounds of what is marked, then the text."""
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._look.theme.color("heat2"))
        painter.translate(0, -self.verticalScrollBar().value())
        for start, end in self._marks:
            for rect in self._grounds(start, end):
                painter.drawRoundedRect(rect, 3, 3)
        painter.end()
        super().paintEvent(event)

    def _grounds(self, start: int, end: int) -> Iterator[QRectF]:
        """Return where characters stand, one rectangle a line."""
        document = self.document()
        block = document.findBlock(start)
        while block.isValid() and block.position() < end:
            layout, first = block.layout(), block.position()
            corner = document.documentLayout().blockBoundingRect(block).topLeft()
            for number in range(layout.lineCount()):
                line = layout.lineAt(number)
                a = max(start - first, line.textStart())
                b = min(end - first, line.textStart() + line.textLength())
                if a < b:
                    left, right = x_of(line, a), x_of(line, b)
                    rect = QRectF(left, line.y(), right - left, line.height())
                    yield rect.translated(QPointF(corner)).adjusted(-2, 1, 2, -1)
            block = block.next()

    @Slot(QSizeF)
    def _on_size_changed(self, size: QSizeF) -> None:
        px = self._look.theme.px
        self.setFixedHeight(min(max(round(size.height()) + 2, px(_LEAST)), px(_MOST)))

    @Slot()
    def _on_look_changed(self) -> None:
        self.setFont(self._look.theme.font("body"))
        self._on_size_changed(self.document().size())
        self.viewport().update()


class Rule(QWidget):
    """A line below a name, in a colour of its own."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look, self._token = look, "ink"
        self.setFixedHeight(_RULE)

    def show_token(self, token: str) -> None:
        """Show another colour."""
        self._token = token
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Fill it."""
        QPainter(self).fillRect(self.rect(), self._look.theme.color(self._token))


class Column(QWidget):
    """An answer with its head and its foot."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._name, self._speed = Elided("", "small-bold"), Plain("", "caption2")
        self._rule, self.answer = Rule(look), Answer(look)
        self._note = Plain("", "caption2")
        wrapped(self._note)
        head, column = QHBoxLayout(), QVBoxLayout(self)
        head.addWidget(self._name, 1)
        head.addWidget(self._speed)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(head)
        column.addWidget(self._rule)
        column.addSpacing(4)
        column.addWidget(self.answer)
        column.addWidget(self._note)
        column.addStretch(1)

    def show_head(self, name: str, spoken: str, speed: str, token: str) -> None:
        """Say whose answer this is, for screen readers too, how fast, in which colour."""
        self._name.setText(name)
        self.answer.setAccessibleName(spoken)
        self._speed.setText(speed)
        self._speed.setVisible(bool(speed))
        self._rule.show_token(token)

    def show_note(self, note: str, warns: bool = False) -> None:
        """Say below the answer how it ended, or why there is none."""
        self._note.setText(note)
        self._note.setVisible(bool(note))
        self._note.set_kind("caption-warning" if warns else "caption2")
