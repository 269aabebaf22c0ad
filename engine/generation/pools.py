"""The pages of all groups of layers: how a sequence gets them, goes on from known ones, gives back.

Layers that see everything keep a sequence whole. Layers with a sliding window give back what lies
behind it as the sequence moves on; what a later prompt needs to go on where a turn ended stays in
the prefix tree until the room is wanted.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from engine.generation.pages import Group, Pages, PageTable
from engine.generation.prefix_tree import Match, PrefixTree


@dataclass(frozen=True, slots=True)
class Copy:
    """A page of one group to be copied over another."""

    group: int
    source: int
    target: int


@dataclass(frozen=True, slots=True)
class Beginning:
    """Where a sequence starts: after ``tokens`` known ones, once the copies are made."""

    tables: list[PageTable]
    tokens: int
    copies: tuple[Copy, ...]


class PagePools:
    """Pages of every group, and the tree that remembers what they hold.

    Args:
        groups: of the model's layers.
        page_size: tokens a page.

    Raises:
        ValueError: a group has too few pages for its window.
    """

    def __init__(self, groups: Sequence[Group], page_size: int) -> None:
        self._groups = tuple(groups)
        self._size = page_size
        self._pools = [Pages(group.pages) for group in groups]
        self._tree = PrefixTree(self._pools, [group.window for group in groups], page_size)
        if self.most_tokens < 1:
            raise ValueError(f"a window does not fit its pages of {page_size} tokens: {groups}")

    @property
    def capacity(self) -> int:
        """Tokens of the longest sequence that can ever run; windows alone set no bound."""
        whole = [group.pages * self._size for group in self._groups if group.window is None]
        return min(whole, default=sys.maxsize)

    @property
    def most_tokens(self) -> int:
        """New tokens that a sequence alone can have in one step beside what its windows keep."""
        # a page more on either side, and the page that a turn's end keeps before its window
        spare = [
            (group.pages - 3) * self._size - group.window + 2
            for group in self._groups
            if group.window is not None
        ]
        return min(spare, default=sys.maxsize)

    def begin(self, ids: Sequence[int]) -> Beginning | None:
        """Pages that are known of a sequence, if the rest of it has room; else None.

        The last id is always computed anew: its logits are what the sequence is run for.
        """
        match = self._tree.match(ids[:-1])
        if not self._has_room(match, len(ids) + 1):
            self.release(match.tables)
            return None
        tokens = len(match.tables[0].pages) * self._size + match.partial_tokens
        copies = []
        for group, page in enumerate(match.partial):
            self._free(group)
            copies.append(Copy(group, page, self._pools[group].take()))
            match.tables[group].pages.append(copies[-1].target)
        return Beginning(match.tables, tokens, tuple(copies))

    def extend(self, tables: Sequence[PageTable], tokens: int) -> bool:
        """Have pages for ``tokens`` tokens in every group; False if no page is left for that."""
        for group, table in enumerate(tables):
            while len(table.pages) * self._size < tokens:
                if not self._free(group):
                    return False
                table.pages.append(self._pools[group].take())
        return True

    def room(self, tables: Sequence[PageTable]) -> int:
        """Tokens that the windows' groups have pages for now, beside those that the tables hold."""
        windows = [group for group, one in enumerate(self._groups) if one.window is not None]
        left = [self._left(group) + len(tables[group].pages) for group in windows]
        return min(left, default=sys.maxsize // self._size) * self._size

    def advance(self, tables: Sequence[PageTable], tokens: int) -> None:
        """Give back what the windows have left behind after ``tokens`` tokens.

        A page before the window is kept, so that a turn that ends here can be gone on from a few
        tokens earlier too.
        """
        for pool, table, group in zip(self._pools, tables, self._groups, strict=True):
            if group.window is not None:
                first = max(0, tokens - group.window - self._size) // self._size
                for page in table.pages[table.first : first]:
                    pool.release(page)
                table.first = max(table.first, first)

    def remember(self, ids: Sequence[int], tables: Sequence[PageTable]) -> None:
        """Tell the tree that the tables hold these ids."""
        self._tree.insert(ids, tables)

    def release(self, tables: Sequence[PageTable]) -> None:
        """Give all pages of a sequence back."""
        for pool, table in zip(self._pools, tables, strict=True):
            for page in table.pages[table.first :]:
                pool.release(page)

    def _has_room(self, match: Match, tokens: int) -> bool:
        """Whether the groups have pages for the rest of ``tokens``, of a window for its width."""
        for number, (group, table) in enumerate(zip(self._groups, match.tables, strict=True)):
            end = -(-tokens // self._size)
            if group.window is not None:
                end = min(end, table.first + min(group.window // self._size + 4, group.pages))
            if self._left(number) < max(end - len(table.pages), 1):
                return False
        return True

    def _left(self, group: int) -> int:
        return self._pools[group].free + self._tree.evictable(group)

    def _free(self, group: int) -> bool:
        """Have a free page, one that only the tree remembers if need be."""
        return bool(self._pools[group].free) or self._tree.evict(group)
