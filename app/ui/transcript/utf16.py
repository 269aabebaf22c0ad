"""The one place where Python's characters meet Qt's positions.

Python counts a text in code points, QTextDocument in UTF-16 units: an emoji is one there and two
here. Every number that goes from a ``str`` to a cursor, a layout or a highlighter passes through
``utf16_length``; a number that comes back cuts a ``str`` through ``utf16_slice``.
"""

from __future__ import annotations

_CODEC = "utf-16-le"
_LINE = "\u2028"  # QTextDocument's line break inside a paragraph
# What QTextDocument does not keep as it was handed over, so that lengths would differ: the ends of
# paragraphs and frames, and the byte order marks that PySide takes off the front of a text.
_CHANGED = str.maketrans(
    {"\r": _LINE, "\u2029": _LINE, "\ufdd0": "\ufffd", "\ufdd1": "\ufffd"}
    | {"\ufffe": "\ufffd", "\ufeff": ""}
)


def utf16_length(text: str) -> int:
    """Return how many positions a text takes in a document."""
    return len(text) if text.isascii() else len(text.encode(_CODEC, "surrogatepass")) // 2


def utf16_slice(text: str, start: int, end: int) -> str:
    """Return what stands between two positions of a text, counted from its beginning."""
    if text.isascii():
        return text[start:end]
    units = text.encode(_CODEC, "surrogatepass")
    return units[2 * start : 2 * end].decode(_CODEC, "replace")


def settable(text: str) -> str:
    """Return a line of text as a document keeps it, character for character."""
    if text.isascii() and "\r" not in text:
        return text
    return text.replace("\r\n", _LINE).translate(_CHANGED)
