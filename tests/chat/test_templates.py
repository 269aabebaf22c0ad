"""Prompts that are used again: their variables, their place among the program's, what is found."""

from __future__ import annotations

import pytest

from app.chat.carried import CarriedFileError, clashes, free_name, merged
from app.chat.templates import (
    Template,
    file_of,
    filled,
    line_of,
    matching,
    read_file,
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


def test_a_file_holds_all_of_them() -> None:
    mine = [Template("信", "写给 {{谁}}\n\n两段"), Template("b", "x")]
    assert read_file(file_of(mine)) == mine


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "templates-file-unreadable"),
        ("[" * 100_000, "templates-file-unreadable"),
        ("[1]", "templates-file-other"),
        ('{"format": "inkstone-presets", "presets": []}', "templates-file-other"),
        ('{"format": "inkstone-prompts", "prompts": []}', "templates-file-empty"),
        ('{"format": "inkstone-prompts", "prompts": [1]}', "templates-file-other"),
        ('{"format": "inkstone-prompts", "prompts": [{"name": "a\\nb", "text": "x"}]}',
         "templates-file-name"),
        ('{"format": "inkstone-prompts", "prompts": [{"name": "%s", "text": "x"}]}' % ("a" * 41),
         "templates-file-name"),
        ('{"format": "inkstone-prompts", "prompts": [{"name": "a", "text": " "}]}',
         "templates-file-text"),
        ('{"format": "inkstone-prompts", "prompts": [{"name": "a", "text": 3}]}',
         "templates-file-text"),
        ('{"format": "inkstone-prompts", "prompts": [{"name": "a", "text": "half \\ud800"}]}',
         "templates-file-text"),
        ('{"format": "inkstone-prompts", "prompts": [{"name": "a\\ud800", "text": "x"}]}',
         "templates-file-name"),
        ('{"format": "inkstone-prompts", "prompts": [{"name": "a\\u202eb", "text": "x"}]}',
         "templates-file-name"),
        ('{"format": "inkstone-prompts", "prompts": [{"name": "a\\u2028b", "text": "x"}]}',
         "templates-file-name"),
    ],
)  # fmt: skip
def test_a_file_that_is_none_is_refused_whole(text: str, reason: str) -> None:
    with pytest.raises(CarriedFileError) as caught:
        read_file(text)
    assert caught.value.reason == reason


def test_what_is_brought_meets_what_is_there() -> None:
    there = [Template("a", "1"), Template("b", "2")]
    brought = [Template("B", "2"), Template("A", "other"), Template("c", "3")]
    assert clashes(there, brought) == ["A"]
    both = merged(there, brought, replaces=False)
    assert both == [*there, Template("A 2", "other"), Template("c", "3")]
    assert merged(both, brought, replaces=True)[0] == Template("A", "other")
    assert merged([], [brought[0], brought[0]], replaces=False) == [brought[0]]
    assert there == [Template("a", "1"), Template("b", "2")]


def test_a_free_name_is_no_longer_than_a_name() -> None:
    assert free_name("x", ["x", "X 2"]) == "x 3"
    assert len(free_name("y" * 40, ["y" * 40])) <= 40


@pytest.mark.parametrize("name", ["👩‍👧", "naïve", "写信", "שלום", "می‌خواهم"])
def test_names_of_every_script_are_taken(name: str) -> None:
    assert read_file(file_of([Template(name, "x")])) == [Template(name, "x", is_own=True)]
