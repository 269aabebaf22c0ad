"""Prompts that are used again: their variables, their place among the program's, what is found."""

from __future__ import annotations

import pytest

from app.chat.templates import (
    Template,
    filled,
    line_of,
    matching,
    templates_of,
    variables,
)

BUILT_IN = [Template("translate", "To {{language}}: {{text}}", is_own=False)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("To {{language}}: {{ text }}, {{language}} again", ("language", "text")),
        ("翻译成{{语言}}", ("语言",)),
        ("a {{}} {{ }} {single} {{a\nb}} {{{x}}}", ("x",)),
        ("nothing", ()),
    ],
)
def test_variables_are_named_once_in_their_order(text: str, names: tuple[str, ...]) -> None:
    assert variables(text) == names


def test_a_value_is_not_read_for_variables_again() -> None:
    text = "{{a}} and {{ b }} and {{c}}"
    assert filled(text, {"a": "{{b}}", "b": r"\1"}) == r"{{b}} and \1 and {{c}}"


def test_ones_own_takes_the_place_of_its_namesake_and_stands_first() -> None:
    own = Template("Translate", "mine\n\nwith lines")
    both = templates_of(
        [line_of(own), "broken", "\nno name", line_of(Template("b", "x"))], BUILT_IN
    )
    assert both == [Template("b", "x"), own]
    assert templates_of([], BUILT_IN) == BUILT_IN


def test_what_begins_with_the_typed_letters_comes_first() -> None:
    names = ["rewrite", "a write-up", "Write a letter", "explain"]
    found = matching([Template(name, "x") for name in names], "wri")
    assert [each.name for each in found] == ["Write a letter", "rewrite", "a write-up"]
    assert len(matching([Template(name, "x") for name in names], "")) == 4
