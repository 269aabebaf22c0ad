"""The commands that serve a smaller copy with vLLM: one GPU, several, several machines."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_MOST = 8  # GPUs of one machine
_PORT = 6379  # Ray's own
_NEXT = " \\\n    "  # the command goes on in the next line


@dataclass(frozen=True, slots=True)
class ServeCommands:
    """Lines for a shell.

    Attributes:
        one: for a single GPU.
        several: for the GPUs of one machine, each holding a part of every layer.
        machines: for two machines and more, joined by Ray.
        split: GPUs that a layer can be split over; 1 where it cannot.
    """

    one: str
    several: str
    machines: str
    split: int


def serve_commands(copy: Path) -> ServeCommands:
    """The commands for a copy; its configuration says over how many GPUs a layer can be split.

    A head belongs to one GPU, and a row's part must hold whole groups of columns.
    """
    try:
        config = json.loads((copy / "config.json").read_bytes())
    except (OSError, ValueError):
        config = {}
    config = config if isinstance(config, dict) else {}
    split = _split(config)
    one = _NEXT.join((f"vllm serve {shlex.quote(str(copy))}", *_options(copy, config)))
    ways = f"{_NEXT}--tensor-parallel-size {split}" if split > 1 else ""
    stages = f"{_NEXT}--pipeline-parallel-size 2"
    several = one + (ways or stages)
    machines = "\n".join(
        (
            f"ray start --head --port={_PORT}",
            f"ray start --address=FIRST-MACHINE:{_PORT}",
            f"{one}{ways}{stages}{_NEXT}--distributed-executor-backend ray",
        )
    )
    return ServeCommands(one, several, machines, split)


def _options(copy: Path, config: Mapping[str, Any]) -> Iterator[str]:
    """What one GPU needs to be told of the checkpoint, too."""
    yield f"--served-model-name {shlex.quote(copy.name)}"
    table = config.get("quantization_config")
    method = table.get("quant_method") if isinstance(table, dict) else None
    if isinstance(method, str):
        yield f"--quantization {shlex.quote(method)}"
    context = _text_of(config).get("max_position_embeddings")
    if type(context) is int and context > 0:
        yield f"--max-model-len {context}"


def _text_of(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """The part that is about text, of models that take other things too."""
    text = config.get("text_config")
    return text if isinstance(text, dict) else config


def _split(config: Mapping[str, Any]) -> int:
    values = _text_of(config)
    heads, kv = (values.get(k) for k in ("num_attention_heads", "num_key_value_heads"))
    hidden, wide = (values.get(k) for k in ("hidden_size", "intermediate_size"))
    if not (isinstance(heads, int) and isinstance(hidden, int) and isinstance(wide, int)):
        return 1
    width = heads * (values.get("head_dim") or hidden // max(heads, 1))
    kv = kv if isinstance(kv, int) else heads
    group = _group(config)
    for ways in range(_MOST, 1, -1):
        whole = heads % ways == 0 and (kv % ways == 0 or ways % max(kv, 1) == 0)
        if whole and width % (ways * group) == 0 and wide % (ways * group) == 0:
            return ways
    return 1


def _group(config: Mapping[str, Any]) -> int:
    """Columns that share a scale, at most."""
    table = config.get("quantization_config")
    groups = table.get("config_groups") if isinstance(table, dict) else None
    sizes = [
        size
        for group in (groups.values() if isinstance(groups, dict) else ())
        if isinstance(group, dict)
        and isinstance(group.get("weights"), dict)
        and isinstance(size := group["weights"].get("group_size"), int)
    ]
    return max(sizes, default=1)
