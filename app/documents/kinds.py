"""What a file is, by its name and its first bytes: names lie, and many files have none."""

from __future__ import annotations

from app.documents.document import DocumentError, DocumentFaultKind, DocumentKind

_BY_SUFFIX = {
    "pdf": DocumentKind.PDF,
    "docx": DocumentKind.WORD,
    "docm": DocumentKind.WORD,
    "xlsx": DocumentKind.SHEETS,
    "xlsm": DocumentKind.SHEETS,
    "xlsb": DocumentKind.SHEETS,
    "xls": DocumentKind.SHEETS,
    "ods": DocumentKind.SHEETS,
    "pptx": DocumentKind.SLIDES,
    "pptm": DocumentKind.SLIDES,
    "epub": DocumentKind.BOOK,
    "html": DocumentKind.WEB_PAGE,
    "htm": DocumentKind.WEB_PAGE,
    "xhtml": DocumentKind.WEB_PAGE,
    "csv": DocumentKind.TABLE,
    "tsv": DocumentKind.TABLE,
    "txt": DocumentKind.TEXT,
    "md": DocumentKind.TEXT,
    "markdown": DocumentKind.TEXT,
    "rst": DocumentKind.TEXT,
    "log": DocumentKind.TEXT,
    "tex": DocumentKind.TEXT,
    "srt": DocumentKind.TEXT,
    "": DocumentKind.TEXT,
}
_OLD_OFFICE = frozenset({"doc", "ppt", "dot", "pps", "rtf", "odt", "odp", "pages", "key"})
_IMAGES = frozenset(
    {"png", "jpg", "jpeg", "gif", "bmp", "webp", "tif", "tiff", "heic", "avif", "ico", "psd"}
)
_IMAGE_MAGIC = (b"\x89PNG\r\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"BM6", b"II*\0", b"MM\0*")
_BINARY_MAGIC = (
    b"PK\x03\x04",
    b"\x7fELF",
    b"MZ",
    b"\x1f\x8b",
    b"7z\xbc\xaf",
    b"Rar!",
    b"SQLite format 3\0",
    b"ID3",
    b"OggS",
    b"RIFF",
    b"\xca\xfe\xba\xbe",
)
_OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # .doc, .xls, and encrypted .docx
PACKED = frozenset({DocumentKind.WORD, DocumentKind.SHEETS, DocumentKind.SLIDES, DocumentKind.BOOK})


def kind_of(name: str, head: bytes) -> DocumentKind:
    """Return what a file is.

    Args:
        name: its name.
        head: its first kilobyte.

    Raises:
        DocumentError: IMAGE, OLD_OFFICE, NOT_TEXT or ENCRYPTED.
    """
    suffix = name.rpartition(".")[2].lower() if "." in name else ""
    kind = _BY_SUFFIX.get(suffix, DocumentKind.CODE)
    if head.lstrip().startswith(b"%PDF-"):
        return DocumentKind.PDF
    if suffix in _IMAGES or head.startswith(_IMAGE_MAGIC):
        raise DocumentError(DocumentFaultKind.IMAGE)
    if suffix in _OLD_OFFICE:
        raise DocumentError(DocumentFaultKind.OLD_OFFICE)
    if head.startswith(_OLE_MAGIC):
        if suffix == "xls":
            return kind
        # Office puts an encrypted .docx into the container of the old formats
        raise DocumentError(
            DocumentFaultKind.PROTECTED if kind in PACKED else DocumentFaultKind.NOT_TEXT
        )
    if kind not in PACKED and head.startswith(_BINARY_MAGIC):
        raise DocumentError(DocumentFaultKind.NOT_TEXT)
    return kind
