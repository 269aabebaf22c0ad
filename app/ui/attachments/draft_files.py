"""The files of one message: read, counted, chosen from; the message itself is its holder's.

Reading and choosing run in the background, counting in the engine. What is read when the chat is no
longer shown still joins its draft.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from app.chat.attachment import Attachment, Extent, file_block
from app.chat.text_count import TextCount
from app.documents import Document, DocumentFault, DocumentFaultKind
from app.documents.excerpts import Excerpt, whole
from app.documents.kept import unpack
from app.ui.attachments.draft_file import (
    Choice,
    DraftFile,
    FileHolder,
    attached,
    cut,
    read_and_pack,
    restored,
)
from app.ui.background import Background
from engine.contract import Fault

Then = Callable[[int], None] | None

_TRIES = 4  # to meet a number of tokens: the first guess by characters is off by a few per cent
_CAUTION = 0.97


class DraftFiles(QObject):
    """The files of one message.

    Args:
        holder: of the message: a draft, or one that is being changed.
        background: where files are read.
        counts: the engine's counting.
        parent: as Qt wants it.
    """

    changed = Signal()
    failed = Signal(object)  # DocumentFault
    password_wanted = Signal(object, bool)  # Path, whether the last one was wrong

    def __init__(
        self,
        holder: FileHolder,
        background: Background,
        counts: TextCount,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.holder = holder
        self._background, self._counts = background, counts
        self.files: list[DraftFile] = []
        self.follow_draft()
        counts.renewed.connect(self._on_renewed)

    @property
    def is_waiting(self) -> bool:
        """Say whether it is not known yet what the files take: read, shortened or counted."""
        return any(each.is_waiting for each in self.files)

    @property
    def uncounted(self) -> list[DraftFile]:
        """The files of which the engine could not say what they take."""
        return [each for each in self.files if each.is_uncounted]

    @property
    def tokens(self) -> int:
        """What all files take together, as far as they are counted."""
        return sum(each.attachment.tokens for each in self.files if each.attachment is not None)

    @Slot()
    def follow_draft(self) -> None:
        """Show the files that the session's draft has now: it was sent, or a message came back."""
        known = {id(each.attachment): each for each in self.files if each.attachment is not None}
        reading = [each for each in self.files if each.attachment is None]
        self.files = [
            known.get(id(each)) or self._restored(each) for each in self.holder.attachments
        ] + reading
        for each in self.files:
            if each.attachment is not None and not each.attachment.tokens:
                self._count(each)
        self.changed.emit()

    def add(self, paths: Sequence[Path], password: str = "") -> None:
        """Read files and attach what they say."""
        for path in paths:
            file = DraftFile(path, path.name or str(path))
            self.files.append(file)
            self._read(file, password)
        self.changed.emit()

    def remove(self, file: DraftFile) -> None:
        """Leave a file out; one that is being read is read no further."""
        file.cancelled.set()
        if file in self.files:
            self.files.remove(file)
        self._save()

    @Slot()
    def leave_out_uncounted(self) -> None:
        """Leave out the files whose length is not known."""
        for each in self.uncounted:
            self.remove(each)

    def choose(self, file: DraftFile, choice: Choice) -> None:
        """Attach another part of a file, or all of it."""
        document, attachment = file.document, file.attachment
        if document is None or attachment is None:
            return
        a_token = len(attachment.text) / max(1, attachment.tokens)  # characters
        self._excerpt(file, choice, round(choice.tokens * a_token * _CAUTION), _TRIES)

    def close(self) -> None:
        """Read nothing any further."""
        for each in self.files:
            each.cancelled.set()

    # --- inside -------------------------------------------------------------------------------

    def _read(self, file: DraftFile, password: str) -> None:
        def done(read: tuple[Document | DocumentFault, bytes]) -> None:
            result, packed = read
            if file.cancelled.is_set():
                return
            if isinstance(result, DocumentFault):
                self._refuse(file, result)
            else:
                file.document = result
                file.source = self.holder.keep_document(packed)
                self._take(file, Extent.WHOLE, whole(result))

        self._background.run(
            lambda: read_and_pack(file.path, password, file.cancelled.is_set), done, _no_fault
        )

    def _restored(self, attachment: Attachment) -> DraftFile:
        """Return a file from disk, and look for its whole text, of which a part may be chosen."""
        file = restored(attachment)

        def found(document: Document | None) -> None:
            if document is not None and file in self.files:
                file.document, file.kept, file.source = document, None, attachment.source
                self._counts.count(whole(document).text, counted)

        def counted(tokens: int) -> None:
            file.full_tokens = tokens

        if attachment.source:
            self._background.run(lambda: self._unpacked(attachment.source), found, _no_fault)
        return file

    def _unpacked(self, source: str) -> Document | None:
        packed = self.holder.document(source)
        return unpack(packed) if packed else None

    def _refuse(self, file: DraftFile, fault: DocumentFault) -> None:
        self.files.remove(file)
        if fault.kind in {DocumentFaultKind.ENCRYPTED, DocumentFaultKind.WRONG_PASSWORD}:
            wrong = fault.kind is DocumentFaultKind.WRONG_PASSWORD
            self.password_wanted.emit(file.path, wrong)
        else:
            self.failed.emit(fault)
        self.changed.emit()

    def _excerpt(self, file: DraftFile, choice: Choice, characters: int, tries: int) -> None:
        """Cut, count, and cut again while the count is above what was asked for."""
        document = file.document
        if document is None:
            return

        def counted(tokens: int) -> None:
            if tokens > choice.tokens > 0 and tries > 1:
                fewer = round(characters * choice.tokens / tokens * _CAUTION)
                self._excerpt(file, choice, fewer, tries - 1)

        def done(excerpt: Excerpt) -> None:
            if file in self.files:
                self._take(file, choice.extent, excerpt, counted)

        self._background.run(lambda: cut(document, choice, characters), done, _no_fault)

    def _take(self, file: DraftFile, extent: Extent, excerpt: Excerpt, then: Then = None) -> None:
        document = file.document
        if document is None:
            return
        file.attachment = attached(file, document, extent, excerpt)
        file.is_uncounted = False
        self._save()
        self._count(file, then)

    def _count(self, file: DraftFile, then: Then = None) -> None:
        attachment = file.attachment
        if attachment is None:
            return

        def counted(tokens: int) -> None:
            if file.attachment is attachment:
                file.attachment = replace(attachment, tokens=tokens)
                if attachment.extent is Extent.WHOLE:
                    file.full_tokens = tokens
                self._save()
                if then is not None:
                    then(tokens)

        def failed() -> None:
            if file.attachment is attachment:
                file.is_uncounted = True
                self.changed.emit()

        self._counts.count(file_block(attachment), counted, failed)

    def _save(self) -> None:
        """Hand the files to the draft, which keeps them on disk."""
        ready = tuple(each.attachment for each in self.files if each.attachment is not None)
        self.holder.set_attachments(ready)
        self.changed.emit()

    @Slot()
    def _on_renewed(self) -> None:
        """Count anew for another model: its tokens are others."""
        for each in self.files:
            each.is_uncounted = False
            self._count(each)


def _no_fault(fault: Fault) -> None:
    """Reading raises no fault of the engine."""
