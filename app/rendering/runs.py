"""The inside of a paragraph: markdown-it's inline tokens to pieces of styled text."""

from __future__ import annotations

from collections.abc import Sequence

from markdown_it.token import Token

from app.rendering.addresses import is_safe
from app.rendering.blocks import Formula, Inline, Picture, Style, Text
from app.rendering.maths import closing_mark

_STYLES = {"strong": Style.BOLD, "em": Style.ITALIC, "s": Style.STRIKE}


def read_inlines(tokens: Sequence[Token] | None) -> tuple[Inline, ...]:
    """Return a paragraph's pieces; neighbours in the same style are one piece."""
    inlines: list[Inline] = []
    style, link = Style.PLAIN, ""
    for token in tokens or ():
        name, _, edge = token.type.rpartition("_")
        if name in _STYLES:
            style = style | _STYLES[name] if edge == "open" else style & ~_STYLES[name]
        elif name == "link":
            address = str(token.attrGet("href") or "") if edge == "open" else ""
            link = address if is_safe(address) else ""
        else:
            _append(inlines, _piece(token, style, link))
    return tuple(inlines)


def _piece(token: Token, style: Style, link: str) -> Inline:
    match token.type:
        case "code_inline":
            return Text(token.content, style | Style.CODE, link)
        case "softbreak" | "hardbreak":
            return Text("\n", style, link)
        case "formula":
            return Formula(token.content, (token.markup, closing_mark(token.markup)), style)
        case "note_mark":
            return Text(token.content, style | Style.RAISED)
        case "image":
            return Picture(token.content, str(token.attrGet("src") or ""))
        case _:
            return Text(token.content, style, link)


def _append(inlines: list[Inline], piece: Inline) -> None:
    last = inlines[-1] if inlines else None
    if isinstance(piece, Text) and not piece.text:
        return
    if (
        isinstance(last, Text)
        and isinstance(piece, Text)
        and (last.style, last.link) == (piece.style, piece.link)
        and not piece.style & Style.CODE
    ):
        inlines[-1] = Text(last.text + piece.text, piece.style, piece.link)
    else:
        inlines.append(piece)
