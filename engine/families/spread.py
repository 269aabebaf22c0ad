"""Who decides where layers go, as families see it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from engine.kernels.interface import CacheShape, Kernels


class Spread(Protocol):
    """Decides which kernels compute which layer, once it is known what each takes."""

    def __call__(
        self, ends: int, layers: Sequence[int], shapes: Sequence[CacheShape]
    ) -> tuple[Kernels, tuple[Kernels, ...]]:
        """The kernels of the ends and of each layer.

        Args:
            ends: bytes of embedding, last norm and head.
            layers: bytes of each layer's weights.
            shapes: what each layer keeps of a token.
        """
        ...
