"""What a model's files say about its text, gathered from where each format keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.contract import Sampling
from engine.text.ends import configured_ends, gguf_ends, gguf_sampling
from engine.text.gguf_tokenizer import tokenizer_from_gguf
from engine.text.json_files import read_json
from engine.text.tokenizer import Tokenizer

_GGUF_NAMES = {"bos": "bos", "eos": "eos", "unk": "unknown", "pad": "padding"}


@dataclass(frozen=True, slots=True)
class Templates:
    """A model's chat templates: the usual one, and one for conversations with tools if it has."""

    default: str | None = None
    tools: str | None = None


@dataclass(frozen=True, slots=True)
class TextSources:
    """A model's text side before it is put together.

    Attributes:
        tokenizer: the vocabulary.
        templates: the chat templates' sources.
        names: special tokens by the names that templates use (``bos_token``).
        ends: the end ids that the files name.
        sampling: how the files say the model is sampled.
    """

    tokenizer: Tokenizer
    templates: Templates = field(default_factory=Templates)
    names: Mapping[str, str] = field(default_factory=dict)
    ends: frozenset[int] = frozenset()
    sampling: Sampling = field(default_factory=Sampling)


def gguf_sources(path: Path, metadata: Mapping[str, Any]) -> TextSources:
    """Everything from a GGUF file's metadata, and from a ``generation_config.json`` beside it.

    That file may lie beside the files of several models: of the ends that it names, those count
    that are control tokens of this one, and what the GGUF file says of sampling comes first.

    Raises:
        EngineError: TOKENIZER_MISSING, TOKENIZER_INVALID, FILE_UNREADABLE, CONFIG_INVALID.
    """
    tokenizer = tokenizer_from_gguf(path, metadata)
    generation = read_json(path.parent / "generation_config.json")
    ends = gguf_ends(metadata) | (configured_ends(generation) & tokenizer.control.ids)
    names = {}
    for name, key in _GGUF_NAMES.items():
        id = metadata.get(f"tokenizer.ggml.{key}_token_id")
        text = tokenizer.string(id) if isinstance(id, int) else None
        if text is not None:
            names[f"{name}_token"] = text
    return TextSources(
        tokenizer,
        Templates(
            _template(metadata, "tokenizer.chat_template"),
            _template(metadata, "tokenizer.chat_template.tool_use"),
        ),
        names,
        frozenset(id for id in ends if id < tokenizer.size),
        gguf_sampling(metadata, generation),
    )


def _template(metadata: Mapping[str, Any], key: str) -> str | None:
    value = metadata.get(key)
    return value if isinstance(value, str) and value.strip() else None
