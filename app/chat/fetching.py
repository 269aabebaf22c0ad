"""The rest of a long chat comes into memory while nothing else is to be done."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.chat.conversation import Conversation

_EVERY_MS = 20  # a slice takes about 3 ms: a chat of 10,000 turns is here after some seconds


class Fetching(QObject):
    """Fetches a chat's missing turns, a slice at a time."""

    completed = Signal()  # every turn is here
    damaged = Signal(object)  # StoreFault, when all is fetched and some of it could not be read

    def __init__(self, book: Conversation, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._book = book
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.fetch_slice)
        self._timer.start(_EVERY_MS)

    def start(self) -> None:
        """Begin again: the chat was read anew."""
        self._timer.start(_EVERY_MS)

    def hurry(self) -> bool:
        """Fetch a slice now and the rest between the window's events; True when all is here."""
        if self._book.shelf.is_complete:
            return True
        more = self.fetch_slice()
        if more:
            self._timer.start(0)
        return not more

    def stop(self) -> None:
        """Leave the rest where it is."""
        self._timer.stop()

    @Slot()
    def fetch_slice(self) -> bool:
        """Fetch one slice; False when nothing is left."""
        more = self._book.fetch_some()
        if not more:
            self._timer.stop()
            self.completed.emit()
            if self._book.shelf.fault is not None:
                self.damaged.emit(self._book.shelf.fault)
        return more
