"""Very long paragraphs in pieces: Qt sets a paragraph in one go, and a megabyte takes a second."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from app.rendering.blocks import Inline, Text

_LONGEST = 6_000  # characters of a piece: some 5 ms; nearly no paragraph is that long
_UNBROKEN = 300  # letters without a space: Qt tries every place to break them
_BACK = 200  # characters before a piece's end in which a space is looked for


def in_pieces(inlines: Sequence[Inline]) -> Iterator[tuple[Inline, ...]]:
    """Yield the content of a paragraph in pieces that are quick to set, mostly the one."""
    piece: list[Inline] = []
    room = _LONGEST
    for inline in inlines:
        while isinstance(inline, Text) and len(inline.text) > room:
            end = cut(inline.text, room)
            piece.append(replace(inline, text=inline.text[:end]))
            yield tuple(piece)
            inline = replace(inline, text=inline.text[end:])  # noqa: PLW2901 - what is left of it
            piece, room = [], _LONGEST
        piece.append(inline)
        room -= len(inline.text) if isinstance(inline, Text) else 1
    yield tuple(piece)


def cut(text: str, most: int) -> int:
    """Return where to end a piece of at most so many characters: behind a space, if one is near."""
    most = max(1, most)
    behind = text.rfind(" ", max(0, most - _BACK), most) + 1
    return behind or (min(most, _UNBROKEN) if text[:most].isascii() else most)
