"""Buffers of a step that all layers share: one for each use and size."""

from __future__ import annotations

from engine.kernels.cpu.matrix_tables import Needs, Prepared
from engine.kernels.cpu.step_builder import StepBuilder
from engine.kernels.cpu.weights import packed_here
from engine.kernels.interface import Packed


class StepBuffers:
    """Rows between the instructions of a layer.

    Attributes:
        build: owns the memory.
    """

    def __init__(self, build: StepBuilder) -> None:
        self.build = build
        self._shared: dict[tuple[str, Needs], Prepared] = {}

    def prepared(self, use: str, needs: Needs) -> Prepared:
        """Rows for products, the same for all layers."""
        if (use, needs) not in self._shared:
            self._shared[use, needs] = self.build.prepared(needs)
        return self._shared[use, needs]

    def needs(self, *weights: Packed, fine: bool = False) -> Needs:
        """What weights of equal columns want their rows as; see ``Needs.of``."""
        held = [packed_here(weight) for weight in weights]
        return Needs.of(held, precise=self.build.precise, fine=fine)

    def rows(self, use: str, step: int) -> int:
        """The address of float32 rows of ``step`` bytes."""
        return self.prepared(use, Needs(step // 4, 0, floats=True)).floats
