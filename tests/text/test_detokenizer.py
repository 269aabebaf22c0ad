"""Never half a character, never a lost one, and no more work than there is text."""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.detokenizer import Detokenizer
from engine.text.scored_vocabulary import ScoredVocabulary, TokenType, control_tokens
from engine.text.token_bytes import sentencepiece_rule
from engine.text.tokenizer import Frame, Tokenizer
from tests.text.spelled import spelled_tokenizer


def shown(pieces: Sequence[bytes], *, strip_start: int = 0, continues: bool = False) -> list[str]:
    """What each token makes visible, and at last what the end does."""
    tokenizer = spelled_tokenizer(pieces, strip_start=strip_start)
    stream = Detokenizer(tokenizer, continues=continues)
    steps = ["".join(p.text for p in stream.push(256 + at)) for at in range(len(pieces))]
    return [*steps, "".join(piece.text for piece in stream.finish())]


@pytest.mark.parametrize("cut", [1, 2, 3])
def test_T1_emoji_split_over_tokens_shows_once(cut: int) -> None:
    emoji = "😀".encode()
    assert shown([emoji[:cut], emoji[cut:]]) == ["", "😀", ""]


def test_T1_the_same_emoji_decoded_at_once() -> None:
    tokenizer = spelled_tokenizer(["😀".encode()[:2], "😀".encode()[2:]])
    assert tokenizer.decode([256, 257]) == "😀"


def test_T2_each_emoji_of_a_family_shows_as_it_completes() -> None:
    family = "👨‍👩‍👧"
    steps = shown([bytes([byte]) for byte in family.encode()])
    assert [step for step in steps if step] == list(family)


def test_T3_an_invalid_byte_is_one_replacement_and_nothing_stalls() -> None:
    assert shown([b"a", b"\xff", b"b", b"c"]) == ["a", "\ufffd", "b", "c", ""]


def test_T3_a_truncated_end_is_one_replacement() -> None:
    assert shown([b"a", "😀".encode()[:3]]) == ["a", "", "\ufffd"]


def test_T3_text_after_a_truncated_character_is_not_lost() -> None:
    assert shown(["😀".encode()[:2], b"abc"]) == ["", "\ufffdabc", ""]


def test_T3_a_control_token_ends_a_character_that_is_incomplete() -> None:
    tokenizer = spelled_tokenizer([b"\xf0\x9f"], ["<|im_end|>"])
    stream = Detokenizer(tokenizer)
    assert not stream.push(256)
    assert [(p.text, p.control) for p in stream.push(257)] == [
        ("\ufffd", False),
        ("<|im_end|>", True),
    ]


def test_T5_sentencepiece_spaces_are_kept_token_by_token() -> None:
    texts = ["<unk>", "\u2581Hello", "\u2581world", "!"]
    tokenizer = sentencepiece_tokenizer(texts, space_first=True)
    stream = Detokenizer(tokenizer)
    steps = ["".join(piece.text for piece in stream.push(id)) for id in (1, 2, 3)]
    assert steps == ["Hello", " world", "!"]
    assert tokenizer.decode([1, 2, 3]) == "Hello world!"


def test_T5_a_reply_that_goes_on_keeps_its_first_space() -> None:
    assert shown([b" world"], strip_start=1, continues=True) == [" world", ""]
    assert shown([b" world"], strip_start=1) == ["world", ""]


def test_T5_the_space_is_taken_off_also_where_it_is_a_token_of_its_own() -> None:
    assert shown([b" ", b" x"], strip_start=1) == ["", " x", ""]


def test_T7_time_grows_with_the_text_and_not_with_its_square() -> None:
    """Ten times the tokens may cost ten times as much; 40 times leaves room for a busy machine,
    and a quadratic detokenizer would need 100 times."""
    tokenizer = spelled_tokenizer([b" word", "é".encode()[:1], "é".encode()[1:]])
    assert _seconds(tokenizer, 30_000) < 40 * max(_seconds(tokenizer, 3_000), 0.002)


def test_T7_ten_thousand_tokens_take_a_moment() -> None:
    assert _seconds(spelled_tokenizer([b" word", b"a", b"b"]), 10_000) < 1.0


def test_E18_astronauts_and_bengali_are_whole() -> None:
    text = "🧑‍🚀 ভাষা"
    assert "".join(shown([bytes([byte]) for byte in text.encode()])) == text


@given(st.text(max_size=30), st.data())
def test_any_cut_of_any_text_gives_the_text(text: str, data: st.DataObject) -> None:
    raw = text.encode()
    places = sorted(data.draw(st.sets(st.integers(0, len(raw)), max_size=8)) | {0, len(raw)})
    pieces = [raw[start:end] for start, end in itertools.pairwise(places)]
    assert "".join(shown(pieces)) == text


@given(st.binary(max_size=30), st.data())
def test_any_cut_of_any_bytes_gives_what_decoding_all_at_once_gives(
    raw: bytes, data: st.DataObject
) -> None:
    places = sorted(data.draw(st.sets(st.integers(0, len(raw)), max_size=8)) | {0, len(raw)})
    pieces = [raw[start:end] for start, end in itertools.pairwise(places)]
    assert "".join(shown(pieces)) == raw.decode("utf-8", "replace")


def test_byte_pieces_of_sentencepiece_join_into_characters() -> None:
    bytes_ = [f"<0x{byte:02X}>" for byte in range(256)]
    tokenizer = sentencepiece_tokenizer(["<unk>", *bytes_, "a"], space_first=False)
    ids = tokenizer.encode("a你")
    assert ids == [257, *(1 + byte for byte in "你".encode())]
    assert tokenizer.decode(ids) == "a你"
    assert tokenizer.encode("<0x41>") == [1 + byte for byte in b"<0x41>"]


def sentencepiece_tokenizer(texts: list[str], *, space_first: bool) -> Tokenizer:
    types = [TokenType.BYTE if text.startswith("<0x") else TokenType.NORMAL for text in texts]
    types[0] = TokenType.UNKNOWN
    control = control_tokens(texts, types, ())
    scores = [-float(id) for id in range(len(texts))]
    ids = {text: id for id, text in enumerate(texts)}
    return Tokenizer(
        size=len(texts),
        control=control,
        rule=sentencepiece_rule(strip_start=space_first),
        frame=Frame(),
        _encoder=ScoredVocabulary(texts, ids, scores, types, control, space_first).bpe(),
        _string=texts.__getitem__,
        _id=texts.index,
    )


def _seconds(tokenizer: Tokenizer, tokens: int) -> float:
    stream = Detokenizer(tokenizer)
    start = time.process_time()
    for step in range(tokens):
        stream.push(256 + step % 3)
    return time.process_time() - start
