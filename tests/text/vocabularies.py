"""Small vocabularies of every kind, trained in milliseconds, and models around them."""

from __future__ import annotations

import json
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

import tokenizers
from tokenizers import (
    AddedToken,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

from engine.text.hub_folder import folder_sources
from engine.text.model_text import ModelText, assemble
from engine.text.sources import Templates, TextSources
from engine.text.tokenizer import Tokenizer
from tests.text import shapes

CORPUS = [
    "the quick brown fox jumps over the lazy dog. Hello world! don't stop, we've 12345 things.",
    "def f(x):\n    return x ** 2  # 注释\n\n\n<table><tr><td>1</td></tr></table>",
    "你好，世界。今天天气很好，我们去公园吧！ 값 값 한국어 バター",
    "system user assistant tool think answer reasoning name arguments",
] * 8
CHAT = ["<|im_start|>", "<|im_end|>", "<|endoftext|>"]
HARMONY = [f"<|{name}|>" for name in ("start", "channel", "message", "end", "return", "call")]
MARKS = ["<think>", "</think>", "<tool_call>", "</tool_call>", "<tool_response>"]


@lru_cache(maxsize=1)
def byte_level() -> tokenizers.Tokenizer:
    """As Qwen and GPT-2 have it; the marks of reasoning are added tokens that are not special."""
    backend = tokenizers.Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=500,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=CHAT,
        show_progress=False,
    )
    backend.train_from_iterator(CORPUS, trainer)
    backend.add_tokens([AddedToken(mark, normalized=False) for mark in MARKS])
    backend.add_special_tokens(
        [AddedToken(mark, normalized=False) for mark in (*shapes.MARKS, *HARMONY)]
    )
    return backend


@lru_cache(maxsize=3)
def metaspace(scheme: str = "first") -> tokenizers.Tokenizer:
    """As Llama 2 has it: SentencePiece pieces with byte fallback."""
    bytes_ = [f"<0x{byte:02X}>" for byte in range(256)]
    backend = tokenizers.Tokenizer(models.BPE(byte_fallback=True, unk_token="<unk>", fuse_unk=True))
    backend.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=scheme)
    trainer = trainers.BpeTrainer(
        vocab_size=700, special_tokens=["<unk>", "<s>", "</s>", *bytes_], show_progress=False
    )
    backend.train_from_iterator(CORPUS, trainer)
    spec = json.loads(backend.to_str())
    spec["added_tokens"] = [t for t in spec["added_tokens"] if not t["content"].startswith("<0x")]
    backend = tokenizers.Tokenizer.from_str(json.dumps(spec))
    replace = decoders.Replace("▁", " ")
    backend.decoder = decoders.Sequence(
        [replace, decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    backend.post_processor = processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", 1)]
    )
    return backend


@lru_cache(maxsize=1)
def legacy_llama() -> tokenizers.Tokenizer:
    """As Llama 2's first conversion has it: the space is put first by a normalizer."""
    spec = json.loads(metaspace().to_str())
    backend = tokenizers.Tokenizer.from_str(json.dumps(spec | {"pre_tokenizer": None}))
    backend.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    return backend


@lru_cache(maxsize=1)
def unigram() -> tokenizers.Tokenizer:
    """As T5 has it."""
    backend = tokenizers.Tokenizer(models.Unigram())
    backend.normalizer = normalizers.Replace(tokenizers.Regex(" {2,}"), " ")
    backend.pre_tokenizer = pre_tokenizers.Metaspace()
    backend.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=300,
        special_tokens=["<pad>", "</s>", "<unk>"],
        unk_token="<unk>",
        show_progress=False,
    )
    backend.train_from_iterator(CORPUS, trainer)
    backend.post_processor = processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", 1)]
    )
    return backend


@lru_cache(maxsize=1)
def wordpiece() -> tokenizers.Tokenizer:
    """As BERT has it."""
    backend = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
    backend.normalizer = normalizers.BertNormalizer(lowercase=False)
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    backend.decoder = decoders.WordPiece()
    trainer = trainers.WordPieceTrainer(
        vocab_size=400, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]"], show_progress=False
    )
    backend.train_from_iterator(CORPUS, trainer)
    return backend


KINDS = {
    "byte_level": byte_level,
    "metaspace": metaspace,
    "legacy_llama": legacy_llama,
    "unigram": unigram,
    "wordpiece": wordpiece,
}


def write_folder(folder: Path, backend: tokenizers.Tokenizer, **files: Any) -> Path:
    """A model folder: ``tokenizer.json``, and ``files`` (JSON or text) by stem."""
    folder.mkdir(parents=True, exist_ok=True)
    backend.save(str(folder / "tokenizer.json"))
    for name, content in files.items():
        if isinstance(content, str):
            (folder / f"{name}.jinja").write_text(content, encoding="utf-8")
        else:
            text = json.dumps(content, ensure_ascii=False)
            (folder / f"{name}.json").write_text(text, encoding="utf-8")
    return folder


@lru_cache(maxsize=1)
def chat_tokenizer() -> Tokenizer:
    """The byte-level vocabulary, with the control tokens of all template shapes."""
    with tempfile.TemporaryDirectory() as folder:
        settings = {"bos_token": "<bos>"}
        write_folder(Path(folder), byte_level(), tokenizer_config=settings)
        return folder_sources(Path(folder), {}).tokenizer


def model_text(template: str | None, tools: str | None = None, end: str = "<eos>") -> ModelText:
    """A model with this chat template around the byte-level vocabulary."""
    tokenizer = chat_tokenizer()
    names = {"bos_token": "<bos>", "eos_token": end}
    ends = frozenset({tokenizer.control.id(end) or 0})
    return assemble(TextSources(tokenizer, Templates(template, tools), names, ends))
