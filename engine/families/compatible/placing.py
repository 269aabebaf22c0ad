"""A device map for transformers' models: their repeated layers where there is room for them.

The model is built without memory, as accelerate does it; what its lists of layers hold decides, and
everything beside those lists (embeddings, norms, the head) stays together.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from engine.families.spread import Spread
from engine.kernels.interface import CacheShape, Kernels

NO_PAGES = CacheShape(0, 0, 0)
"""transformers keeps its caches itself, beside our pool."""


def device_map(kind: Any, folder: Path, kernels: Kernels, spread: Spread | None) -> dict[str, str]:
    """Names of modules -> devices, for ``from_pretrained``.

    Args:
        kind: the class of transformers that loads the model.
        folder: with the configuration.
        kernels: their device and dtype, where nothing is spread.
        spread: decides which device holds which layer.
    """
    if spread is None:
        return {"": str(kernels.device)}
    from accelerate import init_empty_weights  # noqa: PLC0415 - seconds, and only where needed
    from transformers import AutoConfig  # noqa: PLC0415

    config = AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    with init_empty_weights():
        module = kind.from_config(config, dtype=kernels.dtype)
    module.tie_weights()  # building without memory has parted them
    layers = layer_names(module)
    sizes = [_bytes(module.get_submodule(name)) for name in layers]
    shapes = [NO_PAGES] * len(layers)
    ends, placed = spread(_bytes(module) - sum(sizes), sizes, shapes)
    devices = {name: str(own.device) for name, own in zip(layers, placed, strict=True)}
    if set(devices.values()) <= {str(ends.device)}:
        return {"": str(ends.device)}
    return {**{name: str(ends.device) for name in _beside(module, layers)}, **devices}


def layer_names(module: torch.nn.Module) -> list[str]:
    """The members of the outermost lists of modules: encoder's and decoder's layers alike."""
    lists = [name for name, part in module.named_modules() if isinstance(part, torch.nn.ModuleList)]
    outer = [n for n in lists if not any(n.startswith(f"{other}.") for other in lists)]
    return [f"{n}.{i}" for n in outer for i in range(len(list(module.get_submodule(n).children())))]


def _beside(module: torch.nn.Module, layers: list[str]) -> list[str]:
    """The largest modules, and the parameters, that hold none of the layers."""
    above = {name.rsplit(".", depth)[0] for name in layers for depth in range(1, 9)} - set(layers)
    above = {name for name in above if any(one.startswith(f"{name}.") for one in layers)} | {""}
    found: list[str] = []
    for name in sorted(above):
        part = module.get_submodule(name)
        own = [
            *(n for n, _ in part.named_children()),
            *(n for n, _ in part.named_parameters("", False)),
        ]
        names = [f"{name}.{one}" if name else one for one in own]
        found += [one for one in names if one not in above and one not in layers]
    return found


def _bytes(module: torch.nn.Module) -> int:
    return sum(parameter.nbytes for parameter in module.parameters())
