"""Markdown as HTML, for pages that are saved: the same grammar as on the screen.

Nothing is fetched by what it makes: a picture is a link to where it lies, a formula is its source.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from app.rendering.grammar import build_parser
from app.rendering.maths import closing_mark


def markdown_html(text: str) -> str:
    """Return a text as safe HTML: raw HTML in it is text, links are those that may be opened."""
    parser = build_parser()
    parser.renderer.rules |= {  # type: ignore[attr-defined]
        "formula": _formula,
        "display_formula": _display_formula,
        "image": _image,
        "note_open": _note_open,
        "note_close": _note_close,
        "note_mark": _note_mark,
    }
    return str(parser.render(text))


def _formula(tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType) -> str:
    return f"<code>{_source(tokens[at])}</code>"


def _display_formula(tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType) -> str:
    return f"<pre><code>{_source(tokens[at])}</code></pre>\n"


def _source(token: Token) -> str:
    return escape(f"{token.markup}{token.content}{closing_mark(token.markup)}")


def _image(tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType) -> str:
    address = str(tokens[at].attrGet("src") or "")
    return f'<a href="{escape(address)}">{escape(tokens[at].content or address)}</a>'


def _note_open(tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType) -> str:
    return f"<section><sup>{escape(tokens[at].info)}</sup>\n"


def _note_close(tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType) -> str:
    return "</section>\n"


def _note_mark(tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType) -> str:
    return f"<sup>{escape(tokens[at].content)}</sup>"
