"""How many prompt tokens a step may hold: enough to be fast, few enough to stop at once.

A visible reply waits while a prompt beside it is read, so a step for several should stay well under
100 ms. A reply that is alone has longer ones, which read each weight for more tokens, where kernels
can end a step in its middle: a cancel takes effect between two steps otherwise. The sizes follow
from the model, the threads and the kind of processor alone, because a slice's size may touch the
last bits of its logits, and the same seed is to repeat a reply. Only a machine that cannot keep the
promise changes them: after a step that took too long the slices are halved.
"""

from __future__ import annotations

TOO_LONG_S, TOO_LONG_ALONE_S = 0.09, 0.6
"""Of a step beside others, and of one that can be ended: that long is between two signs of life."""
LEAST = 16
MOST = 512
TIMES_ALONE, MOST_ALONE = 8, 256
"""How much longer slices are alone, and up to where: twice as many tokens would be 1 to 4 % faster
(1.24B parameters on two threads of Zen 5)."""


class Pace:
    """The token budget of a step.

    Args:
        parameters: that each token is multiplied with.
        threads: that compute; an accelerator counts as many.
        flops: arithmetic of a slice for each thread, see ``Kernels.slice_flops``.
        can_end: whether kernels can end a step in its middle.

    Attributes:
        budget: tokens of a step beside others.
        alone: tokens of a step of one visible reply.
    """

    def __init__(self, parameters: int, threads: int, flops: float, *, can_end: bool) -> None:
        tokens = flops * threads / (2 * max(parameters, 1))
        self.budget = LEAST
        while self.budget * 2 <= min(tokens, MOST):
            self.budget *= 2
        longer = min(TIMES_ALONE * self.budget, MOST_ALONE) if can_end else 0
        self.alone = max(self.budget, longer)

    def stepped(self, step_s: float, tokens: int, *, is_alone: bool) -> None:
        """Note a step; only full slices say something about slices."""
        if is_alone and self.alone > self.budget:
            if step_s > TOO_LONG_ALONE_S and tokens >= self.alone:
                self.alone = max(self.budget, self.alone // 2)
        elif step_s > TOO_LONG_S and tokens >= self.budget > LEAST:
            self.budget //= 2
