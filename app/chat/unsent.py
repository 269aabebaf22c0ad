"""What a person wrote and the engine has not got: the draft, and messages that wait their turn."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.chat.attachment import Attachment, Outgoing, attachments_of, attachments_text
from app.chat.conversation import Conversation
from app.store.rows import Draft, Waiting

_SAVE_MS = 500  # typing is on disk this long after the first unsaved key, and a commit
_SLOWER_FROM = 100_000  # characters; a longer draft is written whole less often


class Unsent(QObject):
    """The draft and the queue of one chat, with their files, kept on disk.

    Messages that waited when the program ended come back in front of the draft: they were not
    sent, and sending them unasked at the next start would surprise.
    """

    queue_changed = Signal()

    def __init__(self, book: Conversation, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._book = book
        saved = book.store.draft(book.row.id)
        waited = [Waiting(saved.text, saved.attachments, saved.begins)]
        waited[:0] = saved.queued
        self._queued: tuple[Outgoing, ...] = ()
        self._draft = Outgoing(
            "\n\n".join(each.text for each in waited if each.text),
            tuple(file for each in waited for file in attachments_of(each.attachments)),
            next((each.begins for each in waited if each.begins), ""),
        )
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.save)

    @property
    def draft(self) -> Outgoing:
        """What the message box holds."""
        return self._draft

    @property
    def queued(self) -> tuple[Outgoing, ...]:
        """The messages that wait, the next one first."""
        return self._queued

    def set_text(self, text: str) -> None:
        """Take what is typed now."""
        self._set(replace(self._draft, text=text))

    def set_attachments(self, attachments: tuple[Attachment, ...]) -> None:
        """Take the files that go with the draft now."""
        self._set(replace(self._draft, attachments=attachments))

    def set_begins(self, begins: str) -> None:
        """Take how the reply has to begin now."""
        self._set(replace(self._draft, begins=begins))

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        """The files that go with the draft now."""
        return self._draft.attachments

    def keep_document(self, packed: bytes) -> str:
        """Keep a whole file for as long as a waiting message names it, and return its name."""
        name = sha256(packed).hexdigest()[:32]
        self._book.store.put_document(self._book.row.id, name, packed)
        return name

    def document(self, name: str) -> bytes | None:
        """Return a file that was kept, or None; from any thread."""
        return self._book.store.document(self._book.row.id, name)

    def put(self, message: Outgoing) -> None:
        """Let a message wait behind the others."""
        self._change((*self._queued, message))

    def take(self, place: int = 0) -> Outgoing:
        """Take a waiting message out and return it.

        Raises:
            IndexError: none waits there.
        """
        message = self._queued[place]
        self._change(self._queued[:place] + self._queued[place + 1 :])
        return message

    @Slot()
    def save(self) -> None:
        """Keep draft and queue on disk now."""
        self._timer.stop()
        waiting = tuple(Waiting(each.text, _files(each), each.begins) for each in self._queued)
        needed = {
            file.source for each in (self._draft, *self._queued) for file in each.attachments
        } - {""}
        draft = self._draft
        self._book.save_draft(
            Draft(draft.text, waiting, _files(draft), tuple(sorted(needed)), draft.begins)
        )

    def close(self) -> None:
        """Keep what the timer has not yet."""
        if self._timer.isActive():
            self.save()

    def _set(self, draft: Outgoing) -> None:
        if draft == self._draft:
            return
        self._draft = draft
        if not self._timer.isActive():
            size = len(draft.text) + sum(len(each.text) for each in draft.attachments)
            self._timer.start(_SAVE_MS * (1 + size // _SLOWER_FROM))

    def _change(self, queued: tuple[Outgoing, ...]) -> None:
        self._queued = queued
        self.save()
        self.queue_changed.emit()


def _files(message: Outgoing) -> str:
    return attachments_text(message.attachments)
