"""What a file became: named parts of plain text; or a named fault with its figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

Figure = int | float | str


class DocumentKind(StrEnum):
    """What a document is to a person; its parts are pages, sheets, slides or chapters."""

    TEXT = "text"
    CODE = "code"
    TABLE = "table"  # CSV, TSV
    WEB_PAGE = "web_page"
    PDF = "pdf"
    WORD = "word"
    SHEETS = "sheets"
    SLIDES = "slides"
    BOOK = "book"


@dataclass(frozen=True, slots=True)
class Part:
    """A page, a sheet, a slide or a chapter.

    Attributes:
        number: 1-based, as a person counts.
        text: may be empty, for example a page that is a picture.
        title: a sheet's or a chapter's name, where it has one.
    """

    number: int
    text: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """The text of a file.

    Attributes:
        name: the file's name, without its folders.
        kind: what it is.
        parts: at least one, in order.
        total_parts: more than ``parts`` where a limit ended the reading.
        is_cut: a limit ended the reading inside the last part.
        encoding: of a text file, as it was found.
        share: of the file's text that the parts hold, as far as it can be told without reading on.
    """

    name: str
    kind: DocumentKind
    parts: tuple[Part, ...]
    total_parts: int = 1
    is_cut: bool = False
    encoding: str = ""
    share: float = 1.0


class DocumentFaultKind(StrEnum):
    """Why a file cannot be read, each with the figures that its sentence needs."""

    MISSING = "missing"  # reason
    FOLDER = "folder"
    EMPTY = "empty"  # nothing in it but blanks
    TOO_LARGE = "too_large"  # bytes, limit
    BOMB = "bomb"  # bytes, limit: what an archive would unpack to
    ENCRYPTED = "encrypted"  # a password is needed
    WRONG_PASSWORD = "wrong_password"
    PROTECTED = "protected"  # by rights management: no password would help
    NO_TEXT = "no_text"  # pages: pictures of text, a scan
    DAMAGED = "damaged"  # reason, in the reader's own words
    IMAGE = "image"
    OLD_OFFICE = "old_office"  # .doc, .ppt: to be saved as .docx, .pptx
    NOT_TEXT = "not_text"  # sound, video, programs, archives
    TOO_SLOW = "too_slow"  # seconds
    OUT_OF_MEMORY = "out_of_memory"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class DocumentFault:
    """A named fault of one file."""

    kind: DocumentFaultKind
    name: str
    figures: Mapping[str, Figure] = field(default_factory=dict)


class DocumentError(Exception):
    """A known fault, on its way up to whoever knows the file's name."""

    def __init__(self, kind: DocumentFaultKind, **figures: Figure) -> None:
        super().__init__(kind.value)
        self.kind, self.figures = kind, figures
