"""What is chosen of a document: exact in its figures, never more than was asked for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.documents import Document, DocumentKind, Part
from app.documents.excerpts import (
    beginning,
    chosen_parts,
    numbers_of,
    numbers_text,
    relevant,
    whole,
)

LEASE = Document(
    "lease.pdf",
    DocumentKind.PDF,
    tuple(Part(k, f"Page {k} speaks of thing number {k}. " * 20) for k in range(1, 6)),
    5,
)


def text_document(text: str) -> Document:
    return Document("a.txt", DocumentKind.TEXT, (Part(1, text),))


def test_a_whole_document_names_its_pages() -> None:
    excerpt = whole(LEASE)
    assert excerpt.share == 1
    assert [f"[Page {k}]\n" in excerpt.text for k in range(1, 7)] == [True] * 5 + [False]
    sheets = Document("b.xlsx", DocumentKind.SHEETS, (Part(1, "a,b", "收入"),))
    assert whole(sheets).text == "[Sheet 1: 收入]\na,b"
    assert whole(text_document("plain")).text == "plain"


def test_S11_a_document_that_was_not_read_to_its_end_is_not_whole() -> None:
    assert whole(Document("a.pdf", DocumentKind.PDF, LEASE.parts, 500)).share == 0.01
    assert whole(Document("a.log", DocumentKind.TEXT, (Part(1, "x"),), 1, True)).share < 1


def test_chosen_pages_keep_their_numbers_and_order() -> None:
    excerpt = chosen_parts(LEASE, {4, 1, 2})
    assert excerpt.chosen == "1–2, 4"
    assert excerpt.text.index("[Page 2]") < excerpt.text.index("[Page 4]")
    assert "[Page 3]" not in excerpt.text
    assert excerpt.share == pytest.approx(0.6)


@given(st.text(max_size=300), st.integers(0, 400))
def test_a_beginning_is_one_and_no_longer_than_asked(text: str, characters: int) -> None:
    kept = beginning(text_document(text), characters).text
    assert text.startswith(kept)
    assert len(kept) <= characters


def test_a_beginning_ends_with_a_sentence_where_one_is_near() -> None:
    text = "第一句话在这里。" * 20
    assert beginning(text_document(text), 60).text == "第一句话在这里。" * 7


@pytest.mark.parametrize(
    ("question", "found"),
    [("How high is the deposit?", "The deposit is 800 euros"), ("押金是多少？", "押金为 800 元")],
)
def test_what_a_question_asks_for_is_found_anywhere(question: str, found: str) -> None:
    filler = "Nothing of interest stands on this line of the long contract.\n别的条款写在这里。\n"
    text = filler * 200 + "The deposit is 800 euros.\n押金为 800 元。\n" + filler * 200
    excerpt = relevant(text_document(text), question, 2_000)
    assert found in excerpt.text
    assert len(excerpt.text) <= 2_000
    assert excerpt.text.startswith("[…]")
    assert excerpt.text.endswith("[…]")
    assert 0 < excerpt.share < 0.1


@given(st.lists(st.sampled_from(["a b\n", "x" * 900 + "\n", "押金\n", "\n"]), max_size=12),
       st.integers(0, 4000))  # fmt: skip
def test_passages_stay_within_what_was_asked(lines: list[str], characters: int) -> None:
    text = "".join(lines)
    assert len(relevant(text_document(text), "a 押金", characters).text) <= max(characters, 0) + 5


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1–3, 7", {1, 2, 3, 7}),
        ("1-3，7", {1, 2, 3, 7}),
        ("8-", {8, 9}),
        ("3 - 4;1", {1, 3, 4}),
        ("0-2 99 x", {1, 2}),
        ("", set()),
        ("5-999999999", {5, 6, 7, 8, 9}),
    ],
)
def test_numbers_are_read_as_people_write_them(text: str, numbers: set[int]) -> None:
    assert numbers_of(text, 9) == numbers


@given(st.sets(st.integers(1, 50)))
def test_numbers_come_back_as_they_were(numbers: set[int]) -> None:
    assert numbers_of(numbers_text(numbers), 50) == numbers
