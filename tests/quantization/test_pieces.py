"""The text that a copy is measured with, cut up as the model is used to reading."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from engine.quantizing import pieces

BOS = 2


def text_of(*, adds_bos: bool) -> Any:
    """A model's text side: a letter is a token."""
    first = [BOS] if adds_bos else []
    frame = SimpleNamespace(bos=BOS, adds_bos=adds_bos)
    tokenizer = SimpleNamespace(frame=frame)
    return cast(Any, SimpleNamespace(raw=lambda x: first + list(map(ord, x)), tokenizer=tokenizer))


def spelled(rows: list[list[int]]) -> list[str]:
    return ["".join("^" if id_ == BOS else chr(id_) for id_ in row) for row in rows]


@pytest.mark.parametrize(
    ("adds_bos", "again", "expected"),
    [
        (False, 0, ["abcd", "efgh", "ij"]),
        (True, 0, ["^abc", "^def", "^ghi", "^j"]),
        (False, 1, ["abcd", "defg", "ghij"]),
        (True, 1, ["^abc", "^cde", "^efg", "^ghi", "^ij"]),
    ],
)
def test_every_piece_begins_as_the_model_wants_it(
    adds_bos: bool, again: int, expected: list[str]
) -> None:
    rows = pieces(text_of(adds_bos=adds_bos), "abcdefghij", 4, again=again)
    assert spelled(rows) == expected


def test_an_empty_text_has_no_pieces() -> None:
    assert pieces(text_of(adds_bos=True), "", 4) == []
