"""What a person typed and the engine has not got: the draft, and messages that wait their turn."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.chat.conversation import Conversation
from app.store.rows import Draft

_SAVE_MS = 500  # typing is on disk this long after the first unsaved key, and a commit
_SLOWER_FROM = 100_000  # characters; a longer draft is written whole less often


class Unsent(QObject):
    """The draft and the queue of one chat, kept on disk.

    Messages that waited when the program ended come back in front of the draft: they were not
    sent, and sending them unasked at the next start would surprise.
    """

    queue_changed = Signal()

    def __init__(self, book: Conversation, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._book = book
        saved = book.store.draft(book.row.id)
        self._queued: tuple[str, ...] = ()
        self._text = "\n\n".join(text for text in (*saved.queued, saved.text) if text)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.save)

    @property
    def text(self) -> str:
        """The draft."""
        return self._text

    @property
    def queued(self) -> tuple[str, ...]:
        """The messages that wait, the next one first."""
        return self._queued

    def set_text(self, text: str) -> None:
        """Take what the message box holds now."""
        if text == self._text:
            return
        self._text = text
        if not self._timer.isActive():
            self._timer.start(_SAVE_MS * (1 + len(text) // _SLOWER_FROM))

    def put(self, text: str) -> None:
        """Let a message wait behind the others."""
        self._change((*self._queued, text))

    def take(self, place: int = 0) -> str:
        """Take a waiting message out and return it.

        Raises:
            IndexError: none waits there.
        """
        text = self._queued[place]
        self._change(self._queued[:place] + self._queued[place + 1 :])
        return text

    @Slot()
    def save(self) -> None:
        """Keep draft and queue on disk now."""
        self._timer.stop()
        self._book.save_draft(Draft(self._text, self._queued))

    def close(self) -> None:
        """Keep what the timer has not yet."""
        if self._timer.isActive():
            self.save()

    def _change(self, queued: tuple[str, ...]) -> None:
        self._queued = queued
        self.save()
        self.queue_changed.emit()
