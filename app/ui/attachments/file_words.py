"""What is said of a file: its icon, how much of it there is, why it could not be read."""

from __future__ import annotations

from typing import assert_never

from app.chat.attachment import Attachment, Extent
from app.documents import DocumentFault, DocumentFaultKind
from app.language import Language
from app.ui.faults import FaultText

_ICONS = {
    "pdf": "file-pdf",
    "code": "code",
    "table": "table",
    "sheets": "table",
    "slides": "presentation-chart",
    "book": "book-open",
    "web_page": "globe",
}
_PARTS = frozenset({"pdf", "sheets", "slides", "book"})  # kinds whose parts a person counts


def icon_of(kind: str) -> str:
    """Return the icon of a kind of file."""
    return _ICONS.get(kind, "file-text")


def amount(attachment: Attachment, language: Language) -> str:
    """Return what of the file there is and how long it is: ``3 pages · 1,204 tokens``."""
    return " · ".join(filter(None, (_extent(attachment, language), size(attachment, language))))


def size(attachment: Attachment, language: Language) -> str:
    """Return how long a file is in tokens, or in characters while nobody has counted."""
    if attachment.tokens:
        return language.text("file-tokens", count=attachment.tokens)
    return language.text("file-characters", count=len(attachment.text))


def part_name(kind: str) -> str:
    """Return the kind whose parts are named like this one's."""
    return kind if kind in _PARTS else "other"


def _extent(attachment: Attachment, language: Language) -> str:
    percent = language.number(max(1, round(100 * attachment.share)))
    match attachment.extent:
        case Extent.WHOLE:
            if attachment.kind not in _PARTS:
                return ""
            return language.text(f"file-parts-{attachment.kind}", count=attachment.total_parts)
        case Extent.BEGINNING:
            return language.text("file-beginning", percent=percent)
        case Extent.RELEVANT:
            return language.text("file-relevant", percent=percent)
        case Extent.PARTS:
            total = language.number(attachment.total_parts)
            name = f"file-chosen-{part_name(attachment.kind)}"
            count = 1 if attachment.chosen.isdigit() else 2
            return language.text(name, chosen=attachment.chosen, total=total, count=count)


def fault_words(fault: DocumentFault, language: Language) -> FaultText:
    """Return why a file could not be attached, with its name."""
    kind, figures = fault.kind, fault.figures
    name = " ".join(fault.name.split())
    lead = language.text("file-not-attached", name=name)
    match kind:
        case DocumentFaultKind.TOO_LARGE | DocumentFaultKind.BOMB:
            sizes = language.sizes({key: int(figures[key]) for key in ("bytes", "limit")})
            rest = language.text(f"file-fault-{kind.value}", **sizes)
        case DocumentFaultKind.DAMAGED | DocumentFaultKind.MISSING:
            rest = language.text(f"file-fault-{kind.value}", reason=str(figures["reason"]))
        case DocumentFaultKind.NO_TEXT:
            rest = language.text("file-fault-no_text", pages=int(figures["pages"]))
        case DocumentFaultKind.TOO_SLOW:
            seconds = language.seconds(float(figures["seconds"]), whole=True)
            rest = language.text("file-fault-too_slow", seconds=seconds)
        case (
            DocumentFaultKind.FOLDER
            | DocumentFaultKind.EMPTY
            | DocumentFaultKind.ENCRYPTED
            | DocumentFaultKind.WRONG_PASSWORD
            | DocumentFaultKind.PROTECTED
            | DocumentFaultKind.IMAGE
            | DocumentFaultKind.OLD_OFFICE
            | DocumentFaultKind.NOT_TEXT
            | DocumentFaultKind.OUT_OF_MEMORY
            | DocumentFaultKind.CANCELLED
        ):
            rest = language.text(f"file-fault-{kind.value}")
        case _:
            assert_never(kind)
    return FaultText(lead, rest)
