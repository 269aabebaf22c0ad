"""A schema is refused where it is typed, in the words of what would refuse it later."""

from __future__ import annotations

import pytest

from app.chat.schemas import schema_fault

RIGHT = (
    "",
    "{}",
    '{"type": "object", "properties": {"name": {"type": "string"}}}',
    '{"enum": ["red", "green"]}',
    '{"$defs": {"a": {"type": "integer"}}, "type": "array", "items": {"$ref": "#/$defs/a"}}',
)
REFUSED = (
    ('{"type": "fish"}', "fish"),
    ('{"$ref": "http://localhost/elsewhere"}', "elsewhere"),
    ('{"type": "string", "pattern": "("}', "regex"),
)


@pytest.mark.parametrize("text", RIGHT)
def test_what_answers_can_be_held_to_is_right(text: str) -> None:
    assert schema_fault(text) is None


@pytest.mark.parametrize("text", ["{", "[1]", "3", "null", "[" * 100_000])
def test_what_is_no_object_is_no_schema(text: str) -> None:
    assert schema_fault(text) == ""


@pytest.mark.parametrize(("text", "word"), REFUSED)
def test_what_nothing_can_be_held_to_is_named(text: str, word: str) -> None:
    assert word in (schema_fault(text) or "")
