"""What a GGUF model is, from its header."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from engine.contract import EngineError, FaultKind, ModelFacts, Support
from engine.library.architectures import ENCODERS, GGUF_ARCHITECTURES
from engine.library.held import held_bits
from engine.library.names import name_of_file
from engine.library.windows import sliding_window
from engine.storage.ggml_types import FILE_TYPES
from engine.storage.gguf_header import GgufHeader, TensorInfo
from engine.storage.gguf_split import read_gguf_headers


def gguf_facts(path: Path) -> ModelFacts:  # long: a line a fact
    """Facts of the model that this GGUF file is, or is a part of.

    Raises:
        EngineError: those of ``read_gguf_headers``; ``CONFIG_INVALID`` without an architecture;
            ``FORMAT_UNSUPPORTED`` for an adapter or another part that is no model;
            ``TOKENIZER_INVALID`` for a vocabulary larger than the embedding.
    """
    headers = read_gguf_headers(path)
    metadata = headers[0].metadata
    _check_is_model(headers[0])
    values = _Values(headers[0].path, metadata)
    tensors = [tensor for header in headers for tensor in header.tensors.values()]
    parameters = sum(prod(t.shape) for t in tensors)
    size = sum(t.nbytes for t in tensors)
    experts = values.number("expert_count")
    pooled = metadata.get(f"{values.architecture}.pooling_type")  # how llama.cpp embeds
    writes = values.architecture not in ENCODERS and not pooled
    license_, publisher = (metadata.get(f"general.{key}") for key in ("license", "organization"))
    window, window_values = _window(values)
    return ModelFacts(
        path=headers[0].path,
        name=name_of_file(headers[0].path, str(metadata.get("general.name", ""))),
        format="gguf",
        architecture=values.architecture,
        support=_support(values.architecture, experts, tensors) if writes else Support.UNSUPPORTED,
        size_bytes=sum(header.size for header in headers),
        parameters=parameters,
        active_parameters=parameters - _idle(tensors, experts, values.number("expert_used_count")),
        bits_per_weight=round(size * 8 / parameters, 2) if parameters else 0.0,
        quantization=_quantization(metadata, tensors),
        context_length=values.number("context_length"),
        layers=values.layers,
        vocabulary=_vocabulary(headers[0], values),
        cache_bytes_per_token=2 * _cache_values(values),
        window=window,
        window_bytes_per_token=2 * window_values,
        has_template="tokenizer.chat_template" in metadata,
        license=str(license_ or ""),
        publisher=str(publisher or ""),
        languages=_texts(metadata.get("general.languages")),
        weight_bytes=round(sum(prod(t.shape) * held_bits(t.type) for t in tensors) / 8),
        writes=writes,
    )


MAX_LAYERS = 1 << 12
_NO_MODEL = ("adapter", "imatrix", "vocab")


def _check_is_model(header: GgufHeader) -> None:
    kind = header.metadata.get("general.type", "model")
    if kind in _NO_MODEL:
        raise EngineError(FaultKind.FORMAT_UNSUPPORTED, path=str(header.path), format=kind)


@dataclass(frozen=True, slots=True)
class _Values:
    """The key/values of one architecture; numbers that are none are faults."""

    path: Path
    metadata: Mapping[str, Any]

    @property
    def architecture(self) -> str:
        name = self.metadata.get("general.architecture")
        if not isinstance(name, str) or not name:
            raise self._invalid("general.architecture")
        return name

    @property
    def layers(self) -> int:
        """How many layers; the deepest real models have below two hundred."""
        count = self.number("block_count")
        if count > MAX_LAYERS:
            raise self._invalid(f"{count} layers")
        return count

    def number(self, key: str, default: int = 0) -> int:
        """A whole number, 0 or more; an array's largest entry (layers that differ)."""
        return max(self.numbers(key, 1, default), default=0)

    def numbers(self, key: str, count: int, default: int = 0) -> list[int]:
        """A number for each of ``count`` layers."""
        full = f"{self.architecture}.{key}"
        value = self.metadata.get(full, default)
        values = value if isinstance(value, list) else [value] * count
        if not all(type(one) is int and 0 <= one < 1 << 40 for one in values):
            raise self._invalid(full)
        return values

    def _invalid(self, key: str) -> EngineError:
        return EngineError(FaultKind.CONFIG_INVALID, path=str(self.path), detail=key)


def _support(architecture: str, experts: int, tensors: Sequence[TensorInfo]) -> Support:
    readable = bool(tensors) and all(t.type.held_bits for t in tensors)
    # llama.cpp calls Mixtral a llama too
    name = "llama+experts" if architecture == "llama" and experts else architecture
    known = name in GGUF_ARCHITECTURES
    return Support.FAST if readable and known else Support.UNSUPPORTED


def _idle(tensors: Sequence[TensorInfo], experts: int, used: int) -> int:
    """Parameters that a token does not touch: the experts that are not chosen for it."""
    if not 0 < used < experts:
        return 0
    stacked = sum(prod(t.shape) for t in tensors if "_exps." in t.name)
    return stacked * (experts - used) // experts


def _quantization(metadata: Mapping[str, Any], tensors: Sequence[TensorInfo]) -> str:
    """The file's own label, or what most of its weights are."""
    number = metadata.get("general.file_type")
    label = FILE_TYPES.get(number, "") if isinstance(number, int) else ""
    if label or not tensors:
        return label
    weights: Counter[str] = Counter()
    for tensor in tensors:
        weights[tensor.type.name] += prod(tensor.shape)
    return weights.most_common(1)[0][0]


def _vocabulary(header: GgufHeader, values: _Values) -> int:
    """Rows of the embedding; a tokenizer with ids past them would read outside of it."""
    words = header.metadata.length("tokenizer.ggml.tokens")
    embedding = header.tensors.get("token_embd.weight")
    if embedding is None or len(embedding.shape) != 2:
        return words or values.number("vocab_size")
    rows = embedding.shape[0]
    if words > rows:
        detail = f"{words} tokens, {rows} rows of the embedding"
        raise EngineError(FaultKind.TOKENIZER_INVALID, path=str(header.path), detail=detail)
    return rows


def _cache_values(values: _Values) -> int:
    """Values that one token adds to the KV cache, over all layers."""
    layers = values.layers
    latent = values.number("attention.kv_lora_rank")
    if latent:  # multi-head latent attention keeps the latent and the rotary part
        return layers * (latent + values.number("rope.dimension_count"))
    heads = values.number("attention.head_count")
    head = values.number("embedding_length") // heads if heads else 0
    key = values.number("attention.key_length", head)
    value = values.number("attention.value_length", head)
    return sum(values.numbers("attention.head_count_kv", layers, heads)) * (key + value)


def _window(values: _Values) -> tuple[int, int]:
    """The window of layers that have one, and how many of ``_cache_values`` are in them."""
    slides = values.number("attention.sliding_window")
    config = {"sliding_window": slides} if slides else {}
    window, sliding = sliding_window(values.architecture, values.layers, config)
    return window, _cache_values(values) * sliding // max(values.layers, 1)


def _texts(value: Any) -> tuple[str, ...]:
    are_many = isinstance(value, Sequence) and not isinstance(value, str)
    return tuple(str(one) for one in value) if are_many else ()
