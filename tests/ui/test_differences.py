"""Two answers word by word: what is marked, what counts as the same."""

from __future__ import annotations

import pytest

from app.ui.smaller.differences import compared, marks


def marked(pieces: tuple[tuple[str, bool], ...]) -> str:
    """The text, with what is marked in brackets."""
    return "".join(f"[{text}]" if differs else text for text, differs in pieces).replace("][", "")


@pytest.mark.parametrize(
    ("source", "copy", "left", "right", "same", "words"),
    [
        ("it holds them", "it keeps them", "it [holds] them", "it [keeps] them", 2, 3),
        ("a b c", "a b c", "a b c", "a b c", 3, 3),
        ("a. So it is.", "a. Then it was.", "a. [So] it [is.]", "a. [Then] it [was.]", 2, 4),
        ("one two end", "three four end", "[one two] end", "[three four] end", 1, 3),
        ("Yes.", "No way at all.", "[Yes.]", "[No way at all.]", 0, 4),
        ("冰比水轻。", "冰比水更轻。", "冰比水轻。", "冰比水[更]轻。", 5, 6),
        ("冰 floats", "水 floats", "[冰] floats", "[水] floats", 1, 2),
        ("", "words", "", "[words]", 0, 1),
    ],
)
def test_words_that_the_other_lacks_are_marked(
    source: str, copy: str, left: str, right: str, same: int, words: int
) -> None:
    found = compared(source, copy)
    assert (marked(found.source), marked(found.copy)) == (left, right)
    assert (found.same, found.words) == (same, words)


def test_lines_and_spaces_stay_as_they_were_written() -> None:
    text = "1. one\n2. two\n\n```\nx  = 1\n```"
    found = compared(text, "something else")
    assert "".join(piece for piece, _ in found.source) == text
    assert not any(differs for piece, differs in found.source if "\n" in piece)


def test_marks_stand_where_the_words_do_whatever_is_before_them() -> None:
    text = "  one two 字 three"
    found = compared(text, "one 三 three")
    assert [text[start:end] for start, end in marks(text, found.source)] == ["two 字"]
    assert marks("", ()) == []
