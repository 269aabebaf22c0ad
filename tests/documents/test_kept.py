"""A whole document beside a draft: out comes what went in, and damage costs the document alone."""

from __future__ import annotations

from app.documents import Document, DocumentKind, Part
from app.documents.kept import pack, unpack

BOOK = Document(
    "书 \ud800.epub",
    DocumentKind.BOOK,
    (Part(1, "押金 800", "一"), Part(3, "half a pair \udc00, NUL \0", "")),
    total_parts=4,
    is_cut=True,
    encoding="gbk",
)


def test_what_is_packed_comes_out_again() -> None:
    assert unpack(pack(BOOK)) == BOOK


def test_anything_else_is_no_document() -> None:
    packed = pack(BOOK)
    for damaged in (b"", b"\0" * 40, packed[:-9], pack(BOOK)[:20] + b"x" * 20):
        assert unpack(damaged) is None
