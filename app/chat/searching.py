"""The search over all chats, as the window uses it: ask, and be told."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.chat.saving import Saving
from app.store.search import SearchResults
from app.store.searching import Searcher
from app.store.worker import ThreadWorker, Worker

_TYPING_MS = 120  # a search begins when nothing was typed for so long


class ChatSearch(QObject):
    """Full-text search.

    Args:
        saving: speaks for the store to be searched.
        worker: the thread; one of its own by default.
    """

    found = Signal(object)  # SearchResults; ``text`` says what they answer

    def __init__(
        self, saving: Saving, worker: Worker | None = None, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._arrived.connect(self._on_arrived)
        self._text = ""
        self._chat: int | None = None
        self._searcher = Searcher(
            saving.store, worker or ThreadWorker("inkstone-search"), self._arrived.emit
        )
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_TYPING_MS)
        self._timer.timeout.connect(self._begin)

    _arrived = Signal(object)  # emitted on the searching thread, received on ours

    def find(self, text: str, chat: int | None = None) -> None:
        """Search for what is typed now; ``found`` comes when it stood still for a moment."""
        self._text, self._chat = text, chat
        if text.strip():
            self._timer.start()
        else:
            self._timer.stop()
            self.found.emit(SearchResults(text, ()))

    def close(self) -> None:
        """End the search and its thread."""
        self._timer.stop()
        self._searcher.close()

    @Slot()
    def _begin(self) -> None:
        self._searcher.find(self._text, self._chat)

    @Slot(object)
    def _on_arrived(self, results: SearchResults) -> None:
        if results.text == self._text:
            self.found.emit(results)
