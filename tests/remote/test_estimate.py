"""Tokens of a server that does not say how many it wrote."""

from __future__ import annotations

import pytest

from engine.remote.estimate import GrowingEstimate, estimated_tokens

TEXT = "one, two, three, four, five, six, seven, eight, nine, ten"


@pytest.mark.parametrize("length", [1, 3, 6, 13, len(TEXT)])
def test_a_text_in_pieces_has_as_many_as_pieces_or_as_its_letters_say(length: int) -> None:
    pieces = [TEXT[n : n + length] for n in range(0, len(TEXT), length)]
    estimate = GrowingEstimate()
    added = [estimate.add(piece) for piece in pieces]
    assert sum(added) == estimate.tokens == max(len(pieces), estimated_tokens(TEXT))
    assert min(added) >= 0


def test_an_empty_piece_is_none() -> None:
    estimate = GrowingEstimate()
    assert estimate.add("") == 0
    assert estimate.add("冰") == 1
