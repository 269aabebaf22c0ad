"""What the cache already knows: a tree over token ids whose nodes are pages.

A path from the root spells token ids, a page at a time, and its pages hold their keys and values.
A new prompt walks down as far as its ids agree and shares those pages: the previous turn, a
sibling branch, another chat with the same system prompt. Where it leaves a page in the middle, the
tokens before that point are still worth having: the page is copied and the copy continued
(copy on write), because the original may belong to others.

A node has a page in each group of layers. Layers with a sliding window keep only the pages around
the places where turns ended, so a prompt goes on at the last place whose window is there, however
much further its ids agree.

Reuse is decided by ids alone, never by text. The tree holds one reference to each of its pages; a
page that a running sequence holds too is never evicted, nor is anything above it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.generation.pages import Pages, PageTable
from engine.generation.prefix_node import Node, has_all


@dataclass(frozen=True, slots=True)
class Match:
    """What the cache holds of a prompt.

    Attributes:
        tables: each group's whole pages; the caller holds a reference to each that is held.
        partial: each group's page that holds the next ``partial_tokens`` tokens, to be copied
            before anything else is evicted; empty where there is none. No reference is held.
        partial_tokens: 0 … page size - 1.
    """

    tables: list[PageTable]
    partial: tuple[int, ...]
    partial_tokens: int


class PrefixTree:
    """The tree over the pages of all groups.

    Args:
        pools: each group's page numbers.
        windows: each group's window; None keeps everything.
        page_size: tokens a page.
    """

    def __init__(
        self, pools: Sequence[Pages], windows: Sequence[int | None], page_size: int
    ) -> None:
        self._pools = pools
        self._windows = windows
        self._size = page_size
        self._root = Node((), [None] * len(pools), None)
        # Least recently used first. A path is touched from its end to the root, so that a child
        # always stands before its parent and leaves go first.
        self._order: OrderedDict[Node, None] = OrderedDict()
        # The same of each group's pages, but from the root to the end, and only what was used: in
        # a long conversation the oldest turn's window goes first.
        self._recent: list[OrderedDict[Node, None]] = [OrderedDict() for _ in pools]

    def __len__(self) -> int:
        """How many pages of tokens the tree knows."""
        return len(self._order)

    def pages(self, group: int = 0) -> Iterator[int]:
        """A group's pages that the tree holds, least recently used first."""
        held = (node.pages[group] for node in self._order)
        return (page for page in held if page is not None)

    def match(self, ids: Sequence[int]) -> Match:
        """Find the longest known start of ``ids`` that can be gone on from; see ``Match``."""
        path, _ = self._descend(ids)
        for depth in range(len(path), 0, -1):
            last, tokens = self._partial(path, depth, ids)
            if last is not None or self._is_whole(path, depth, depth * self._size):
                return self._matched(path[:depth], last, tokens)
        return self._matched([], *self._partial(path, 0, ids))

    def insert(self, ids: Sequence[int], tables: Sequence[PageTable]) -> None:
        """Remember that these pages hold ``ids``; what is known already is only touched.

        Args:
            ids: token ids from position 0.
            tables: their pages in each group; the last page may be partly filled. Whole pages
                that the tree has already take the place of the sequence's own, which would be
                held twice from now on.
        """
        path, rest = self._descend(ids)
        for index, node in enumerate(path):
            self._adopt(node, [table.held(index) for table in tables])
            self._exchange(node, index, tables)
        parent = path[-1] if path else self._root
        for start in range(0, len(rest), self._size):
            tokens = tuple(rest[start : start + self._size])
            pages = [table.held(len(path)) for table in tables]
            known = self._covering(parent, tokens, pages)
            if known is not None:
                path.append(known)
                break
            self._drop_prefixes(parent, tokens, pages)
            parent = self._append(parent, tokens, pages)
            path.append(parent)
        self._touch(path, [table.first for table in tables])

    def evict(self, group: int) -> bool:
        """Give back the group's least recently used page that no sequence holds, if there is one.

        Where layers keep everything, the last page of a path goes, with all groups' pages.
        """
        pool = self._pools[group]
        is_window = self._windows[group] is not None
        for node in self._recent[group] if is_window else self._order:
            page = node.pages[group]
            if page is None or pool.references(page) > 1 or (node.children and not is_window):
                continue
            if is_window:
                self._give_back(node, group)
                self._prune(node)
            else:
                self._remove(node)
            return True
        return False

    def evictable(self, group: int) -> int:
        """How many of the group's pages ``evict`` could free, one after the other."""
        pool = self._pools[group]
        if self._windows[group] is not None:
            held = (node.pages[group] for node in self._recent[group])
            return sum(page is not None and pool.references(page) == 1 for page in held)
        kept: set[Node] = set()
        for node in self._order:  # children before parents
            page = node.pages[group]
            if node in kept or (page is not None and pool.references(page) > 1):
                kept.add(node)
                if node.parent is not None:
                    kept.add(node.parent)
        return sum(node not in kept for node in self._order)

    def _descend(self, ids: Sequence[int]) -> tuple[list[Node], Sequence[int]]:
        """Whole pages that agree with ``ids``, and what is left of ``ids`` behind them."""
        path: list[Node] = []
        node = self._root
        start = 0
        while len(ids) - start >= self._size:
            tokens = tuple(ids[start : start + self._size])
            found = [child for child in node.children.get(tokens[0], []) if child.tokens == tokens]
            if not found:
                break
            node = found[0]
            path.append(node)
            start += self._size
        return path, ids[start:]

    def _first(self, group: int, tokens: int) -> int:
        """The first page that the group needs to go on after ``tokens`` tokens."""
        window = self._windows[group]
        return 0 if window is None else max(0, tokens - window) // self._size

    def _is_whole(self, path: list[Node], depth: int, tokens: int) -> bool:
        """Whether the first ``depth`` nodes have every window's pages to go on after ``tokens``."""
        return all(
            path[index].pages[group] is not None
            for group in range(len(self._pools))
            for index in range(depth - 1, self._first(group, tokens) - 1, -1)
        )

    def _partial(self, path: list[Node], depth: int, ids: Sequence[int]) -> tuple[Node | None, int]:
        """The page behind ``depth`` nodes that has most of the next ids, but not a whole page."""
        start = depth * self._size
        rest = ids[start : start + self._size]
        parent = path[depth - 1] if depth else self._root
        best: tuple[Node | None, int] = (None, 0)
        for node in parent.children.get(rest[0], []) if rest else []:
            tokens = node.same_start(rest)
            is_longer = best[1] < tokens < self._size and None not in node.pages
            if is_longer and self._is_whole(path, depth, start + tokens):
                best = (node, tokens)
        return best

    def _matched(self, path: list[Node], last: Node | None, tokens: int) -> Match:
        groups = range(len(self._pools))
        firsts = [self._first(group, len(path) * self._size + tokens) for group in groups]
        self._touch([*path, last] if last else path, firsts)
        tables = [
            PageTable([*[0] * first, *self._shared(path[first:], group)], first)
            for group, first in zip(groups, firsts, strict=True)
        ]
        return Match(tables, tuple(page or 0 for page in last.pages) if last else (), tokens)

    def _shared(self, nodes: list[Node], group: int) -> Iterator[int]:
        """The nodes' pages of a group, a reference to each taken."""
        for node in nodes:
            page = node.pages[group]
            if page is not None:
                yield self._pools[group].share(page)

    def _append(self, parent: Node, tokens: tuple[int, ...], pages: list[int | None]) -> Node:
        node = Node(tokens, [None] * len(pages), parent)
        parent.children.setdefault(tokens[0], []).append(node)
        self._adopt(node, pages)
        return node

    def _adopt(self, node: Node, pages: list[int | None]) -> None:
        """Take what a node lacks from pages of the same tokens."""
        for group, page in enumerate(pages):
            if page is not None and node.pages[group] is None:
                node.pages[group] = self._pools[group].share(page)

    def _exchange(self, node: Node, index: int, tables: Sequence[PageTable]) -> None:
        """Let a sequence hold the node's pages instead of its own of the same tokens."""
        for pool, page, table in zip(self._pools, node.pages, tables, strict=True):
            own = table.held(index)
            if page is not None and own is not None and page != own:
                table.pages[index] = pool.share(page)
                pool.release(own)

    def _covering(
        self, parent: Node, tokens: tuple[int, ...], pages: list[int | None]
    ) -> Node | None:
        """A child that holds these tokens already, a partly filled page in a fuller one.

        One of the same tokens takes what it lacks; a fuller one must lack nothing.
        """
        for node in parent.children.get(tokens[0], []):
            if node.tokens == tokens:
                self._adopt(node, pages)
                return node
            if node.same_start(tokens) == len(tokens) and has_all(node.pages, pages):
                return node
        return None

    def _drop_prefixes(
        self, parent: Node, tokens: tuple[int, ...], pages: list[int | None]
    ) -> None:
        """Forget partly filled pages that a page of these tokens makes superfluous."""
        for node in tuple(parent.children.get(tokens[0], [])):
            if node.tokens == tokens[: len(node.tokens)] and has_all(pages, node.pages):
                self._remove(node)

    def _touch(self, path: list[Node], firsts: list[int]) -> None:
        for node in reversed(path):
            self._order[node] = None
            self._order.move_to_end(node)
        for recent, first, group in zip(self._recent, firsts, range(len(firsts)), strict=True):
            for node in path[first:] if self._windows[group] is not None else ():
                if node.pages[group] is not None:
                    recent[node] = None
                    recent.move_to_end(node)

    def _give_back(self, node: Node, group: int) -> None:
        page = node.pages[group]
        if page is not None:
            self._pools[group].release(page)
            self._recent[group].pop(node, None)
            node.pages[group] = None

    def _prune(self, node: Node) -> None:
        """Forget nodes that lead nowhere and have no page left."""
        while node.parent is not None and not node.children and node.is_empty:
            parent = node.parent
            self._remove(node)
            node = parent

    def _remove(self, node: Node) -> None:
        parent = node.parent
        if parent is None:
            raise ValueError("the root of the tree cannot be removed")
        siblings = parent.children[node.tokens[0]]
        siblings.remove(node)
        if not siblings:
            del parent.children[node.tokens[0]]
        del self._order[node]
        for group in range(len(node.pages)):
            self._give_back(node, group)
