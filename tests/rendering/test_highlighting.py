"""Colours of code: line by line, and exact in the end."""

from __future__ import annotations

import pytest
from pygments.lexers import get_lexer_by_name

from app.rendering.highlighting import LineLexer, Span, language_name, language_suffix, tone_of

SAMPLES = {
    "python": '@cache\ndef f(x: int) -> str:\n    """Two\n    lines."""\n    return f"{x}"\n',
    "javascript": "/* a\n * b */\nconst a = `t ${x}\n z`; // c\nfunction f() { return 1 }\n",
    "go": "package main\n/* a\n*/\nfunc main() { s := `a\nb` }\n",
    "css": "a:hover { color: #fff; /* c\n d */ margin: 0 }\n",
    "json": '{"a": [1, 2.5, true],\n "b": "x"}\n',
    "rust": 'fn main() { /* a\n */ let s = "x"; }\n',
    "typescript": "interface A { b: string }\nexport const f = (x: number) => `a${x}`;\n",
}


def whole(language: str, lines: list[str]) -> LineLexer:
    lexer = LineLexer(language)
    lexer.push(lines)
    for _ in lexer.exact():
        pass
    return lexer


@pytest.mark.parametrize("language", SAMPLES)
def test_line_by_line_equals_the_whole(language: str) -> None:
    lines = SAMPLES[language].rstrip("\n").split("\n")
    growing = LineLexer(language)
    for line in lines:
        growing.push([line])
    assert growing.spans == whole(language, lines).spans


def test_each_line_is_read_once() -> None:
    lexer = LineLexer("python")
    assert [lexer.push([f"x{i} = {i}"]) for i in range(5)] == [0, 1, 2, 3, 4]


def test_an_open_comment_holds_the_state_back_but_not_for_ever() -> None:
    lexer = LineLexer("go")
    assert lexer.push(["/* a"]) == 0
    assert lexer.push([" b"]) == 0
    for _ in range(100):
        lexer.push(["words"])
    assert lexer.push(["words"]) > 0


def test_what_lines_cannot_know_is_put_right_by_the_exact_reading() -> None:
    lines = ["cat <<EOF", "x", "EOF"]
    assert whole("bash", lines).spans[1] == (Span(0, 1, "accent"),)


def test_an_unknown_language_stays_ink() -> None:
    lexer = LineLexer("no such language")
    lexer.push(["def f"])
    assert lexer.spans == [()]
    assert not lexer.colours


def test_every_popular_language_can_go_on_from_a_kept_state_or_alone() -> None:
    for language in ("c", "cpp", "java", "html", "sql", "bash", "yaml", "ruby", "php", "markdown"):
        lexer = LineLexer(language)
        for line in ("<a b='c'>", "key: value", "```", "x = 1 /* y */", "'open", ""):
            lexer.push([line])
        assert len(lexer.spans) == 6


def test_colours_are_those_of_the_palette() -> None:
    tokens = get_lexer_by_name("python").get_tokens("def f(): return 1 # c")
    assert {tone_of(kind) for kind, _ in tokens} == {"azurite", "rouge", "ochre", "ink3", ""}


def test_languages_are_called_by_their_names() -> None:
    assert language_name("py") == "Python"
    assert language_name("js") == "JavaScript"
    assert language_name("brainwave") == "brainwave"
    assert language_suffix("python") == ".py"
    assert language_suffix("") == ".txt"
