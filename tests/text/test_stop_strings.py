"""A reply ends before a stop string, nothing of it is shown, and nothing else is lost."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.contract import Channel
from engine.text.channels import ReplyForm
from engine.text.reply_stream import ReplyStream
from engine.text.stop_strings import StopStrings
from tests.text.spelled import spelled_tokenizer, stream_of


def run(chunks: list[str], stops: list[str]) -> tuple[str, str | None]:
    ring = StopStrings(stops)
    certain = "".join(ring.push(chunk) for chunk in chunks)
    return certain + ring.finish(), ring.met


def test_T8_nothing_of_a_stop_string_is_sent() -> None:
    assert run(["ABC", "DEF", "GHI", "JKL"], ["DEFGHIJ"]) == ("ABC", "DEFGHIJ")


def test_T9_the_reply_ends_before_the_stop_string() -> None:
    chunks = ["alpha", " beta", " gam", "ma delta"]
    assert run(chunks, ["beta gamma"]) == ("alpha ", "beta gamma")


def test_T11_a_stop_string_split_over_tokens_is_never_shown() -> None:
    ring = StopStrings(["\nUser:"])
    assert [ring.push(chunk) for chunk in ("fine", "\nUser", ": hi")] == ["fine", "", ""]
    assert ring.met == "\nUser:"


def test_E19_what_was_held_back_is_let_go_when_it_fails() -> None:
    ring = StopStrings(["\n\nUser:"])
    assert [ring.push(chunk) for chunk in ("a\n", "\nUse", "ful")] == ["a", "", "\n\nUseful"]
    assert ring.met is None


def test_T12_the_last_token_is_not_lost_to_a_stop_string_that_it_begins() -> None:
    assert run(["ple", "as"], ["as you wish"]) == ("pleas", None)
    assert run(["pleas"], ["as</s>"]) == ("pleas", None)


def test_a_stop_string_may_begin_inside_another_that_failed() -> None:
    assert run(["aa", "ab"], ["aab"]) == ("a", "aab")


def test_a_stop_string_that_is_a_control_token_stops_as_such() -> None:
    tokenizer = spelled_tokenizer([b"hi"], ["<|im_end|>"])
    stream = ReplyStream(tokenizer, ReplyForm(), stop=["<|im_end|>"])
    assert stream.push(256) == [(Channel.ANSWER, "hi")]
    assert stream.push(257) == []
    assert stream.stopped


def test_after_a_stop_string_nothing_more_is_shown() -> None:
    stream, ids = stream_of(["a STOP b", "c"], stop=["STOP"])
    assert stream.push(ids[0]) == [(Channel.ANSWER, "a ")]
    assert stream.push(ids[1]) == []
    assert stream.finish() == []


ALPHABET = st.text("ab\n", max_size=20)


@given(ALPHABET, st.lists(st.text("ab\n", min_size=1, max_size=4), max_size=3), st.data())
def test_the_cut_of_the_text_makes_no_difference(
    text: str, stops: list[str], data: st.DataObject
) -> None:
    places = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=6)) | {0, len(text)})
    chunks = [text[start:end] for start, end in itertools.pairwise(places)]
    assert run(chunks, stops) == run([text], stops) == run(list(text), stops)
    certain, met = run(chunks, stops)
    assert text.startswith(certain)
    assert (met is None) == (not any(stop in text for stop in stops))
    assert met is not None or certain == text


@pytest.mark.parametrize("stops", [[], [""]])
def test_without_stop_strings_text_passes_at_once(stops: list[str]) -> None:
    assert StopStrings(stops).push("abc") == "abc"
