"""PDF pages as text, by PDFium: Chrome's own reader, in 4 MB."""

from __future__ import annotations

from pathlib import Path

from app.documents.document import DocumentError, DocumentFaultKind, Part
from app.documents.pages import Pages
from app.documents.text import clean

_PASSWORD = 4  # FPDF_ERR_PASSWORD


def read_pdf(path: Path, pages: Pages, password: str) -> None:
    """Read pages until all are read or there is no room.

    Raises:
        DocumentError: ENCRYPTED, WRONG_PASSWORD, NO_TEXT, DAMAGED.
    """
    import pypdfium2  # noqa: PLC0415

    try:
        book = pypdfium2.PdfDocument(path, password=password or None)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == _PASSWORD:
            kind = DocumentFaultKind.WRONG_PASSWORD if password else DocumentFaultKind.ENCRYPTED
            raise DocumentError(kind) from error
        raise DocumentError(DocumentFaultKind.DAMAGED, reason=str(error)) from error
    pages.total = len(book)
    for number in range(1, pages.total + 1):
        if pages.is_full:
            break
        pages.add(Part(number, _text(book, number - 1)))
    if not pages.has_text:
        raise DocumentError(DocumentFaultKind.NO_TEXT, pages=pages.total)


def _text(book: object, index: int) -> str:
    import pypdfium2  # noqa: PLC0415

    try:
        page = book[index]  # type: ignore[index]  # the library has no types
        words = page.get_textpage()
        text = str(words.get_text_bounded())
        words.close()
        page.close()
    except pypdfium2.PdfiumError:
        return ""  # one broken page costs that page
    # PDFium writes U+FFFE where a word is broken by a hyphen at the end of a line
    return clean(text.replace("\ufffe\r\n", "").replace("\ufffe", "-")).strip()
