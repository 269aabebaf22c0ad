"""Messages that wait behind a running reply: one quiet row each, which can be taken back."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.chat.attachment import Outgoing
from app.ui.buttons import Tool
from app.ui.look import Look
from app.ui.status_items import StatusIcon
from app.ui.words import Elided


class QueueStrip(QWidget):
    """The waiting messages in the order in which they will be sent."""

    taken_back = Signal(int)  # its place in the queue

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._shown: tuple[Outgoing, ...] = ()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 6)
        self._column.setSpacing(4)
        self.hide()

    def show_messages(self, messages: tuple[Outgoing, ...]) -> None:
        """Show these messages, or nothing."""
        if messages == self._shown:
            return
        self._shown = messages
        while (item := self._column.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for place, message in enumerate(messages):
            self._column.addWidget(self._row(place, self._said(message)))
        self.setVisible(bool(messages))

    def _said(self, message: Outgoing) -> str:
        """Return a message, and how its answer has to begin."""
        words, text = said(message), self._look.language.text
        begins = message.begins
        return text("queued-begins", message=words, begins=begins) if begins else words

    def _row(self, place: int, message: str) -> QFrame:
        row = QFrame()
        row.setObjectName("chip")
        row.setFixedHeight(30)
        line = QHBoxLayout(row)
        line.setContentsMargins(10, 0, 3, 0)
        line.setSpacing(8)
        line.addWidget(StatusIcon(self._look, "clock", "ink2"))
        words = Elided(message, "small2")
        words.setAccessibleName(self._look.language.text("queued-message", message=message[:200]))
        line.addWidget(words, 1)
        back = Tool(self._look, "x", "queued-take-back", side=24)
        back.clicked.connect(lambda _=False, place=place: self.taken_back.emit(place))
        line.addWidget(back, 0, Qt.AlignmentFlag.AlignVCenter)
        return row


def said(message: Outgoing) -> str:
    """Return a message on one line: its words, then its files' names."""
    return " · ".join(filter(None, [message.text, *(each.name for each in message.attachments)]))
