"""Words that are looked for, marked in the blocks of a column."""

from __future__ import annotations

from collections.abc import Sequence

from app.rendering.blocks import Block, Paragraph
from app.ui.transcript.place import Place
from app.ui.transcript.prose import Prose
from app.ui.transcript.rows import mark_row
from app.ui.transcript.seams import Seams
from app.ui.transcript.search import across_blocks, hits_in

Marked = tuple[str, int, int]  # words, the block and the place in it that is shown


def mark_place(place: Place, places: Sequence[Place], marked: Marked) -> None:
    """Mark words in the widget of a block, if it has one."""
    if place.row is None:
        return
    words, block, nth = marked
    if isinstance(place.row, Prose) and isinstance(place.block, Paragraph):
        place.row.set_seams(_seams(place, places, marked) if words else Seams())
    shown = 0 <= block < len(places) and places[block] is place
    mark_row(place.row, words, nth if shown else -1)


def _seams(place: Place, places: Sequence[Place], marked: Marked) -> Seams:
    """Return what of the words stands across the ends of a paragraph that is set in pieces."""
    index = next(k for k, other in enumerate(places) if other is place)
    words, block, nth = marked[0].lower(), marked[1], marked[2]
    before: Block | None = places[index - 1].block if index else None
    after = places[index + 1].block if index + 1 < len(places) else None
    head = across_blocks(before, place.block, words)[1]
    tail = across_blocks(place.block, after, words)[0]
    is_shown = before is not None and block == index - 1 and nth == hits_in(before, words)
    return Seams(head, tail, is_head_shown=is_shown and head > 0)
