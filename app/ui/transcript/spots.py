"""Where a place in a paragraph is after the paragraph has been set anew.

A formula is its source until it is drawn and one character afterwards, so everything behind it
moves. A selection is kept by what it holds, not by its numbers. All numbers are Qt's, in UTF-16.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtGui import QTextCursor

from app.ui.transcript.pieces import Piece
from app.ui.transcript.utf16 import utf16_length


def carried(position: int, old: Sequence[Piece], new: Sequence[Piece], *, is_end: bool) -> int:
    """Return where a place stands in the new state of a paragraph.

    Args:
        position: in the old state, from the paragraph's beginning.
        old: the pieces of the old state.
        new: the pieces of the new one.
        is_end: a selection ends there; inside a formula that looks otherwise now it grows to hold
            the whole of it, as at its other end.
    """
    inline, offset = _inside(old, position, is_end=is_end)
    start = sum(_lengths(new, before=inline))
    was, now = _text(old, inline), _text(new, inline)
    if _is_formula(old, inline) and was != now:
        return start + (utf16_length(now) if is_end else 0)
    return start + min(offset, utf16_length(_shared(was, now)))


def take_between(cursor: QTextCursor, anchor: int, position: int) -> QTextCursor:
    """Return a cursor with what stands between two places of its document selected."""
    cursor.setPosition(anchor)
    cursor.setPosition(position, QTextCursor.MoveMode.KeepAnchor)
    return cursor


def _inside(pieces: Sequence[Piece], position: int, *, is_end: bool) -> tuple[int, int]:
    """Return the inline a place belongs to, and how far behind its beginning it is."""
    inline, start, end = 0, 0, 0
    for piece in pieces:
        if piece.inline != inline:
            inline, start = piece.inline, end
        end += utf16_length(piece.text)
        if position < end or (is_end and position == end):
            break
    return inline, min(position, end) - start


def _lengths(pieces: Sequence[Piece], *, before: int) -> Iterator[int]:
    return (utf16_length(piece.text) for piece in pieces if piece.inline < before)


def _text(pieces: Sequence[Piece], inline: int) -> str:
    return "".join(piece.text for piece in pieces if piece.inline == inline)


def _is_formula(pieces: Sequence[Piece], inline: int) -> bool:
    return any(piece.is_formula for piece in pieces if piece.inline == inline)


def _shared(was: str, now: str) -> str:
    if now.startswith(was):
        return was
    differs = (k for k, (a, b) in enumerate(zip(was, now, strict=False)) if a != b)
    return was[: next(differs, min(len(was), len(now)))]
