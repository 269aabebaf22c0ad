"""One layer of a decoder: attention and feed-forward, each between optional norms, added up.

The residual stream is float32 whatever the kernels' dtype is: Gemma 3's exceeds float16's range,
and in bfloat16 a small layer's contribution to a large sum is lost. What the norms give to the
layers is in the kernels' dtype.
"""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from engine.layers.attention import Mixer
from engine.layers.feed_forward import FeedForward
from engine.layers.norm import Norm
from engine.layers.step import Step


@dataclass(frozen=True, slots=True)
class Block:
    """``x += after(attention(before(x)))``, then the same around the feed-forward.

    Attributes:
        attention, feed_forward: the two layers.
        before_attention, before_feed_forward: on the way in; None where only the way out has one.
        after_attention, after_feed_forward: on the way out, before the sum; None in most families.
        residual_scale: factor on what each layer adds.
    """

    attention: Mixer
    feed_forward: FeedForward
    before_attention: Norm | None
    before_feed_forward: Norm | None
    after_attention: Norm | None = None
    after_feed_forward: Norm | None = None
    residual_scale: float = 1.0

    def __call__(self, x: Tensor, step: Step) -> Tensor:
        """float32 [tokens, hidden] -> the same; ``x`` is not changed."""
        y = self.attention(_normed(x, self.before_attention), step)
        x = self._sum(x, _normed(y, self.after_attention))
        y = self.feed_forward(_normed(x, self.before_feed_forward))
        return self._sum(x, _normed(y, self.after_feed_forward))

    def _sum(self, x: Tensor, y: Tensor) -> Tensor:
        return x + (y if self.residual_scale == 1.0 else y * self.residual_scale)


@dataclass(frozen=True, slots=True)
class ParallelBlock:
    """``x += attention(before(x)) + feed_forward(before(x))``: both see the same input.

    ``before_feed_forward`` is the attention's own norm where the two share one.
    """

    attention: Mixer
    feed_forward: FeedForward
    before_attention: Norm
    before_feed_forward: Norm

    def __call__(self, x: Tensor, step: Step) -> Tensor:
        """float32 [tokens, hidden] -> the same; ``x`` is not changed."""
        y = self.attention(self.before_attention(x), step)
        return x + y + self.feed_forward(self.before_feed_forward(x))


def _normed(x: Tensor, norm: Norm | None) -> Tensor:
    return x if norm is None else norm(x)
