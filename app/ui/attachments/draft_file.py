"""One file of a draft: what was read, what of it is wanted, what the model gets."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from app.chat.attachment import Attachment, Extent
from app.documents import Document, DocumentFault, DocumentKind, Part
from app.documents import read_document as read_in_process
from app.documents.excerpts import Excerpt, beginning, chosen_parts, relevant, whole
from app.documents.kept import pack


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
    """One file; ``attachment`` is None while it is read.

    Attributes:
        document: what can be chosen from.
        full_tokens: of the whole document, once it was counted.
        kept: from disk, where more of the file than this is not known.
        source: the name under which the whole document is kept with the draft.
        is_uncounted: the engine could not say how many tokens it takes.
    """

    path: Path
    name: str
    document: Document | None = None
    attachment: Attachment | None = None
    full_tokens: int = 0
    kept: Attachment | None = None
    source: str = ""
    is_uncounted: bool = False
    cancelled: threading.Event = field(default_factory=threading.Event)

    @property
    def is_waiting(self) -> bool:
        """Say whether it is not known yet what the file takes: read, shortened or counted."""
        if self.attachment is None:
            return True
        return not self.attachment.tokens and not self.is_uncounted


class FileHolder(Protocol):
    """Whose files they are: the draft of a chat, or a sent message that is being changed."""

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        """The files that go with the message now."""
        ...

    def set_attachments(self, attachments: tuple[Attachment, ...]) -> None:
        """Take the files that go with the message from now on."""
        ...

    def keep_document(self, packed: bytes) -> str:
        """Keep a whole file, and return the name it is kept under."""
        ...

    def document(self, name: str) -> bytes | None:
        """Return a file that was kept, or None."""
        ...


def restored(attachment: Attachment) -> DraftFile:
    """Return a file of a message: until its whole text is found, what is kept is all there is."""
    kind = next((each for each in DocumentKind if each.value == attachment.kind), DocumentKind.TEXT)
    document = Document(attachment.name, kind, (Part(1, attachment.text),))
    file = DraftFile(Path(attachment.name), attachment.name, document, attachment)
    file.kept, file.full_tokens = attachment, attachment.tokens
    return file


def read_and_pack(
    path: Path, password: str, cancelled: Callable[[], bool]
) -> tuple[Document | DocumentFault, bytes]:
    """Read a file, and pack it to be kept; not on the window's thread."""
    result = read_in_process(path, password, cancelled)
    return result, b"" if isinstance(result, DocumentFault) else pack(result)


def attached(file: DraftFile, document: Document, extent: Extent, excerpt: Excerpt) -> Attachment:
    """Return what the model gets of a file, and how much of it that is."""
    if extent is Extent.WHOLE and file.kept is not None:
        return replace(file.kept, tokens=0)
    if extent is Extent.WHOLE and excerpt.share < 1:
        extent = Extent.BEGINNING  # a limit of the reader: never told as the whole
    return Attachment(
        name=file.name,
        kind=document.kind.value,
        text=excerpt.text,
        extent=extent,
        chosen=excerpt.chosen,
        total_parts=document.total_parts,
        share=excerpt.share * (file.kept.share if file.kept is not None else 1),
        source=file.source,
    )


def cut(document: Document, choice: Choice, characters: int) -> Excerpt:
    """Return what a choice means of a document; the characters are for extents with a limit."""
    match choice.extent:
        case Extent.WHOLE:
            return whole(document)
        case Extent.BEGINNING:
            return beginning(document, characters)
        case Extent.RELEVANT:
            return relevant(document, choice.question, characters)
        case Extent.PARTS:
            return chosen_parts(document, choice.numbers)
