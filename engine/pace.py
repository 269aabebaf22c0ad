"""How many prompt tokens a step may hold: enough to be fast, few enough to stop at once.

A cancel takes effect between two steps, and a visible reply waits while a prompt beside it is
read, so a step should stay well under 100 ms. The size follows from the model, the threads and the
kind of processor alone, because a slice's size may touch the last bits of its logits, and the same
seed is to repeat a reply. Only a machine that cannot keep the promise changes it: after a step that
took too long the slices are halved.
"""

from __future__ import annotations

TOO_LONG_S = 0.09
LEAST = 16
MOST = 512


class Pace:
    """The token budget of a step.

    Args:
        parameters: that each token is multiplied with.
        threads: that compute; an accelerator counts as many.
        flops: arithmetic of a slice for each thread, see ``Kernels.slice_flops``.
    """

    def __init__(self, parameters: int, threads: int, flops: float) -> None:
        tokens = flops * threads / (2 * max(parameters, 1))
        self.budget = LEAST
        while self.budget * 2 <= min(tokens, MOST):
            self.budget *= 2

    def stepped(self, step_s: float, tokens: int) -> None:
        """Note a step; only full slices say something about slices."""
        if step_s > TOO_LONG_S and tokens >= self.budget > LEAST:
            self.budget //= 2
