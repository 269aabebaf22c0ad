"""Numbers by texts: the same as a dictionary, for any texts."""

from __future__ import annotations

import sys

from hypothesis import given
from hypothesis import strategies as st

from engine.text.text_index import TextIndex

# few letters and little length: equal texts and neighbours in a bucket are common
WORDS = st.lists(st.text("ab \N{LOWER ONE EIGHTH BLOCK}", max_size=3), max_size=60)


@given(WORDS, WORDS)
def test_it_finds_what_a_dictionary_finds(words: list[str], others: list[str]) -> None:
    wanted = {word: number for number, word in enumerate(words)}
    found = TextIndex(words)
    assert len(found) == len(words)
    assert sorted(found) == sorted(words)
    for word in (*words, *others):
        assert found.get(word) == wanted.get(word)


@given(WORDS, st.data())
def test_only_chosen_numbers_count(words: list[str], data: st.DataObject) -> None:
    kept = [number for number in range(len(words)) if data.draw(st.booleans())]
    wanted = {words[number]: number for number in kept}
    found = TextIndex(words, iter(kept))
    assert set(found) == set(wanted)
    assert all(found.get(word) == wanted.get(word) for word in words)


def test_a_large_vocabulary_takes_some_bytes_an_entry() -> None:
    words = [f"word{number}" for number in range(100_000)]
    found = TextIndex(words)
    tables = [value for value in vars(found).values() if hasattr(value, "itemsize")]
    assert sum(map(sys.getsizeof, tables)) < 13 * len(words)
    assert all(found.get(word) == number for number, word in enumerate(words))
    assert found.get("word100000") is None
