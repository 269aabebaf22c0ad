"""The rest of a long chat comes into memory while nothing else is to be done."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.chat.shelf import Shelf

_EVERY_MS = 20  # a slice takes about 3 ms: a chat of 10,000 turns is here after some seconds


class Fetching(QObject):
    """Fetches a shelf's missing turns, a slice at a time."""

    damaged = Signal(object)  # StoreFault, when all is fetched and some of it could not be read

    def __init__(self, shelf: Shelf, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._shelf = shelf
        self._timer = QTimer(self)
        self._timer.setInterval(_EVERY_MS)
        self._timer.timeout.connect(self.fetch_slice)
        self._timer.start()

    def start(self, shelf: Shelf) -> None:
        """Fetch another shelf's turns."""
        self._shelf = shelf
        self._timer.start()

    def stop(self) -> None:
        """Leave the rest where it is."""
        self._timer.stop()

    @Slot()
    def fetch_slice(self) -> bool:
        """Fetch one slice; False when nothing is left."""
        more = self._shelf.fetch_some()
        if not more:
            self._timer.stop()
            if self._shelf.fault is not None:
                self.damaged.emit(self._shelf.fault)
        return more
