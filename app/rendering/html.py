"""Markdown as HTML, for pages that are saved: the same grammar as on the screen.

Nothing is fetched by what it makes: a picture is a link to where it lies, a formula is drawn in
the page itself. Code has the colours of the screen by classes, which ``code_style`` gives colours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from app.rendering.formulas import draw
from app.rendering.grammar import build_parser
from app.rendering.highlighting import LineLexer, Spans
from app.rendering.maths import closing_mark

_SIZE, _DISPLAY_SIZE = 16.5, 18.0  # px of formulas: their letters look smaller than the words'
_TONES = ("ink3", "azurite", "accent", "ochre", "rouge")


def code_style(light: Mapping[str, str], dark: Mapping[str, str]) -> str:
    """Return the style of code's colours, by the palette's names, on light and dark screens."""
    by_day, by_night = (
        "".join(f".t-{tone}{{color:{colors[tone]}}}" for tone in _TONES) for colors in (light, dark)
    )
    return f"{by_day}@media(prefers-color-scheme:dark){{{by_night}}}"


def markdown_html(text: str, *, outlines: bool = True) -> str:
    """Return a text as safe HTML: raw HTML in it is text, links are those that may be opened.

    Args:
        text: Markdown.
        outlines: draw formulas; else they are their sources, for programs that take no SVG.
    """
    parser = build_parser()
    parser.options["breaks"] = True  # as on the screen: a line that was ended is ended
    parser.renderer.rules |= {  # type: ignore[attr-defined]
        "formula": _formula,
        "display_formula": _display_formula,
        "image": _image,
        "table_open": _table_open,
        "table_close": _table_close,
        "note_open": _note_open,
        "note_close": _note_close,
        "note_mark": _note_mark,
        "fence": _fence,
        "code_block": _fence,
    }
    if not outlines:
        parser.renderer.rules |= {  # type: ignore[attr-defined]
            "formula": _formula_source,
            "display_formula": _formula_source,
        }
    return str(parser.render(text))


def _formula(tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType) -> str:
    return _drawn(tokens[at], display=False) or _formula_source(tokens, at, options, env)


def _display_formula(tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType) -> str:
    drawn = _drawn(tokens[at], display=True)
    if drawn:
        return f'<div class="formula">{drawn}</div>\n'
    return f"<pre><code>{_source(tokens[at])}</code></pre>\n"


def _formula_source(tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType) -> str:
    return f"<code>{_source(tokens[at])}</code>"


def _drawn(token: Token, *, display: bool) -> str:
    """Return a formula as outlines in the ink of the words around it; nothing where it is none."""
    size = _DISPLAY_SIZE if display else _SIZE
    sketch = draw(token.content.strip(), size, display=display)
    if sketch is None:
        return ""
    about = f'role="img" aria-label="{_source(token)}"'
    place = f'style="vertical-align:{-sketch.descent:.2f}px"'
    svg = sketch.svg.decode().replace('fill="black"', 'fill="currentColor"')
    return svg.replace("<svg ", f"<svg {about} {place} ", 1)


def _fence(tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType) -> str:
    language = (tokens[at].info.split() or [""])[0]
    lines = tokens[at].content.removesuffix("\n").split("\n")
    lexer = LineLexer(language)
    lexer.push(lines)
    for _ in lexer.exact():
        pass
    code = "\n".join(map(_coloured, lines, lexer.spans))
    named = f' class="language-{escape(language)}"' if language else ""
    return f"<pre><code{named}>{code}\n</code></pre>\n"


def _coloured(line: str, spans: Spans) -> str:
    parts, at = [], 0
    for span in spans:
        end = span.start + span.length
        parts.append(escape(line[at : span.start]))
        parts.append(f'<span class="t-{span.tone}">{escape(line[span.start : end])}</span>')
        at = end
    return "".join((*parts, escape(line[at:])))


def _source(token: Token) -> str:
    return escape(f"{token.markup}{token.content}{closing_mark(token.markup)}")


def _image(tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType) -> str:
    address = str(tokens[at].attrGet("src") or "")
    return f'<a href="{escape(address)}">{escape(tokens[at].content or address)}</a>'


def _table_open(tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType) -> str:
    return '<div class="table"><table>\n'


def _table_close(tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType) -> str:
    return "</table></div>\n"


def _note_open(tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType) -> str:
    return f'<section class="note"><sup>{escape(tokens[at].info)}</sup>\n'


def _note_close(tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType) -> str:
    return "</section>\n"


def _note_mark(tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType) -> str:
    return f"<sup>{escape(tokens[at].content)}</sup>"
