"""One of the two answers: whose it is, how fast it came, its words, how it ended."""

from __future__ import annotations

from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.ui.look import Look
from app.ui.smaller.rendered import Rendered
from app.ui.words import Elided, Plain, wrapped

_RULE = 2


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
        self._rule, self.answer = Rule(look), Rendered(look)
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
