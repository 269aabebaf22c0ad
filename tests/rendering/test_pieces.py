"""Very long paragraphs: their pieces end where the eye expects it, and nothing is lost."""

from __future__ import annotations

import pytest

from app.rendering.blocks import Style, Text
from app.rendering.pieces import in_pieces


@pytest.mark.parametrize(
    ("sentence", "end"),
    [
        ("The ship sailed on, and nobody knew where. ", ". "),
        ("She said “no.” ", "” "),
        ("船继续向前，没有人知道去哪里。", "。"),
        ("她说：“不。”", "”"),
        ("she was very proud, ", " "),
        ("漂", "漂"),
    ],
)
def test_a_piece_ends_with_a_sentence_or_at_least_with_a_word(sentence: str, end: str) -> None:
    text = sentence * (20_000 // len(sentence))
    pieces = ["".join(each.text for each in piece) for piece in in_pieces([Text(text)])]
    assert "".join(pieces) == text
    assert len(pieces) > 3
    assert all(piece.endswith(end) and 4_000 < len(piece) <= 6_000 for piece in pieces[:-1])


def test_a_piece_that_ends_does_so_wherever_the_rest_is_cut_off() -> None:
    """While a reply grows the first piece stays as it is."""
    text = "A sentence that is not short at all. " * 400
    first = next(iter(in_pieces([Text(text)])))
    for length in (6_001, 6_500, 9_000):
        assert next(iter(in_pieces([Text(text[:length])]))) == first


def test_bold_words_and_links_keep_their_style_across_a_seam() -> None:
    inlines = [Text("word " * 1_100), Text("bold words. " * 100, Style.BOLD), Text("end " * 500)]
    pieces = list(in_pieces(inlines))
    assert [each.style for each in pieces[0] if isinstance(each, Text)] == [
        Style.PLAIN, Style.BOLD,
    ]  # fmt: skip
    joined = "".join(each.text for piece in pieces for each in piece if isinstance(each, Text))
    assert joined == "".join(each.text for each in inlines)
