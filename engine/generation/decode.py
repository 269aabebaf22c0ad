"""From logits to tokens: draw, check the drafts against what was drawn, keep what is certain.

A draft is a guess for the next token, computed in the same step as the token before it. Every
token is drawn from its own row, drafted or not; the step's later rows count only as long as the
draws agree with the drafts. So drafts change the speed and nothing else: each token has the
distribution, and with a seed the very draw, that it would have had without them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from engine.generation.candidates import Scores
from engine.generation.sampler import Drawn
from engine.generation.scheduler import Share


class Draws(Protocol):
    """Where tokens come from: a sampler, or what it drew before."""

    def draw(self, logits: Scores) -> Drawn:
        """The next token, for logits float32 [vocabulary of the model]."""
        ...


def draw_tokens(
    share: Share,
    logits: NDArray[np.float32],
    sampler: Draws,
    accept: Callable[[Drawn], bool],
) -> int:
    """Draw the tokens that a share's logits decide.

    Args:
        share: the sequence's part of the step; its sequence's ids grow by what was drawn.
        logits: float32 [share.wanted, vocabulary].
        sampler: the request's.
        accept: told of each token; False ends the reply with it.

    Returns:
        How many of the share's computed tokens count from now on: all but refuted drafts.
    """
    first = len(share.ids) - share.wanted  # all of them where nothing is decided yet
    for row in range(share.wanted):
        drawn = sampler.draw(logits[row])
        share.sequence.ids.append(drawn.id)
        goes_on = accept(drawn)
        following = first + row + 1
        if not goes_on or following == len(share.ids) or share.ids[following] != drawn.id:
            return following
    return first


def crop(logits: NDArray[np.float32], shares: tuple[Share, ...]) -> list[NDArray[np.float32]]:
    """Cut a step's logits [all wanted, vocabulary] into one block for each share."""
    ends = np.cumsum([share.wanted for share in shares])
    return np.split(logits, ends[:-1]) if len(shares) else []
