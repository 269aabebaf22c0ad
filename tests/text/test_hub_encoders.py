"""Vocabularies that are merged here, and those left to the library: always the same ids."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import normalizers, pre_tokenizers

from engine.contract import EngineError, FaultKind
from engine.text.byte_level_encoder import ByteLevelEncoder
from engine.text.hub_encoder import HubEncoder
from engine.text.hub_folder import folder_sources
from engine.text.sentencepiece_encoder import SentencePieceEncoder
from engine.text.tokenizer import Tokenizer
from engine.text.tokenizer_json import read_tokenizer_json
from tests.text.vocabularies import CORPUS, byte_level, legacy_llama, metaspace, unigram, wordpiece


def changed(backend: tokenizers.Tokenizer, **parts: Any) -> tokenizers.Tokenizer:
    """A copy with other parts."""
    copy = tokenizers.Tokenizer.from_str(backend.to_str())
    for name, part in parts.items():
        setattr(copy, name, part)
    return copy


def with_model(backend: tokenizers.Tokenizer, **options: Any) -> tokenizers.Tokenizer:
    spec = json.loads(backend.to_str())
    spec["model"] |= options
    return tokenizers.Tokenizer.from_str(json.dumps(spec))


def with_word(backend: tokenizers.Tokenizer, word: str, **options: Any) -> tokenizers.Tokenizer:
    copy = changed(backend)
    copy.add_tokens([tokenizers.AddedToken(word, normalized=False, **options)])
    return copy


SPACES = normalizers.Replace(" ", "▁")
DIGITS = pre_tokenizers.Sequence(
    [
        pre_tokenizers.Digits(individual_digits=True),
        pre_tokenizers.ByteLevel(add_prefix_space=False),
    ]
)
KINDS: dict[str, tuple[tokenizers.Tokenizer, type]] = {
    "byte level": (changed(byte_level()), ByteLevelEncoder),
    "composed": (changed(byte_level(), normalizer=normalizers.NFC()), ByteLevelEncoder),
    "digits": (changed(byte_level(), pre_tokenizer=DIGITS), ByteLevelEncoder),
    "whole words": (with_model(byte_level(), ignore_merges=True), ByteLevelEncoder),
    "a word of its own": (with_word(byte_level(), "quick fox"), ByteLevelEncoder),
    "lower case": (changed(byte_level(), normalizer=normalizers.Lowercase()), HubEncoder),
    "space before": (
        changed(byte_level(), pre_tokenizer=pre_tokenizers.ByteLevel(add_prefix_space=True)),
        HubEncoder,
    ),
    "metaspace first": (changed(metaspace()), SentencePieceEncoder),
    "metaspace always": (changed(metaspace("always")), SentencePieceEncoder),
    "metaspace never": (changed(metaspace("never")), SentencePieceEncoder),
    "metaspace and a word": (with_word(metaspace(), "\n\n"), SentencePieceEncoder),
    "legacy llama": (changed(legacy_llama()), SentencePieceEncoder),
    "gemma": (
        changed(
            metaspace(),
            normalizer=SPACES,
            pre_tokenizer=pre_tokenizers.Split(" ", "merged_with_previous"),
        ),
        SentencePieceEncoder,
    ),
    "unigram": (changed(unigram()), HubEncoder),
    "word pieces": (changed(wordpiece()), HubEncoder),
}


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Tokenizer]:
    found = {}
    for name, (backend, _) in KINDS.items():
        folder = tmp_path_factory.mktemp("vocabulary")
        backend.save(str(folder / "tokenizer.json"))
        found[name] = folder_sources(folder, {}).tokenizer
    return found


@pytest.mark.parametrize("name", KINDS)
def test_each_kind_is_recognised_by_its_parts(opened: dict[str, Tokenizer], name: str) -> None:
    assert type(opened[name]._encoder) is KINDS[name][1]


@pytest.mark.parametrize("name", KINDS)
@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            ["quick", " fox", "\n\n", "  ", "你好", "😀", "e\u0301", "12", "I'm", "The"]
        )
        | st.text(max_size=5),
        max_size=6,
    ).map("".join)
)
def test_ids_are_those_of_the_library_for_any_text(name: str, text: str) -> None:
    backend = KINDS[name][0]
    backend.encode_special_tokens = True
    expected = backend.encode(text, add_special_tokens=False).ids
    tokenizer = _opened(name)
    if tokenizer.control.ids & set(expected):
        return  # marks that the library lets text reach; test_tokenizers looks at these
    assert tokenizer.encode(text) == expected
    if "\ufffd" not in text and name not in {"unigram", "word pieces"}:
        assert tokenizer.decode(expected) == backend.decode(expected, skip_special_tokens=True)


def _opened(name: str, cache: dict[str, Tokenizer] = {}) -> Tokenizer:  # noqa: B006  filled once
    if name not in cache:
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            KINDS[name][0].save(str(Path(folder) / "tokenizer.json"))
            cache[name] = folder_sources(Path(folder), {}).tokenizer
    return cache[name]


def test_the_file_is_read_as_json_reads_it(tmp_path: Path) -> None:
    for number, backend in enumerate((byte_level(), metaspace(), unigram())):
        path = tmp_path / f"{number}.json"
        backend.save(str(path), pretty=bool(number % 2))
        spec = json.loads(path.read_text(encoding="utf-8"))
        file = read_tokenizer_json(path)
        model = spec["model"]
        if model["type"] == "BPE":
            pairs = [m if isinstance(m, str) else " ".join(m) for m in model["merges"]]
            assert (file.vocabulary, file.merges) == (model["vocab"], pairs)
            model |= {"vocab": {}, "merges": []}
        assert file.spec == spec


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_a_damaged_file_is_a_named_fault_or_a_tokenizer(data: st.DataObject) -> None:
    """Cuts, and bytes changed, anywhere in the file."""
    import tempfile

    content = bytearray(_small_file())
    for place in data.draw(st.lists(st.integers(0, len(content) - 1), max_size=3)):
        content[place] = data.draw(st.integers(0, 255))
    end = data.draw(st.integers(0, len(content)))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tokenizer.json"
        path.write_bytes(bytes(content[:end] if data.draw(st.booleans()) else content))
        try:
            tokenizer = folder_sources(Path(folder), {}).tokenizer
            tokenizer.decode(tokenizer.encode("the quick fox 你"))
        except EngineError as error:
            assert error.fault.kind is FaultKind.TOKENIZER_INVALID  # noqa: PT017  either is right


def _small_file() -> bytes:
    """A whole tokenizer in some hundred bytes."""
    spec = {
        "version": "1.0",
        "added_tokens": [{"id": 5, "content": "<s>", "special": True, "normalized": False}],
        "normalizer": None,
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True},
        "post_processor": None,
        "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True},
        "model": {
            "type": "BPE",
            "vocab": {"t": 0, "h": 1, "e": 2, "th": 3, "the": 4},
            "merges": [["t", "h"], "th e"],
        },
    }
    return json.dumps(spec).encode()


def test_other_threads_run_while_a_vocabulary_is_read(tmp_path: Path) -> None:
    """The library's reader lets no other thread run; this one does every few milliseconds."""
    letters = "abcdefghijklmnop"
    words = [a + b + c + d for a in letters for b in letters for c in letters for d in letters]
    spec = json.loads(_small_file())
    spec["model"]["vocab"] = {word: id for id, word in enumerate([*letters, *words])}
    spec["model"]["merges"] = [f"{word[:2]} {word[2:]}" for word in words]
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(spec))
    beats = 0
    done = threading.Event()

    def beat() -> None:
        nonlocal beats
        while not done.wait(0.002):
            beats += 1

    watch = threading.Thread(target=beat)
    watch.start()
    tokenizer = folder_sources(tmp_path, {}).tokenizer
    tokenizer.encode(CORPUS[0] * 2000)
    done.set()
    watch.join()
    assert beats > 10


def test_an_encoder_of_the_library_is_asked_only_where_it_must_be() -> None:
    assert sum(kind is HubEncoder for _, kind in KINDS.values()) == 4
