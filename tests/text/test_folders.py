"""Model folders as the hub has them: which files count, and what they say."""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Sequence
from pathlib import Path

import pytest
import tokenizers

from engine.contract import EngineError, FaultKind, Message, NoticeKind, Role, Sampling
from engine.text.hub_folder import folder_sources
from engine.text.model_text import ModelText, open_text
from engine.text.scored_vocabulary import TokenType
from tests.text.gguf_metadata import byte_level_metadata
from tests.text.shapes import CHATML
from tests.text.vocabularies import CORPUS, byte_level, metaspace, unigram, write_folder

SAY = "{{ messages[0].content }}"


def prompt_text(model: ModelText) -> str:
    return model.tokenizer.decode(model.prompt([Message(Role.USER, "hi")]).ids, control=True)


def test_C3_a_template_file_is_used_where_the_configuration_has_none(tmp_path: Path) -> None:
    write_folder(tmp_path, byte_level(), tokenizer_config={}, chat_template="file: " + SAY)
    model = open_text(tmp_path, {})
    assert prompt_text(model) == "file: hi"
    assert model.notices == ()


def test_C3_the_template_file_wins_over_the_configuration(tmp_path: Path) -> None:
    settings = {"chat_template": "settings: " + SAY}
    write_folder(tmp_path, byte_level(), tokenizer_config=settings)
    assert prompt_text(open_text(tmp_path, {})) == "settings: hi"
    (tmp_path / "chat_template.jinja").write_text("file: " + SAY)
    assert prompt_text(open_text(tmp_path, {})) == "file: hi"


def test_C3_named_templates_serve_their_purpose(tmp_path: Path) -> None:
    named = [
        {"name": "default", "template": "default: " + SAY},
        {"name": "tool_use", "template": "{% if tools %}tools: {% endif %}" + SAY},
        {"name": "rag", "template": "rag"},
    ]
    write_folder(tmp_path, byte_level(), tokenizer_config={"chat_template": named})
    model = open_text(tmp_path, {})
    assert prompt_text(model) == "default: hi"
    tool = '{"type": "function", "function": {"name": "f"}}'
    prompt = model.prompt([Message(Role.USER, "hi")], tools=[tool])
    assert model.tokenizer.decode(prompt.ids) == "tools: hi"


def test_C3_templates_of_processors_and_of_the_additional_folder_are_found(tmp_path: Path) -> None:
    write_folder(tmp_path, byte_level())
    (tmp_path / "chat_template.json").write_text(json.dumps({"chat_template": "p: " + SAY}))
    assert prompt_text(open_text(tmp_path, {})) == "p: hi"
    more = tmp_path / "additional_chat_templates"
    more.mkdir()
    (more / "tool_use.jinja").write_text("tools: " + SAY)
    assert folder_sources(tmp_path, {}).templates.tools == "tools: " + SAY


def test_C4_a_folder_without_any_template_has_a_fallback_and_a_notice(tmp_path: Path) -> None:
    model = open_text(write_folder(tmp_path, byte_level()), {})
    assert [notice.kind for notice in model.notices] == [NoticeKind.TEMPLATE_MISSING]
    assert prompt_text(model) == "User: hi\n\nAssistant:"


def test_a_safetensors_file_is_read_with_its_folder(tmp_path: Path) -> None:
    write_folder(tmp_path, byte_level(), chat_template=CHATML)
    assert open_text(tmp_path / "model.safetensors", {}).notices == ()


def test_E2_every_end_of_a_reply_is_known(tmp_path: Path) -> None:
    """Llama 3's way: one id in the configuration, a list in ``generation_config.json``, another
    in the tokenizer, and what the template writes."""
    write_folder(
        tmp_path,
        byte_level(),
        chat_template="{{ messages[0].content }}{{ messages[1].content }}<eos>",
        tokenizer_config={"eos_token": {"content": "<end_of_turn>"}},
        generation_config={"eos_token_id": [7, 9]},
    )
    model = open_text(tmp_path, {"eos_token_id": 5, "text_config": {"eos_token_id": [11]}})
    id = model.tokenizer.id
    pipes = ("im_end", "endoftext", "user", "return", "call")
    names = (*(f"<|{name}|>" for name in pipes), "<eos>", "<end_of_turn>")
    named = {id(name) for name in names}
    assert model.end_ids == {5, 7, 9, 11, *named}


def test_ids_that_the_vocabulary_does_not_have_end_nothing(tmp_path: Path) -> None:
    write_folder(tmp_path, byte_level(), generation_config={"eos_token_id": [999_999, -1, None]})
    assert all(0 <= id < 999_999 for id in open_text(tmp_path, {}).end_ids)


def test_sampling_defaults_come_from_the_model(tmp_path: Path) -> None:
    configuration = {
        "temperature": 0.6,
        "top_k": 20,
        "top_p": 0.9,
        "do_sample": True,
        "min_p": None,
    }
    write_folder(tmp_path, byte_level(), generation_config=configuration)
    assert open_text(tmp_path, {}).default_sampling == Sampling(
        temperature=0.6, top_k=20, top_p=0.9
    )


def gguf_beside(folder: Path, generation: object, **keys: object) -> ModelText:
    """A GGUF file's text side with a ``generation_config.json`` beside the file."""
    (folder / "generation_config.json").write_text(json.dumps(generation))
    metadata = byte_level_metadata(byte_level(), "qwen2", eos_token_id=5)
    return open_text(folder / "model.Q4_K_M.gguf", {**metadata, **keys})


def test_E2_ends_beside_a_gguf_file_are_known(tmp_path: Path) -> None:
    """Ids that are ordinary text here are another model's: the file lies beside several."""
    plain = gguf_beside(tmp_path, {})
    control = next(id for id in sorted(plain.tokenizer.control.ids) if id not in plain.end_ids)
    word = plain.tokenizer.encode("the")[0]
    model = gguf_beside(tmp_path, {"eos_token_id": [control, word, 999_999]})
    assert model.end_ids == plain.end_ids | {control}


def test_sampling_beside_a_gguf_file_counts_where_the_file_says_nothing(tmp_path: Path) -> None:
    said = {"temperature": 0.6, "top_k": 20, "do_sample": True}
    assert gguf_beside(tmp_path, said).default_sampling == Sampling(temperature=0.6, top_k=20)
    own = {"general.sampling.temp": 0.3}
    both = gguf_beside(tmp_path, said, **own).default_sampling
    assert both == Sampling(temperature=0.3, top_k=20)


@pytest.mark.parametrize("content", ["{", "[]"])
def test_a_damaged_generation_config_beside_a_gguf_file_is_named(
    tmp_path: Path, content: str
) -> None:
    (tmp_path / "generation_config.json").write_text(content)
    metadata = byte_level_metadata(byte_level(), "qwen2")
    with pytest.raises(EngineError) as caught:
        open_text(tmp_path / "model.gguf", metadata)
    assert caught.value.fault.kind is FaultKind.CONFIG_INVALID


def test_a_tiktoken_file_in_the_place_of_sentencepieces_is_named(tmp_path: Path) -> None:
    """GLM-4's first folders: lines of base64 and rank, read by code that the folder brings."""
    lines = [f"{base64.b64encode(bytes([n])).decode()} {n}" for n in range(256)]
    (tmp_path / "tokenizer.model").write_text("\n".join(lines))
    with pytest.raises(EngineError) as caught:
        open_text(tmp_path, {})
    assert caught.value.fault.kind is FaultKind.TOKENIZER_INVALID
    assert "tiktoken" in str(caught.value.fault.figures["detail"])


def test_a_folder_with_nothing_but_a_tiktoken_file_is_named(tmp_path: Path) -> None:
    """Qwen's first folders."""
    (tmp_path / "qwen.tiktoken").write_text("IQ== 0")
    with pytest.raises(EngineError) as caught:
        open_text(tmp_path, {})
    assert caught.value.fault.kind is FaultKind.TOKENIZER_INVALID
    assert "tiktoken" in str(caught.value.fault.figures["detail"])


def test_sampling_defaults_are_the_contracts_where_the_model_has_none(tmp_path: Path) -> None:
    assert open_text(write_folder(tmp_path, byte_level()), {}).default_sampling == Sampling()


@pytest.mark.parametrize(
    ("settings", "adds"),
    [
        ({"bos_token": "<s>"}, True),  # tokenizer.json's own post-processor says so
        ({"bos_token": "<s>", "add_bos_token": False}, False),
        ({"bos_token": "<s>", "add_bos_token": True}, True),
        ({}, True),
    ],
)
def test_E1_bos_is_added_once_or_not_at_all(
    tmp_path: Path, settings: dict[str, object], adds: bool
) -> None:
    model = open_text(write_folder(tmp_path, metaspace(), tokenizer_config=settings), {})
    bos = model.tokenizer.id("<s>")
    assert model.raw("the dog").count(bos or 0) == int(adds)
    assert model.raw("<s>the dog").count(bos or 0) == 1
    assert prompt_text(model).startswith("<s> User") is adds


def test_special_tokens_reach_the_template_by_name(tmp_path: Path) -> None:
    write_folder(
        tmp_path,
        metaspace(),
        special_tokens_map={"bos_token": "<s>", "eos_token": {"content": "</s>"}},
        chat_template="{{ bos_token }}{{ messages[0].content }}{{ eos_token }}{{ pad_token }}",
    )
    assert prompt_text(open_text(tmp_path, {})) == "<s>hi</s>"


def test_tokens_that_only_the_configuration_declares_are_known(tmp_path: Path) -> None:
    size = byte_level().get_vocab_size()
    declared = {
        str(size): {"content": "<|extra|>", "special": True},
        str(size + 1): {"content": "plain word", "special": False},
    }
    write_folder(tmp_path, byte_level(), tokenizer_config={"added_tokens_decoder": declared})
    tokenizer = open_text(tmp_path, {}).tokenizer
    assert tokenizer.encode("<|extra|>", control=True) == [size]
    assert size not in tokenizer.encode("<|extra|>")
    assert tokenizer.encode("plain word") == [size + 1]
    assert tokenizer.size == size + 2


def test_control_tokens_take_spaces_along_where_they_are_declared_so(tmp_path: Path) -> None:
    backend = tokenizers.Tokenizer.from_str(byte_level().to_str())
    token = tokenizers.AddedToken("<|end|>", lstrip=True, rstrip=True, special=True)
    backend.add_special_tokens([token])
    tokenizer = open_text(write_folder(tmp_path, backend), {}).tokenizer
    expected = backend.encode("a <|end|>\n b", add_special_tokens=False).ids
    assert tokenizer.encode("a <|end|>\n b", control=True) == expected


def test_vocabulary_and_merges_alone_are_gpt2s_files(tmp_path: Path) -> None:
    byte_level().model.save(str(tmp_path))
    tokenizer = folder_sources(tmp_path, {}).tokenizer
    for text in CORPUS[:4]:
        ids = byte_level().encode(text, add_special_tokens=False).ids
        assert tokenizer.encode(text) == ids
        assert tokenizer.decode(ids) == text


@pytest.mark.parametrize("name", ["tokenizer_config", "generation_config", "special_tokens_map"])
@pytest.mark.parametrize("content", ["{", "[1]", "[" * 100_000])
def test_a_broken_configuration_is_a_named_fault(tmp_path: Path, name: str, content: str) -> None:
    write_folder(tmp_path, byte_level())
    (tmp_path / f"{name}.json").write_text(content)
    with pytest.raises(EngineError) as caught:
        open_text(tmp_path, {})
    assert caught.value.fault.kind is FaultKind.CONFIG_INVALID
    assert caught.value.fault.figures["path"] == str(tmp_path / f"{name}.json")


def test_a_broken_template_is_a_named_fault(tmp_path: Path) -> None:
    with pytest.raises(EngineError) as caught:
        open_text(write_folder(tmp_path, byte_level(), chat_template="{% if %}"), {})
    assert caught.value.fault.kind is FaultKind.TEMPLATE_INVALID


def sentencepiece_model(
    pieces: Sequence[tuple[str, float, int]], model: int, *, space_first: bool = True
) -> bytes:
    """A ``tokenizer.model`` as sentencepiece writes it."""

    def field(number: int, content: bytes) -> bytes:
        assert len(content) < 128
        return bytes([number << 3 | 2, len(content)]) + content

    parts = [
        field(1, field(1, text.encode()) + b"\x15" + struct.pack("<f", score) + bytes([24, kind]))
        for text, score, kind in pieces
    ]
    trainer = field(2, bytes([3 << 3, model]))
    normalizer = field(3, field(1, b"identity") + bytes([3 << 3, int(space_first)]))
    return b"".join([*parts, trainer, normalizer])


def llama_pieces() -> list[tuple[str, float, int]]:
    model = json.loads(metaspace().to_str())["model"]
    order = {"".join(merge): -float(rank) for rank, merge in enumerate(model["merges"], 1)}
    texts = sorted(model["vocab"], key=model["vocab"].__getitem__)
    kinds = [int(TokenType.BYTE if text.startswith("<0x") else TokenType.NORMAL) for text in texts]
    kinds[:3] = [int(TokenType.UNKNOWN), int(TokenType.CONTROL), int(TokenType.CONTROL)]
    return [(text, order.get(text, 0.0), kind) for text, kind in zip(texts, kinds, strict=True)]


def test_a_sentencepiece_file_alone_is_read(tmp_path: Path) -> None:
    """Baichuan's and the first Llama's way."""
    (tmp_path / "tokenizer.model").write_bytes(sentencepiece_model(llama_pieces(), 2))
    declared = {"added_tokens_decoder": {}, "bos_token": "<s>", "eos_token": "</s>"}
    size = len(llama_pieces())
    declared["added_tokens_decoder"] = {str(size): {"content": "<|extra|>", "special": True}}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(declared))
    model = open_text(tmp_path, {})
    ids = model.raw("<|extra|>the dog </s>")
    assert ids[:2] == [1, size]
    assert ids[-1] == 2
    assert model.end_ids == {2}
    assert model.tokenizer.decode(model.tokenizer.encode(CORPUS[2])) == CORPUS[2]


def test_a_sentencepiece_file_with_a_unigram_model_is_read(tmp_path: Path) -> None:
    """T5's way; the reference is the library's tokenizer with the same pieces."""
    pieces = json.loads(unigram().to_str())["model"]["vocab"]
    kinds = [3, 3, 2, *[1] * (len(pieces) - 3)]
    content = [(text, score, kind) for (text, score), kind in zip(pieces, kinds, strict=True)]
    (tmp_path / "tokenizer.model").write_bytes(sentencepiece_model(content, 1))
    (tmp_path / "tokenizer_config.json").write_text('{"eos_token": "</s>"}')
    model = open_text(tmp_path, {})
    assert model.raw(CORPUS[0]) == unigram().encode(CORPUS[0]).ids
    assert model.tokenizer.decode(model.raw(CORPUS[0])) == CORPUS[0]


@pytest.mark.parametrize(
    "content", [b"", b"\x0a", b"\xff" * 20, b"\x0a\x7fabc", b"\x08\x01", b"\x0a\x02\x0a\x05", b"{}"]
)
def test_a_broken_sentencepiece_file_is_a_named_fault(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "tokenizer.model").write_bytes(content)
    with pytest.raises(EngineError) as caught:
        open_text(tmp_path, {})
    assert caught.value.fault.kind is FaultKind.TOKENIZER_INVALID
