"""Which layer goes where, when one device does not hold a model: accelerate's device map.

The map is made over a skeleton whose parameters are as large as the layers will be, their share of
the KV cache included. Layers fill the devices in order, GPUs first, and what they do not hold
stays on the CPU and is computed there. Embedding, last norm and head stay together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from engine.contract import EngineError, FaultKind
from engine.kernels.interface import CacheShape
from engine.library.memory import window_tokens

ROOM = 0.9
"""Of a GPU's free memory: its allocator rounds up, and the driver wants some."""


@dataclass(frozen=True, slots=True)
class Place:
    """A device and the bytes that a model may take of it."""

    device: str
    bytes: int


def _cache_bytes(shape: CacheShape, tokens: int, bits: int) -> int:
    """What one layer's cache takes; where it looks back so far only, for no more than that."""
    kept = tokens if shape.window is None else min(tokens, window_tokens(shape.window))
    values = shape.key_dim + (0 if shape.values_in_keys else shape.value_dim)
    return kept * shape.kv_heads * values * bits // 8


@dataclass(frozen=True, slots=True)
class ModelBytes:
    """What a model takes.

    Attributes:
        ends: embedding, last norm, head.
        layers: weights and cache of each layer.
    """

    ends: int
    layers: tuple[int, ...]

    @property
    def total(self) -> int:
        """All of it."""
        return self.ends + sum(self.layers)

    def with_cache(self, shapes: Sequence[CacheShape], tokens: int, bits: int) -> ModelBytes:
        """The same with room for so many tokens in each layer, of ``bits`` a value."""
        both = zip(self.layers, shapes, strict=True)
        return ModelBytes(
            self.ends, tuple(own + _cache_bytes(shape, tokens, bits) for own, shape in both)
        )


@dataclass(frozen=True, slots=True)
class Placement:
    """The device of the ends, and of each layer."""

    ends: str
    layers: tuple[str, ...]

    @property
    def devices(self) -> tuple[str, ...]:
        """Each device once, that of the ends first."""
        return tuple(dict.fromkeys((self.ends, *self.layers)))


def place_layers(
    model: ModelBytes, places: Sequence[Place], gpu_layers: int | None = None
) -> Placement:
    """Place a model on a machine.

    Args:
        model: what it takes.
        places: the devices in the order in which they are filled; a CPU comes last.
        gpu_layers: layers beyond the first so many stay on the CPU; None: as many as fit.

    Raises:
        EngineError: OUT_OF_MEMORY where all places together do not hold it.
    """
    free = sum(place.bytes for place in places)
    fault = EngineError(
        FaultKind.OUT_OF_MEMORY,
        needed=model.total,
        free=free,
        device=", ".join(place.device for place in places),
    )
    count = len(model.layers)
    last = places[-1].device
    if gpu_layers == 0 or len(places) == 1:
        if model.total > places[-1].bytes:
            raise fault
        return Placement(last, (last,) * count)
    wanted = count if gpu_layers is None else min(gpu_layers, count)
    left = places[-1].bytes - sum(model.layers[wanted:])
    found = _device_map(model.ends, model.layers[:wanted], places, left) if left >= 0 else None
    if found is None:
        raise fault
    return Placement(found[0], (*found[1:], *(last,) * (count - wanted)))


def _device_map(
    ends: int, layers: Sequence[int], places: Sequence[Place], last_bytes: int
) -> list[str] | None:
    """Devices of the ends and of each layer by accelerate; None where it would need a disk."""
    from accelerate import infer_auto_device_map  # noqa: PLC0415 - only where there is a choice

    # accelerate names GPUs by their index; here in the order of the places
    keys: list[int | str] = [*range(len(places) - 1), "cpu"]
    room = [*(place.bytes for place in places[:-1]), last_bytes]
    skeleton = torch.nn.ModuleList([_Held(size) for size in (ends, *layers)])
    found = infer_auto_device_map(
        skeleton,
        max_memory=dict(zip(keys, room, strict=True)),
        no_split_module_classes=[_Held.__name__],
    )
    names = {key: place.device for key, place in zip(keys, places, strict=True)}
    of_layer = [found.get("", found.get(str(number))) for number in range(1 + len(layers))]
    if any(key not in names for key in of_layer):
        return None
    return [names[key] for key in of_layer if key is not None]


class _Held(torch.nn.Module):
    """So many bytes, of which none exist."""

    def __init__(self, size: int) -> None:
        super().__init__()
        held = torch.empty(size, dtype=torch.uint8, device="meta")
        self.held = torch.nn.Parameter(held, requires_grad=False)
