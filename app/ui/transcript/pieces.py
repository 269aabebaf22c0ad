"""A paragraph as pieces of formatted text, and the smallest change from one state to the next.

A growing paragraph is set thirty times a second. Only what differs is replaced, from the first
differing character on, so that a selection before it holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF, QTextCharFormat, QTextCursor

from app.rendering.blocks import Formula, Inline, Picture, Style, Text
from app.ui.transcript.formulas import Key
from app.ui.transcript.inline_formula import formula_format, is_tall
from app.ui.transcript.paper import PAD, Manner, Paper
from app.ui.transcript.utf16 import settable

_PAD = "\u00a0"
_OBJECT = "\ufffc"
_LINE = "\u2028"  # QTextDocument's line break inside a paragraph


@dataclass(frozen=True, slots=True)
class Piece:
    """Text in one format."""

    text: str
    style: Style = Style.PLAIN
    link: str = ""
    pad: bool = False
    formula: str = ""  # its LaTeX, where the text is the one character that stands for it
    is_unseen: bool = False  # a source that only keeps room: its formula is about to be drawn
    is_formula: bool = field(default=False, compare=False)  # drawn or not
    inline: int = field(default=0, compare=False)  # which of the paragraph's it is part of


def pieces_of(inlines: Sequence[Inline], manner: Manner, paper: Paper) -> list[Piece]:
    """Return a paragraph's pieces in order."""
    pieces: list[Piece] = []
    for number, inline in enumerate(inlines):
        match inline:
            case Text():
                own = _text(inline)
            case Formula():
                own = [replace(p, is_formula=True) for p in _formula(inline, manner, paper)]
            case Picture():
                own = _picture(inline, paper)
        pieces += [replace(piece, inline=number) for piece in own] if number else own
    return pieces


def formula_key(source: str, manner: Manner, paper: Paper) -> Key:
    """Return what is drawn for a formula among words: a little larger than they are."""
    return Key(source, paper.typeset.font(manner).pixelSize() + 1, display=False)


def has_tall(pieces: Sequence[Piece], manner: Manner, paper: Paper) -> bool:
    """Tell whether a formula among the pieces reaches out of a line of fixed height."""
    metrics = QFontMetricsF(paper.typeset.font(manner))
    keys = [formula_key(piece.formula, manner, paper) for piece in pieces if piece.formula]
    sketches = [paper.formulas.sketch(key) for key in keys]
    return any(sketch is not None and is_tall(sketch, metrics) for sketch in sketches)


def _formula(inline: Formula, manner: Manner, paper: Paper) -> list[Piece]:
    """A formula is one character, until it is drawn its source; one that cannot be is code."""
    key = formula_key(inline.source, manner, paper)
    if paper.formulas.sketch(key) is not None:
        return [Piece(_OBJECT, inline.style, formula=inline.source)]
    source = inline.marks[0] + inline.source + inline.marks[1]
    if paper.formulas.is_pending(key):
        text, is_unseen = settable(source.replace("\n", " ")), paper.formulas.is_awaited(key)
        return [Piece(text, inline.style, is_unseen=is_unseen)]
    return _text(Text(source.replace("\n", " "), inline.style | Style.CODE))


def _text(inline: Text) -> list[Piece]:
    text = settable(inline.text.replace("\r\n", "\n").replace("\n", _LINE))
    if not inline.style & Style.CODE:
        return [Piece(text, inline.style, inline.link)]
    pad = Piece(_PAD, inline.style & ~(Style.BOLD | Style.ITALIC), pad=True)
    return [pad, Piece(text, inline.style, inline.link), pad]


def _picture(picture: Picture, paper: Paper) -> list[Piece]:
    """An image is its address: nothing is fetched, a click opens it in the browser."""
    label = paper.look.language.text("transcript-image", alt=picture.alt or "–")
    address = settable(picture.address)
    return [Piece(settable(label) + " "), Piece(address, Style.CODE, picture.address)]


def write(cursor: QTextCursor, pieces: Sequence[Piece], manner: Manner, paper: Paper) -> None:
    """Insert pieces at a cursor."""
    for piece in pieces:
        cursor.insertText(piece.text, format_of(piece, manner, paper))


def format_of(piece: Piece, manner: Manner, paper: Paper) -> QTextCharFormat:
    """Return the character format of a piece."""
    if piece.formula:
        key = formula_key(piece.formula, manner, paper)
        sketch = paper.formulas.sketch(key)
        base = paper.typeset.format(manner, piece.style)
        return base if sketch is None else formula_format(base, key, sketch)
    if piece.is_unseen:
        made = paper.typeset.format(manner, piece.style)
        made.setForeground(Qt.GlobalColor.transparent)
        return made
    if not piece.pad:
        return paper.typeset.format(manner, piece.style, piece.link)
    made = paper.typeset.format(manner, piece.style)
    made.setFont(paper.typeset.font(manner))
    made.setProperty(PAD, True)
    return made


def common_length(old: Sequence[Piece], new: Sequence[Piece]) -> int:
    """Return how many characters of Python's two states share, formats included."""
    shared = 0
    for before, after in zip(old, new, strict=False):
        if before == after:
            shared += len(before.text)
            continue
        if _manner(before) == _manner(after):
            shared += _prefix(before.text, after.text)
        break
    return shared


def added_at_end(old: Sequence[Piece], new: Sequence[Piece]) -> Piece | None:
    """Return what the last piece has more than before, if that is all that has changed."""
    if not old or len(old) != len(new) or any(a != b for a, b in zip(old[:-1], new, strict=False)):
        return None
    before, now = old[-1], new[-1]
    if _manner(before) != _manner(now) or now.formula or not now.text.startswith(before.text):
        return None
    return replace(now, text=now.text[len(before.text) :])


def _manner(piece: Piece) -> tuple[Style, str, bool, str, bool]:
    return piece.style, piece.link, piece.pad, piece.formula, piece.is_unseen


def _prefix(a: str, b: str) -> int:
    if b.startswith(a):
        return len(a)
    if a.startswith(b):
        return len(b)
    return next(i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y)


def after(pieces: Sequence[Piece], count: int) -> list[Piece]:
    """Return the pieces without their first ``count`` characters of Python's."""
    rest: list[Piece] = []
    for piece in pieces:
        if count >= len(piece.text):
            count -= len(piece.text)
        else:
            rest.append(replace(piece, text=piece.text[count:]))
            count = 0
    return rest
