"""Very long paragraphs in pieces: Qt sets a paragraph in one go, and a megabyte takes a second."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from app.rendering.blocks import Inline, Text

_LONGEST = 6_000  # characters of a piece: some 5 ms; nearly no paragraph is that long
_UNBROKEN = 300  # letters without a space: Qt tries every place to break them
_BACK = 200  # characters before a piece's end in which a space is looked for
_SENTENCES = 1_500  # … and the end of a sentence: the last row of a piece is not filled
_SENTENCE = re.compile("[.!?…][\"'”’)\\]]*\\s+|[。！？][”’」』）]*")


def in_pieces(inlines: Sequence[Inline]) -> Iterator[tuple[Inline, ...]]:
    """Yield the content of a paragraph in pieces that are quick to set, mostly the one."""
    piece: list[Inline] = []
    room = _LONGEST
    for inline in inlines:
        start = 0
        while isinstance(inline, Text) and len(inline.text) - start > room:
            end = cut(inline.text, room, start)
            piece.append(replace(inline, text=inline.text[start:end]))
            yield tuple(piece)
            piece, room, start = [], _LONGEST, end
        if isinstance(inline, Text) and start:
            inline = replace(inline, text=inline.text[start:])  # noqa: PLW2901 - what is left of it
        piece.append(inline)
        room -= len(inline.text) if isinstance(inline, Text) else 1
    yield tuple(piece)


def cut(text: str, most: int, start: int = 0) -> int:
    """Return where to end a piece of at most so many characters: behind a sentence, or a space.

    A piece is never copied with all that follows it: of a megabyte that would cost a second.
    """
    last = start + max(1, most)
    ends = [end.end() for end in _SENTENCE.finditer(text, max(start, last - _SENTENCES), last)]
    if ends:
        return ends[-1]
    behind = text.rfind(" ", max(start, last - _BACK), last) + 1
    return behind or (min(last, start + _UNBROKEN) if text[start:last].isascii() else last)
