"""A document as bytes, kept beside a draft so that another choice can be made from it later."""

from __future__ import annotations

import json
import zlib

from app.documents.document import Document, DocumentKind, Part

_LEVEL = (
    6  # prose becomes a third; four million characters take about 0.3 s, off the window's thread
)


def pack(document: Document) -> bytes:
    """Return a document as compressed bytes, its text whole."""
    held = {
        "name": document.name,
        "kind": document.kind.value,
        "parts": [[part.number, part.text, part.title] for part in document.parts],
        "total_parts": document.total_parts,
        "is_cut": document.is_cut,
        "encoding": document.encoding,
        "share": document.share,
    }
    text = json.dumps(held, ensure_ascii=False)
    return zlib.compress(text.encode("utf-8", errors="surrogatepass"), _LEVEL)


def unpack(packed: bytes) -> Document | None:
    """Return what ``pack`` packed; None for anything else: a damaged page, an older program."""
    try:
        held = json.loads(zlib.decompress(packed).decode("utf-8", errors="surrogatepass"))
        return Document(
            name=str(held["name"]),
            kind=DocumentKind(held["kind"]),
            parts=tuple(Part(int(n), str(text), str(title)) for n, text, title in held["parts"]),
            total_parts=int(held["total_parts"]),
            is_cut=bool(held["is_cut"]),
            encoding=str(held["encoding"]),
            share=float(held.get("share", 1.0)),  # an older program kept none
        )
    except (zlib.error, ValueError, KeyError, TypeError):
        return None
