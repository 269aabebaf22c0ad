"""Layers that keep the same tokens share page numbers: one group for each window.

A layer that sees everything keeps every page of a sequence; one with a sliding window needs only
the pages that its window touches, so its group has fewer pages and a table of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.kernels.interface import CacheShape


@dataclass(frozen=True, slots=True)
class Groups:
    """How a cache's layers are grouped.

    Attributes:
        windows: each group's window, the widest first; None keeps everything and comes first.
        pages: pages that each group has.
        of_layer: the group of each layer.
    """

    windows: tuple[int | None, ...]
    pages: tuple[int, ...]
    of_layer: tuple[int, ...]

    @staticmethod
    def of(layers: Sequence[CacheShape], pages: int | Sequence[int]) -> Groups:
        """Group layers by their windows.

        Args:
            layers: what each layer keeps.
            pages: of each group, or one number for all of them.
        """
        windows = group_windows(layers)
        counts = (pages,) * len(windows) if isinstance(pages, int) else tuple(pages)
        if len(counts) != len(windows):
            raise ValueError(f"{len(counts)} page counts for {len(windows)} groups of layers")
        of_layer = tuple(windows.index(shape.window) for shape in layers)
        return Groups(windows, counts, of_layer)

    def touched(self, group: int | None) -> list[int]:
        """The layers of a group, or all of them for None."""
        return [i for i, own in enumerate(self.of_layer) if group is None or own == group]


def group_windows(layers: Sequence[CacheShape]) -> tuple[int | None, ...]:
    """The window of each group of these layers; without layers there is one group."""
    windows = {shape.window for shape in layers} or {None}
    numbers = sorted((window for window in windows if window is not None), reverse=True)
    return (None, *numbers) if None in windows else tuple(numbers)
