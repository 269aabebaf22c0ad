"""Ending a step in its middle: what it computed does not count, and its tokens are computed again.

A step that is a long part of a prompt reads a weight once for many tokens, which is quickest; only
whoever stops the reply must not wait for its end.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np


class StepInterrupted(Exception):
    """A step was ended before its end: no logits, and what it wrote to the cache means nothing."""


class Interruption:
    """A word that kernels look at between two operations; any thread may set it.

    Attributes:
        address: of the word, an int64.
    """

    def __init__(self) -> None:
        self._word = np.zeros(1, np.int64)
        self.address = int(self._word.ctypes.data)

    def set(self) -> None:
        """End the step that runs."""
        self._word[0] = 1

    def clear(self) -> None:
        """Let steps run."""
        self._word[0] = 0

    @property
    def is_set(self) -> bool:
        """Whether the step is to end, or has ended, before its end."""
        return bool(self._word[0])


@runtime_checkable
class Interruptible(Protocol):
    """Kernels whose steps raise ``StepInterrupted`` soon after ``interruption`` is set."""

    interruption: Interruption
