"""A model's text side from a folder as the hub has it.

``tokenizer.json`` is the vocabulary where there is one; older folders have SentencePiece's
``tokenizer.model`` or GPT-2's ``vocab.json`` and ``merges.txt``. Beside it,
``tokenizer_config.json`` names special tokens and may hold templates, ``chat_template.jinja`` is
one, and ``generation_config.json`` knows the ends of a reply and how the model is sampled.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.text.ends import configured_ends, generation_sampling
from engine.text.hub_tokenizer import hub_tokenizer
from engine.text.json_files import read_json, read_text
from engine.text.sources import Templates, TextSources
from engine.text.tokenizer import Tokenizer

_NAMES = ("bos_token", "eos_token", "unk_token", "pad_token", "sep_token", "cls_token")


def folder_sources(path: Path, config: Mapping[str, Any]) -> TextSources:
    """Everything from the folder ``path``, or from the folder of the file ``path``.

    Args:
        path: a folder, or a safetensors file in one.
        config: the content of ``config.json``.

    Raises:
        EngineError: TOKENIZER_MISSING, TOKENIZER_INVALID, FILE_UNREADABLE, CONFIG_INVALID.
    """
    folder = path if path.is_dir() else path.parent
    settings = read_json(folder / "tokenizer_config.json")
    settings = {**read_json(folder / "special_tokens_map.json"), **settings}
    names = {name: text for name in _NAMES if (text := token_text(settings.get(name)))}
    tokenizer = hub_tokenizer(folder, settings, names)
    generation = read_json(folder / "generation_config.json")
    return TextSources(
        tokenizer,
        read_templates(folder, settings),
        names,
        _ends(tokenizer, names, config, generation),
        generation_sampling(generation),
    )


def _ends(
    tokenizer: Tokenizer,
    names: Mapping[str, str],
    config: Mapping[str, Any],
    generation: Mapping[str, Any],
) -> frozenset[int]:
    """The end ids that the configurations and the tokenizer name."""
    inner = config.get("text_config")
    configurations = (config, inner if isinstance(inner, Mapping) else {}, generation)
    found = configured_ends(*configurations)
    named = tokenizer.id(names["eos_token"]) if "eos_token" in names else None
    return frozenset(id for id in (*found, named) if id is not None and 0 <= id < tokenizer.size)


def read_templates(folder: Path, settings: Mapping[str, Any]) -> Templates:
    """The folder's chat templates: files first, then what the configurations hold."""
    found: dict[str, str] = {}
    processor = read_json(folder / "chat_template.json")
    for holder in (settings, processor):
        value = holder.get("chat_template")
        if isinstance(value, str):
            found["default"] = value
        for entry in value if isinstance(value, list) else ():
            if isinstance(entry, Mapping) and isinstance(entry.get("template"), str):
                found[str(entry.get("name", "default"))] = entry["template"]
    for file in (folder / "additional_chat_templates").glob("*.jinja"):
        found[file.stem] = read_text(file)
    if (file := folder / "chat_template.jinja").is_file():
        found["default"] = read_text(file)
    default = found.get("default") or next(iter(found.values()), None)
    return Templates(default, found.get("tool_use"))


def token_text(value: Any) -> str | None:
    """A special token's text; configurations write it bare or with its properties."""
    if isinstance(value, Mapping):
        value = value.get("content")
    return value if isinstance(value, str) and value else None
