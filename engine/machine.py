"""The devices that a model is loaded onto: kernels for each, and who computes which layer."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

from engine.contract import EngineError, FaultKind, LoadSettings, Notice, NoticeKind
from engine.device import device_names, free_bytes
from engine.families.spread import Spread
from engine.kernels.choose import choose_kernels
from engine.kernels.interface import CachePool, CacheShape, Kernels
from engine.kernels.reference import ReferenceKernels
from engine.layers.placed import PlacedCache
from engine.placement import ROOM, ModelBytes, Place, place_layers

Chooser = Callable[[str | None, int | None], Kernels]


class Machine:
    """Kernels of the devices that settings allow.

    Args:
        settings: device, layers on GPUs, threads, bits of the cache.
        choose: makes the kernels of a device.
        free: free bytes of a device.

    Raises:
        EngineError: DEVICE_MISSING, SETTING_INVALID.
    """

    def __init__(
        self,
        settings: LoadSettings,
        choose: Chooser = choose_kernels,
        free: Callable[[torch.device], int] = free_bytes,
    ) -> None:
        if settings.gpu_layers is not None and settings.gpu_layers < 0:
            raise EngineError(
                FaultKind.SETTING_INVALID,
                name="gpu_layers",
                value=settings.gpu_layers,
                allowed=">= 0",
            )
        self._settings = settings
        self._choose = choose
        self._names = device_names(settings.device)
        self._made: dict[str, Kernels] = {}
        self.first = self.ends = self._kernels(self._names[0])
        self._layers: tuple[Kernels, ...] = ()
        self._bytes = tuple(self._usable(name, free) for name in self._names)

    @property
    def free(self) -> int:
        """Bytes that a model may take of all devices together."""
        return sum(self._bytes)

    @property
    def devices(self) -> tuple[str, ...]:
        """The devices that a model lies on, that of its ends first."""
        used = (self.ends, *self._layers)
        return tuple(dict.fromkeys(str(kernels.device) for kernels in used))

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What the user must be told: a GPU in use whose fast kernels do not work, and why."""
        used = dict.fromkeys((self.ends, *self._layers))
        slow = [kernels for kernels in used if isinstance(kernels, ReferenceKernels)]
        return tuple(
            Notice(
                NoticeKind.KERNELS_SLOW,
                {"device": str(kernels.device), "reason": kernels.slow_because},
            )
            for kernels in slow
            if kernels.slow_because
        )

    def spreads(self, tokens: int, workspace: int) -> Spread | None:
        """What decides who computes which layer; None where there is one device.

        Args:
            tokens: that the cache holds.
            workspace: bytes that a step needs beside weights and cache on each device.
        """
        if len(self._names) == 1:
            return None

        def spread(
            ends: int, layers: Sequence[int], shapes: Sequence[CacheShape]
        ) -> tuple[Kernels, tuple[Kernels, ...]]:
            sizes = ModelBytes(ends, tuple(layers))
            sizes = sizes.with_cache(shapes, tokens, self._settings.cache_bits)
            both = zip(self._names, self._bytes, strict=True)
            places = [Place(name, max(free - workspace, 0)) for name, free in both]
            placement = place_layers(sizes, places, self._settings.gpu_layers)
            self.ends = self._kernels(placement.ends)
            self._layers = tuple(self._kernels(name) for name in placement.layers)
            return self.ends, self._layers

        return spread

    def make_cache(
        self,
        layers: tuple[CacheShape, ...],
        pages: int | Sequence[int],
        page_size: int,
        bits: int,
    ) -> CachePool:
        """The pool of a model's layers, each on its device; see ``Kernels.make_cache``."""
        if all(kernels is self.ends for kernels in self._layers) or not layers:
            return self.ends.make_cache(layers, pages, page_size, bits)
        return PlacedCache.make(layers, self._layers, pages, page_size, bits)

    def close(self) -> None:
        """End what the kernels run."""
        for kernels in self._made.values():
            kernels.close()

    def _kernels(self, name: str) -> Kernels:
        if name not in self._made:
            self._made[name] = self._choose(name, self._settings.threads)
        return self._made[name]

    def _usable(self, name: str, free: Callable[[torch.device], int]) -> int:
        device = torch.device(name)
        if device.type == "cpu":
            # Apple's GPU and the CPU have one memory: what the one may take the other may not
            shared = [free(torch.device(own)) for own in self._names if own.startswith("mps")]
            return max(free(device) - sum(shared), 0)
        return int(free(device) * ROOM)
