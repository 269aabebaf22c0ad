"""One file, read here and now: what the process of its own does."""

from __future__ import annotations

import zipfile
from pathlib import Path

from app.documents.document import (
    Document,
    DocumentError,
    DocumentFault,
    DocumentFaultKind,
    DocumentKind,
    Part,
)
from app.documents.kinds import PACKED, kind_of
from app.documents.limits import Limits
from app.documents.office import read_sheets, read_slides, read_word
from app.documents.pages import Pages
from app.documents.pdf import read_pdf
from app.documents.text import decode
from app.documents.web import read_book, read_page

_BYTES_A_CHARACTER = 4  # at most, in every encoding that is read


def read(path: Path, limits: Limits, password: str = "") -> Document | DocumentFault:
    """Return the text of a file, or why it has none."""
    try:
        return _read(path, limits, password)
    except DocumentError as error:
        return DocumentFault(error.kind, path.name, error.figures)
    except MemoryError:
        return DocumentFault(DocumentFaultKind.OUT_OF_MEMORY, path.name)
    except OSError as error:
        reason = error.strerror or str(error)
        return DocumentFault(DocumentFaultKind.MISSING, path.name, {"reason": reason})


def _read(path: Path, limits: Limits, password: str) -> Document:
    if path.is_dir():
        raise DocumentError(DocumentFaultKind.FOLDER)
    size = path.stat().st_size
    if size > limits.file_bytes:
        raise DocumentError(DocumentFaultKind.TOO_LARGE, bytes=size, limit=limits.file_bytes)
    with path.open("rb") as file:
        kind = kind_of(path.name, file.read(1024))
    if kind in PACKED:
        _check_archive(path, limits)
    pages = Pages(limits.characters)
    encoding, read = _fill(path, kind, pages, password)
    if not pages.has_text:
        raise DocumentError(DocumentFaultKind.EMPTY)
    total = max(pages.total, len(pages.parts))
    share = pages.share * read
    return Document(path.name, kind, tuple(pages.parts), total, pages.is_cut, encoding, share)


def _fill(path: Path, kind: DocumentKind, pages: Pages, password: str) -> tuple[str, float]:
    """Read the parts; return the encoding of a text, and how much of the file was looked at."""
    match kind:
        case DocumentKind.PDF:
            read_pdf(path, pages, password)
        case DocumentKind.WORD:
            read_word(path, pages)
        case DocumentKind.SHEETS:
            read_sheets(path, pages)
        case DocumentKind.SLIDES:
            read_slides(path, pages)
        case DocumentKind.BOOK:
            read_book(path, pages)
        case DocumentKind.WEB_PAGE:
            text, encoding = read_page(path.read_bytes())
            pages.add(Part(1, text))
            return encoding, 1.0
        case DocumentKind.TEXT | DocumentKind.CODE | DocumentKind.TABLE:
            return _read_text(path, pages)
    return "", 1.0


def _read_text(path: Path, pages: Pages) -> tuple[str, float]:
    """Read a text as far as there is room: a log file may have gigabytes."""
    most, size = pages.room * _BYTES_A_CHARACTER, path.stat().st_size
    with path.open("rb") as file:
        data = file.read(most)
        has_more = bool(file.read(1))
    if has_more:
        data = data[: data.rfind(b"\n") + 1] or data
    text, encoding = decode(data)
    pages.add(Part(1, text))
    pages.is_cut |= has_more
    return encoding, len(data) / size if has_more else 1.0


def _check_archive(path: Path, limits: Limits) -> None:
    """Refuse what would unpack to more than the limit, before anything is unpacked.

    Raises:
        DocumentError: BOMB, DAMAGED.
    """
    if path.suffix.lower() == ".xls":
        return
    try:
        with zipfile.ZipFile(path) as archive:
            unpacked = sum(each.file_size for each in archive.infolist())
    except zipfile.BadZipFile as error:
        raise DocumentError(DocumentFaultKind.DAMAGED, reason=str(error)) from error
    if unpacked > limits.unpacked_bytes:
        raise DocumentError(DocumentFaultKind.BOMB, bytes=unpacked, limit=limits.unpacked_bytes)
