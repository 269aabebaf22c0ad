"""The files of one chat's draft: read, counted, chosen from; the draft itself is the session's.

Reading and choosing run in the background, counting in the engine. What is read when the chat is no
longer shown still joins its draft.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from app.chat.attachment import Attachment, Extent, file_block
from app.chat.session import ChatSession
from app.chat.text_count import TextCount
from app.documents import Document, DocumentFault, DocumentFaultKind, DocumentKind, Part
from app.documents import read_document as read_in_process
from app.documents.excerpts import Excerpt, beginning, chosen_parts, relevant, whole
from app.ui.background import Background
from engine.contract import Fault

Then = Callable[[int], None] | None

_TRIES = 4  # to meet a number of tokens: the first guess by characters is off by a few per cent
_CAUTION = 0.97


@dataclass(frozen=True, slots=True)
class Choice:
    """What of a document is wanted.

    Attributes:
        extent: all, the beginning, what the question asks, or parts.
        tokens: at most, for the beginning and the relevant passages.
        numbers: of the parts.
        question: what the passages are to be relevant for.
    """

    extent: Extent
    tokens: int = 0
    numbers: frozenset[int] = frozenset()
    question: str = ""


@dataclass(slots=True, eq=False)
class DraftFile:
    """One file; ``attachment`` is None while it is read."""

    path: Path
    name: str
    document: Document | None = None
    attachment: Attachment | None = None
    full_tokens: int = 0  # of the whole document, once it was counted
    kept: Attachment | None = None  # from disk: more of the file than this is not known
    cancelled: threading.Event = field(default_factory=threading.Event)


class DraftFiles(QObject):
    """The files of one draft.

    Args:
        session: whose draft it is.
        background: where files are read.
        counts: the engine's counting.
        parent: as Qt wants it.
    """

    changed = Signal()
    failed = Signal(object)  # DocumentFault
    password_wanted = Signal(object, bool)  # Path, whether the last one was wrong

    def __init__(
        self,
        session: ChatSession,
        background: Background,
        counts: TextCount,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.session = session
        self._background, self._counts = background, counts
        self.files: list[DraftFile] = []
        self.follow_draft()
        counts.renewed.connect(self._on_renewed)

    @property
    def is_waiting(self) -> bool:
        """Say whether it is not known yet what the files take: read, shortened or counted."""
        return any(each.attachment is None or not each.attachment.tokens for each in self.files)

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
            known.get(id(each)) or _restored(each) for each in self.session.unsent.draft.attachments
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
        def done(result: Document | DocumentFault) -> None:
            if file.cancelled.is_set():
                return
            if isinstance(result, DocumentFault):
                self._refuse(file, result)
            else:
                file.document = result
                self._take(file, Extent.WHOLE, whole(result))

        self._background.run(
            lambda: read_in_process(file.path, password, file.cancelled.is_set), done, _no_fault
        )

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

        self._background.run(lambda: _cut(document, choice, characters), done, _no_fault)

    def _take(self, file: DraftFile, extent: Extent, excerpt: Excerpt, then: Then = None) -> None:
        document = file.document
        if document is None:
            return
        if extent is Extent.WHOLE and excerpt.share < 1:
            extent = Extent.BEGINNING  # a limit of the reader: never told as the whole
        file.attachment = Attachment(
            name=file.name,
            kind=document.kind.value,
            text=excerpt.text,
            extent=extent,
            chosen=excerpt.chosen,
            total_parts=document.total_parts,
            share=excerpt.share * (file.kept.share if file.kept is not None else 1),
        )
        if file.kept is not None and extent is Extent.WHOLE:
            file.attachment = file.kept
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

        self._counts.count(file_block(attachment), counted)

    def _save(self) -> None:
        """Hand the files to the draft, which keeps them on disk."""
        ready = tuple(each.attachment for each in self.files if each.attachment is not None)
        self.session.unsent.set_attachments(ready)
        self.changed.emit()

    @Slot()
    def _on_renewed(self) -> None:
        """Count anew for another model: its tokens are others."""
        for each in self.files:
            self._count(each)


def _restored(attachment: Attachment) -> DraftFile:
    """Return a file of a draft from disk: what is kept of it is all there is to choose from."""
    kind = next((each for each in DocumentKind if each.value == attachment.kind), DocumentKind.TEXT)
    document = Document(attachment.name, kind, (Part(1, attachment.text),))
    file = DraftFile(Path(attachment.name), attachment.name, document, attachment)
    file.kept, file.full_tokens = attachment, attachment.tokens
    return file


def _cut(document: Document, choice: Choice, characters: int) -> Excerpt:
    match choice.extent:
        case Extent.WHOLE:
            return whole(document)
        case Extent.BEGINNING:
            return beginning(document, characters)
        case Extent.RELEVANT:
            return relevant(document, choice.question, characters)
        case Extent.PARTS:
            return chosen_parts(document, choice.numbers)


def _no_fault(fault: Fault) -> None:
    """Reading raises no fault of the engine."""
