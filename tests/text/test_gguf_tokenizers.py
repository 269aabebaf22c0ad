"""Tokenizers from GGUF metadata: every split by name, every kind of vocabulary, contradictions.

Expected cuts were taken from the definitions by hand: they are what tells one split from another.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import decoders, models, normalizers, pre_tokenizers

from engine.contract import EngineError, FaultKind
from engine.text.gguf_splits import SPLITS
from engine.text.gguf_tokenizer import tokenizer_from_gguf
from engine.text.scored_vocabulary import TokenType
from engine.text.tokenizer import Tokenizer
from tests.text.gguf_metadata import byte_level_metadata, scored_metadata
from tests.text.vocabularies import CORPUS, byte_level, metaspace, unigram

HERE = Path("model.gguf")
MIXED = "I've 12345 cats, don't  STOP!\n\n  x+=1;\tnaïve 你好，世界 hello_World"


def cuts(pre: str, text: str) -> list[str]:
    """The pieces into which a split cuts a text."""
    steps = [
        pre_tokenizers.Split(tokenizers.Regex(pattern), "isolated")
        for pattern in SPLITS[pre].patterns
    ]
    return [piece for piece, _ in pre_tokenizers.Sequence(steps).pre_tokenize_str(text)]


@pytest.mark.parametrize("pre", SPLITS)
def test_every_split_keeps_the_text(pre: str) -> None:
    assert "".join(cuts(pre, MIXED)) == MIXED


@pytest.mark.parametrize(
    ("pre", "text", "pieces"),
    [
        ("gpt-2", "I've 12345 cats\n\n x", ["I", "'ve", " 12345", " cats", "\n\n", " x"]),
        (
            "llama-bpe",
            "I'VE 12345 cats\n\n x",
            ["I", "'VE", " ", "123", "45", " cats", "\n\n", " x"],
        ),
        ("qwen2", "12345 (ok)", ["1", "2", "3", "4", "5", " (", "ok", ")"]),
        ("qwen2", "a;\n\nb", ["a", ";\n\n", "b"]),
        ("qwen35", "e\u0301a 1", ["e\u0301a", " ", "1"]),
        ("smollm", "ab 12", ["ab", " ", "1", "2"]),
        ("starcoder", "x12y", ["x", "1", "2", "y"]),
        ("falcon", "a,1234 b", ["a", ",", "123", "4", " b"]),
        ("default", "a,1234 b", ["a", ",", "123", "4", " b"]),
        ("deepseek-llm", "ab 你好\n12", ["ab", " ", "你好", "\n", "12"]),
        ("deepseek-coder", "f(x)=12", ["f", "(", "x", ")", "=", "1", "2"]),
        ("deepseek-v3", "12345你好ab_c", ["123", "45", "你好", "ab", "_c"]),
        ("tekken", "helloWorld 12", ["hello", "World", " ", "1", "2"]),
        ("gpt-4o", "helloWorld's 1234/", ["hello", "World's", " ", "123", "4", "/"]),
        ("kimi-k2", "ab你好12345", ["ab", "你好", "123", "45"]),
        ("bloom", "a, b.", ["a", ",", " b", "."]),
        ("viking", "a1, b", ["a", "1", ",", " b"]),
        ("chameleon", "ab!12\n", ["ab", "!", "1", "2", "\n"]),
        ("superbpe", "ab 1234567", ["ab ", "1", "234", "567"]),
        ("afmoe", "1234567 ab", ["1", "234", "567", " ab"]),
        ("tiny_aya", "1234567", ["1", "234", "567"]),
        ("bailingmoe", "it's\n\nx", ["it", "'s", "\n\n", "x"]),
        ("seed-coder", "a!\nb", ["a", "!", "\n", "b"]),
        ("exaone-moe", "two words", ["two words"]),
        ("jais-2", "a     b", ["a", "    ", " b"]),
        ("youtu", "你好Ab1", ["你好", "Ab", "1"]),
        ("glm4", "12345", ["123", "45"]),
        ("command-r", "a12", ["a", "1", "2"]),
    ],
)
def test_splits_cut_where_their_definitions_say(pre: str, text: str, pieces: list[str]) -> None:
    assert cuts(pre, text) == pieces


@pytest.mark.parametrize("pre", ["gpt-2", "qwen2", "llama-bpe"])
def test_a_byte_level_vocabulary_gives_the_ids_of_its_tokenizer_json(pre: str) -> None:
    tokenizer = tokenizer_from_gguf(HERE, byte_level_metadata(byte_level(), pre))
    backend = tokenizers.Tokenizer.from_str(byte_level().to_str())
    steps = [
        pre_tokenizers.Split(tokenizers.Regex(pattern), "isolated")
        for pattern in SPLITS[pre].patterns
    ]
    last = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    backend.pre_tokenizer = pre_tokenizers.Sequence([*steps, last])
    for text in (*CORPUS[:4], MIXED):
        assert tokenizer.encode(text) == backend.encode(text, add_special_tokens=False).ids
        assert tokenizer.decode(tokenizer.encode(text)) == text


def test_T15_control_tokens_and_marks_are_text_unless_the_template_writes_them() -> None:
    tokenizer = tokenizer_from_gguf(HERE, byte_level_metadata(byte_level(), "qwen2"))
    text = "a<|im_end|><think>b<tool_call>"
    assert not tokenizer.control.ids & set(tokenizer.encode(text))
    ids = tokenizer.encode(text, control=True)
    assert [tokenizer.string(id) for id in ids] == [
        "a",
        "<|im_end|>",
        "<think>",
        "b",
        "<tool_call>",
    ]


def test_user_defined_text_is_taken_whole() -> None:
    metadata = byte_level_metadata(byte_level(), "qwen2")
    texts, types = metadata["tokenizer.ggml.tokens"], metadata["tokenizer.ggml.token_type"]
    texts += ["<table>", "        "]
    types += [int(TokenType.USER_DEFINED)] * 2
    tokenizer = tokenizer_from_gguf(HERE, metadata)
    ids = tokenizer.encode("a<table>        b")
    assert [tokenizer.string(id) for id in ids] == ["a", "<table>", "        ", "b"]
    assert tokenizer.decode(ids) == "a<table>        b"


def sentencepiece_metadata(**keys: Any) -> dict[str, Any]:
    """Pieces of the Llama-like vocabulary; a piece's score is its place among the merges."""
    model = json.loads(metaspace().to_str())["model"]
    texts = sorted(model["vocab"], key=model["vocab"].__getitem__)
    order = {"".join(merge): -float(rank) for rank, merge in enumerate(model["merges"], 1)}
    types = [TokenType.BYTE if text.startswith("<0x") else TokenType.NORMAL for text in texts]
    types[:3] = [TokenType.UNKNOWN, TokenType.CONTROL, TokenType.CONTROL]
    scores = [order.get(text, 0.0) for text in texts]
    known = {"bos_token_id": 1, "eos_token_id": 2, "unknown_token_id": 0}
    return scored_metadata("llama", texts, scores, [int(t) for t in types], **(known | keys))


def test_sentencepiece_with_scores_gives_what_merges_give() -> None:
    """A piece may come from any two pieces, so its merges are all its cuts, best score first."""
    metadata = sentencepiece_metadata(add_space_prefix=False)
    tokenizer = tokenizer_from_gguf(HERE, metadata)
    texts, scores = metadata["tokenizer.ggml.tokens"], metadata["tokenizer.ggml.scores"]
    normal = {text: id for id, text in enumerate(texts) if id >= 3 + 256}
    merges = [
        (scores[id], text[:cut], text[cut:])
        for text, id in normal.items()
        for cut in range(1, len(text))
        if text[:cut] in normal and text[cut:] in normal
    ]
    pairs = [(left, right) for _, left, right in sorted(merges, key=lambda merge: -merge[0])]
    vocabulary = {text: id for id, text in enumerate(texts)}
    model = models.BPE(vocab=vocabulary, merges=pairs, byte_fallback=True, fuse_unk=True)
    backend = tokenizers.Tokenizer(model)
    backend.normalizer = normalizers.Replace(" ", "\u2581")
    for text in (*CORPUS, MIXED, "  two  spaces ", "😀"):
        assert tokenizer.encode(text) == backend.encode(text, add_special_tokens=False).ids
        assert tokenizer.decode(tokenizer.encode(text)) == text


def test_sentencepiece_puts_a_space_before_each_stretch_of_text() -> None:
    tokenizer = tokenizer_from_gguf(HERE, sentencepiece_metadata())
    ids = tokenizer.encode("the</s>the", control=True)
    assert ids == [*tokenizer.encode("the"), 2, *tokenizer.encode("the")]
    assert tokenizer.decode(tokenizer.encode("the dog")) == "the dog"
    assert tokenizer.decode(tokenizer.encode(" the dog")) == " the dog"


@settings(max_examples=40)
@given(st.text("the dogquick brown你\n ", max_size=40))
def test_sentencepiece_words_are_joined_as_the_whole_text_would_be(text: str) -> None:
    """Cutting at spaces changes nothing: no piece has a space inside."""
    tokenizer = sentencepiece_tokenizer()
    encoder: Any = tokenizer._encoder
    whole = encoder._encode_word.__func__(encoder, text.replace(" ", "\u2581"))
    assert tokenizer.encode(text) == list(whole)


def sentencepiece_tokenizer(cache: list[Tokenizer] = []) -> Tokenizer:  # noqa: B006  filled once
    if not cache:
        metadata = sentencepiece_metadata(add_space_prefix=False)
        cache.append(tokenizer_from_gguf(HERE, metadata))
    return cache[0]


def test_sentencepiece_ties_go_to_the_left_and_a_better_score_first() -> None:
    texts = ["<unk>", "a", "b", "ab", "ba", "abab"]
    metadata = scored_metadata(
        "llama", texts, [0, 0, 0, -1, -1, -2], [2, 1, 1, 1, 1, 1], add_space_prefix=False
    )
    tokenizer = tokenizer_from_gguf(HERE, metadata)
    assert tokenizer.encode("abab") == [5]
    assert tokenizer.encode("aba") == [3, 1]
    assert tokenizer.encode("bab") == [4, 2]


def test_a_piece_with_a_space_inside_is_found_too() -> None:
    texts = ["<unk>", "a", "\u2581", "b", "a\u2581", "a\u2581b"]
    metadata = scored_metadata(
        "llama", texts, [0, 0, 0, 0, -1, -2], [2, 1, 1, 1, 1, 1], add_space_prefix=False
    )
    assert tokenizer_from_gguf(HERE, metadata).encode("a b") == [5]


def test_pieces_with_merges_in_place_of_scores_are_read() -> None:
    """Gemma 4's kind: merges over text with low lines."""
    texts = [
        "<unk>",
        "<bos>",
        "a",
        "b",
        "\u2581",
        "\u2581a",
        "\n",
        *[f"<0x{b:02X}>" for b in range(256)],
    ]
    metadata = scored_metadata("gemma4", texts, [], [2, 3, 1, 1, 1, 1, 1, *[6] * 256])
    del metadata["tokenizer.ggml.scores"]
    metadata |= {"tokenizer.ggml.merges": ["\u2581 a"], "tokenizer.ggml.bos_token_id": 1}
    tokenizer = tokenizer_from_gguf(HERE, metadata)
    ids = tokenizer.encode("b a\n你")
    assert [tokenizer.string(id) for id in ids][:3] == ["b", "\u2581a", "\n"]
    assert tokenizer.decode(ids) == "b a\n你"
    assert tokenizer.frame.adds_bos


def test_unigram_gives_the_ids_of_its_tokenizer_json() -> None:
    model = json.loads(unigram().to_str())["model"]
    texts = [text for text, _ in model["vocab"]]
    scores = [score for _, score in model["vocab"]]
    types = [3, 3, 2, *[1] * (len(texts) - 3)]
    metadata = scored_metadata("t5", texts, scores, types, eos_token_id=1, unknown_token_id=2)
    tokenizer = tokenizer_from_gguf(HERE, metadata)
    backend = tokenizers.Tokenizer.from_str(unigram().to_str())
    backend.normalizer = normalizers.Sequence([])
    backend.decoder = decoders.Metaspace()
    for text in CORPUS[:2]:
        assert tokenizer.encode(text) == backend.encode(text, add_special_tokens=False).ids
    assert 1 not in tokenizer.encode("a</s>b")
    assert tokenizer.frame.suffix == (1,)


@pytest.mark.parametrize(
    ("keys", "adds"),
    [
        ({}, True),
        ({"add_bos_token": True}, True),
        ({"add_bos_token": False}, False),
        ({"add_bos_token": True, "bos_token_id": 99999}, False),
    ],
)
def test_E1_bos_is_added_as_the_file_says(keys: dict[str, Any], adds: bool) -> None:
    tokenizer = tokenizer_from_gguf(HERE, sentencepiece_metadata(**keys))
    assert tokenizer.frame.adds_bos is adds


@pytest.mark.parametrize(("pre", "adds"), [("qwen2", False), ("llama-bpe", True), ("tekken", True)])
def test_E1_bos_is_added_as_llama_cpp_does_where_the_file_says_nothing(
    pre: str, adds: bool
) -> None:
    tokenizer = tokenizer_from_gguf(HERE, byte_level_metadata(byte_level(), pre, bos_token_id=0))
    assert tokenizer.frame.adds_bos is adds


def test_phi3_control_tokens_take_the_space_after_them_along() -> None:
    metadata = sentencepiece_metadata(add_space_prefix=False)
    metadata["tokenizer.ggml.tokens"][2] = "<|end|>"
    metadata["general.architecture"] = "phi3"
    tokenizer = tokenizer_from_gguf(HERE, metadata)
    assert tokenizer.encode("<|end|>\n the", control=True) == [2, *tokenizer.encode("the")]
    assert tokenizer.encode("<s> the", control=True) == [1, *tokenizer.encode(" the")]


def faulty(metadata: dict[str, Any]) -> FaultKind:
    with pytest.raises(EngineError) as caught:
        tokenizer_from_gguf(HERE, metadata)
    return caught.value.fault.kind


def test_a_file_without_a_vocabulary_is_a_named_fault() -> None:
    assert faulty({"general.architecture": "llama"}) is FaultKind.TOKENIZER_MISSING


def test_contradictions_and_unknown_kinds_are_named_faults() -> None:
    good = byte_level_metadata(byte_level(), "qwen2")
    invalid = FaultKind.TOKENIZER_INVALID
    assert faulty(good | {"tokenizer.ggml.pre": "never-heard-of"}) is invalid
    for kind in ("bert", "rwkv", "plamo2", None):
        assert faulty(good | {"tokenizer.ggml.model": kind}) is invalid
    assert faulty(good | {"tokenizer.ggml.token_type": [1, 1]}) is invalid
    assert faulty(good | {"tokenizer.ggml.tokens": []}) is FaultKind.TOKENIZER_MISSING
    assert faulty(good | {"tokenizer.ggml.tokens": 7}) is invalid
    assert faulty(good | {"tokenizer.ggml.merges": 7}) is invalid


def test_ordinary_tokens_that_a_file_marks_as_control_still_merge() -> None:
    metadata = byte_level_metadata(byte_level(), "gpt-2")
    place = metadata["tokenizer.ggml.tokens"].index("th")
    metadata["tokenizer.ggml.token_type"][place] = int(TokenType.CONTROL)
    tokenizer = tokenizer_from_gguf(HERE, metadata)
    assert tokenizer.decode(tokenizer.encode("the"), control=True) == "the"


def test_a_missing_type_array_makes_every_token_normal() -> None:
    metadata = byte_level_metadata(byte_level(), "gpt-2", eos_token_id=1)
    del metadata["tokenizer.ggml.token_type"]
    tokenizer = tokenizer_from_gguf(HERE, metadata)
    assert tokenizer.control.ids == {1}  # EOS controls, whatever its type
