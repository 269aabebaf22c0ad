"""One layer's experts by themselves, for decoders whose step is not one program."""

from __future__ import annotations

from torch import Tensor

from engine.kernels.cpu.expert_program import ExpertSteps, expert_needs
from engine.kernels.cpu.native_library import NativeLibrary
from engine.kernels.cpu.step_builder import StepBuilder
from engine.kernels.cpu.threads import Instruction
from engine.kernels.plan import MixturePlan

FEWEST_ROWS = 16


class Mixture:
    """The instructions of a mixture whose picks and weights are given.

    Args:
        plan: the experts.
        library: generated functions.
        threads: the most that will run it.
        rows: that x has now; buffers are made for the next power of two.
        precise: multiply with float activations.
    """

    def __init__(
        self, plan: MixturePlan, library: NativeLibrary, threads: int, rows: int, *, precise: bool
    ) -> None:
        self.plan = plan  # its identity is what this is found by
        self.rows = max(FEWEST_ROWS, 1 << (rows - 1).bit_length())
        self._build = StepBuilder(library, threads, self.rows, precise=precise)
        prepared = self._build.prepared(expert_needs(plan, routed=False, precise=precise))
        self._prepare = self._build.prepare(0, 0, None, prepared)
        self._mix = ExpertSteps(self._build).mix(plan, prepared, (0, 0), 0, clear=True)

    @property
    def instructions(self) -> list[Instruction]:
        """What runs them; ``bind`` comes first."""
        return self._build.instructions

    @property
    def scratch(self) -> int:
        """Bytes that each thread needs."""
        return self._build.scratch

    def bind(self, x: Tensor, picks: Tensor, weights: Tensor, y: Tensor) -> None:
        """Point at float32 rows x, their picks and weights, and float32 rows y, which are set."""
        self._prepare["x"], self._prepare["x_step"] = x.data_ptr(), x.stride(0) * 4
        self._mix["picks"], self._mix["weights"] = picks.data_ptr(), weights.data_ptr()
        self._mix["y"], self._mix["y_step"] = y.data_ptr(), y.stride(0) * 4
