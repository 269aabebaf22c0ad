"""Strings that are decoded when they are asked for: the same as a list of them."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.storage.string_array import StringArray

WORDS = st.lists(st.text(max_size=12), max_size=20)


def written(words: list[bytes]) -> bytes:
    return b"".join(struct.pack("<Q", len(word)) + word for word in words)


@given(WORDS, st.integers(-25, 25), st.integers(-25, 25), st.integers(1, 3))
def test_it_reads_as_the_list_that_was_written(
    words: list[str], first: int, last: int, step: int
) -> None:
    raw = written([word.encode() for word in words])
    found = StringArray(raw + b"what follows it", len(words))
    assert list(found) == words
    assert (len(found), found.nbytes) == (len(words), len(raw))
    assert found[first:last:step] == words[first:last:step]
    if -len(words) <= first < len(words):
        assert found[first] == words[first]
    else:
        with pytest.raises(IndexError):
            found[first]


def test_what_is_no_text_is_shown_as_such() -> None:
    found = StringArray(written([b"a", b"\xe7\xa0", b""]), 3)
    assert found[:] == list(found) == ["a", "\ufffd", ""]
