"""What a safetensors model is, from its ``config.json`` and its files' headers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from engine.contract import EngineError, FaultKind, ModelFacts, Support
from engine.library.architectures import MODEL_TYPES
from engine.library.compatible import compatible_types
from engine.library.model_card import read_model_card
from engine.library.names import name_of_folder
from engine.library.purpose import writes_replies
from engine.library.windows import sliding_window
from engine.storage.model_folder import read_config, read_json, weight_files
from engine.storage.quantization_config import Quantization, read_quantization
from engine.storage.safetensors_header import StoredTensor, read_safetensors_header

_LABELS = {"F32": "fp32", "F16": "fp16", "BF16": "bf16", "F8_E4M3": "fp8", "F8_E5M2": "fp8"}
MAX_LAYERS = 1 << 12


def folder_facts(path: Path) -> ModelFacts:  # long: a line a fact
    """Facts of the model in this folder, or of the one that this safetensors file belongs to.

    Raises:
        EngineError: those of ``weight_files`` and ``read_safetensors_header``;
            ``CONFIG_INVALID`` for a config that says no architecture or impossible numbers.
    """
    folder = path if path.is_dir() else path.parent
    config = _Config.read(folder)
    headers = [read_safetensors_header(file) for file in weight_files(path)]
    tensors = [tensor for header in headers for tensor in header.tensors.values()]
    packing = _Packing.of(config)
    parameters = sum(packing.values(t) for t in tensors)
    size = sum(t.nbytes for t in tensors)
    name, publisher = name_of_folder(folder)
    card = read_model_card(folder)
    writes = writes_replies(folder, config.content)
    window, sliding = sliding_window(config.architecture, config.layers, config.text)
    return ModelFacts(
        path=path,
        name=name,
        format="safetensors",
        architecture=config.architecture,
        support=_support(config, packing) if writes else Support.UNSUPPORTED,
        size_bytes=sum(header.size for header in headers),
        parameters=parameters,
        active_parameters=parameters - _idle(config, tensors, packing),
        bits_per_weight=round(size * 8 / parameters, 2) if parameters else 0.0,
        quantization=packing.label or _dominant(tensors),
        context_length=config.number("max_position_embeddings", "n_positions", "seq_length"),
        layers=config.layers,
        vocabulary=config.number("vocab_size"),
        cache_bytes_per_token=2 * _cache_values(config),
        window=window,
        window_bytes_per_token=2 * _cache_values(config) * sliding // max(config.layers, 1),
        has_template=_has_template(folder),
        license=card.license,
        publisher=publisher,
        languages=card.languages,
        weight_bytes=size,
        writes=writes,
    )


@dataclass(frozen=True, slots=True)
class _Config:
    """``config.json``; the text part of a model that also sees or hears lies one level deeper."""

    path: Path
    content: Mapping[str, Any]
    text: Mapping[str, Any]

    @classmethod
    def read(cls, folder: Path) -> _Config:
        content = read_config(folder)
        text = content.get("text_config")
        return cls(
            folder / "config.json",
            content,
            {**content, **text} if isinstance(text, dict) else content,
        )

    @property
    def architecture(self) -> str:
        name = self.content.get("model_type")
        if not isinstance(name, str) or not name:
            raise self._invalid("model_type")
        return name

    @property
    def layers(self) -> int:
        """How many layers; the deepest real models have below two hundred."""
        count = self.number("num_hidden_layers", "n_layer", "num_layers", "n_layers")
        if count > MAX_LAYERS:
            raise self._invalid(f"{count} layers")
        return count

    def number(self, *keys: str, default: int = 0) -> int:
        """The first of these keys that the config has, as a whole number."""
        for key in keys:
            value = self.text.get(key)
            if value is None:
                continue
            if type(value) is not int or not 0 <= value < 1 << 40:
                raise self._invalid(key)
            return value
        return default

    def _invalid(self, detail: str) -> EngineError:
        return EngineError(FaultKind.CONFIG_INVALID, path=str(self.path), detail=detail)


@dataclass(frozen=True, slots=True)
class _Packing:
    """How the stored tensors count: values a stored number, and what only scales.

    Attributes:
        label: for people; empty for a plain checkpoint.
        how: what the configuration says of it; None where nothing is packed.
        readable: whether the layout is one that ``storage`` reads.
    """

    label: str
    how: Quantization | None
    readable: bool

    @classmethod
    def of(cls, config: _Config) -> _Packing:
        try:
            found = read_quantization(config.content, config.path)
        except EngineError as error:
            return cls(str(error.fault.figures["quantization"]), None, False)
        return cls(found.label if found else "", found, True)

    def values(self, tensor: StoredTensor) -> int:
        """Parameters that a stored tensor stands for; 0 for scales, zero points and maps."""
        count = prod(tensor.shape)
        if not self.label:
            return count
        module, _, kind = tensor.name.rpartition(".")
        bits = self.how.bits_of(module) if self.how else 0
        if kind in _NO_WEIGHTS or any(word in kind for word in ("scale", "zero", "absmax")):
            return 0
        if tensor.dtype == "I32" and bits:
            return count * 32 // bits
        if tensor.dtype == "U8" and bits == 4:
            return count * 2
        return count


_NO_WEIGHTS = frozenset(
    {"g_idx", "weight_g_idx", "weight_shape", "quant_map", "nested_quant_map", "SCB"}
    | {"weight_format", "bitsandbytes__nf4", "bitsandbytes__fp4"}
)


def _support(config: _Config, packing: _Packing) -> Support:
    if config.architecture in MODEL_TYPES:
        return Support.FAST if packing.readable else Support.UNSUPPORTED
    # transformers' own modelling code is given plain weights only
    is_known = not packing.label and config.architecture in compatible_types()
    return Support.COMPATIBLE if is_known else Support.UNSUPPORTED


def _idle(config: _Config, tensors: Iterable[StoredTensor], packing: _Packing) -> int:
    """Parameters that a token does not touch: the experts that are not chosen for it."""
    experts = config.number("num_local_experts", "num_experts", "n_routed_experts")
    used = config.number("num_experts_per_tok", "num_experts_per_token")
    if not 0 < used < experts:
        return 0
    routed = sum(packing.values(t) for t in tensors if ".experts." in t.name)
    return routed * (experts - used) // experts


def _dominant(tensors: Sequence[StoredTensor]) -> str:
    weights: Counter[str] = Counter()
    for tensor in tensors:
        weights[tensor.dtype] += prod(tensor.shape)
    dtype = weights.most_common(1)[0][0] if weights else ""
    return _LABELS.get(dtype, dtype.lower())


def _cache_values(config: _Config) -> int:
    """Values that one token adds to the KV cache, over all layers."""
    layers = config.layers
    latent = config.number("kv_lora_rank")
    if latent:  # multi-head latent attention keeps the latent and the rotary part
        return layers * (latent + config.number("qk_rope_head_dim"))
    heads = config.number("num_attention_heads", "n_head", "num_heads")
    width = config.number("hidden_size", "n_embd", "d_model")
    head = config.number("head_dim", "d_kv", default=width // heads if heads else 0)
    return layers * 2 * head * config.number("num_key_value_heads", default=heads)


def _has_template(folder: Path) -> bool:
    if any((folder / name).is_file() for name in ("chat_template.jinja", "chat_template.json")):
        return True
    file = folder / "tokenizer_config.json"
    return file.is_file() and bool(read_json(file).get("chat_template"))
