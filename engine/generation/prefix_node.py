"""A node of the prefix tree: a page of tokens, and where each group of layers holds it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(slots=True, eq=False)
class Node:
    """A page of tokens, fewer only at the end of a path, where no child is.

    ``pages`` has one for each group; None where a window's page was given back.
    """

    tokens: tuple[int, ...]
    pages: list[int | None]
    parent: Node | None
    children: dict[int, list[Node]] = field(default_factory=dict)  # by their first token

    @property
    def is_empty(self) -> bool:
        """Whether no group has a page here any more."""
        return all(page is None for page in self.pages)

    def same_start(self, ids: Sequence[int]) -> int:
        """How many tokens this page and ``ids`` have in common from their starts."""
        for index, (mine, theirs) in enumerate(zip(self.tokens, ids, strict=False)):
            if mine != theirs:
                return index
        return min(len(self.tokens), len(ids))


def has_all(mine: Sequence[int | None], theirs: Sequence[int | None]) -> bool:
    """Whether there is a page of mine wherever there is one of theirs."""
    return all(own is not None or other is None for own, other in zip(mine, theirs, strict=True))
