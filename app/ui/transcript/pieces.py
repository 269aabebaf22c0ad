"""A paragraph as pieces of formatted text, and the smallest change from one state to the next.

A growing paragraph is set thirty times a second. Only what differs is replaced, from the first
differing character on, so that a selection before it holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtGui import QTextCharFormat, QTextCursor

from app.rendering.blocks import Formula, Inline, Picture, Style, Text
from app.ui.transcript.paper import PAD, Manner, Paper

_PAD = "\u00a0"
_LINE = "\u2028"  # QTextDocument's line break inside a paragraph


@dataclass(frozen=True, slots=True)
class Piece:
    """Text in one format."""

    text: str
    style: Style = Style.PLAIN
    link: str = ""
    pad: bool = False


def pieces_of(inlines: Sequence[Inline], paper: Paper) -> list[Piece]:
    """Return a paragraph's pieces in order."""
    pieces: list[Piece] = []
    for inline in inlines:
        match inline:
            case Text():
                pieces += _text(inline)
            case Formula():
                source = inline.marks[0] + inline.source + inline.marks[1]
                pieces.append(Piece(source.replace("\n", " "), inline.style | Style.CODE))
            case Picture():
                pieces += _picture(inline, paper)
    return pieces


def _text(inline: Text) -> list[Piece]:
    text = inline.text.replace("\n", _LINE)
    if not inline.style & Style.CODE:
        return [Piece(text, inline.style, inline.link)]
    pad = Piece(_PAD, inline.style & ~(Style.BOLD | Style.ITALIC), pad=True)
    return [pad, Piece(text, inline.style, inline.link), pad]


def _picture(picture: Picture, paper: Paper) -> list[Piece]:
    """An image is its address: nothing is fetched, a click opens it in the browser."""
    label = paper.look.language.text("transcript-image", alt=picture.alt or "–")
    return [Piece(label + " "), Piece(picture.address, Style.CODE, picture.address)]


def write(cursor: QTextCursor, pieces: Sequence[Piece], manner: Manner, paper: Paper) -> None:
    """Insert pieces at a cursor."""
    for piece in pieces:
        cursor.insertText(piece.text, format_of(piece, manner, paper))


def format_of(piece: Piece, manner: Manner, paper: Paper) -> QTextCharFormat:
    """Return the character format of a piece."""
    if not piece.pad:
        return paper.typeset.format(manner, piece.style, piece.link)
    made = paper.typeset.format(manner, piece.style)
    made.setFont(paper.typeset.font(manner))
    made.setProperty(PAD, True)
    return made


def common_length(old: Sequence[Piece], new: Sequence[Piece]) -> int:
    """Return how many characters two states share from the start, formats included."""
    shared = 0
    for before, after in zip(old, new, strict=False):
        if before == after:
            shared += len(before.text)
            continue
        if (before.style, before.link, before.pad) == (after.style, after.link, after.pad):
            shared += _prefix(before.text, after.text)
        break
    return shared


def _prefix(a: str, b: str) -> int:
    if b.startswith(a):
        return len(a)
    if a.startswith(b):
        return len(b)
    return next(i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y)


def after(pieces: Sequence[Piece], count: int) -> list[Piece]:
    """Return the pieces without their first ``count`` characters."""
    rest: list[Piece] = []
    for piece in pieces:
        if count >= len(piece.text):
            count -= len(piece.text)
        else:
            rest.append(Piece(piece.text[count:], piece.style, piece.link, piece.pad))
            count = 0
    return rest
