"""What the cache already knows: a tree over token ids whose nodes are pages.

A path from the root spells token ids, a page at a time, and its pages hold their keys and values.
A new prompt walks down as far as its ids agree and shares those pages: the previous turn, a
sibling branch, another chat with the same system prompt. Where it leaves a page in the middle, the
tokens before that point are still worth having: the page is copied and the copy continued
(copy on write), because the original may belong to others.

Reuse is decided by ids alone, never by text. The tree holds one reference to each of its pages; a
page that a running sequence holds too is never evicted, nor is anything above it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from engine.generation.pages import Pages


@dataclass(slots=True, eq=False)
class _Node:
    """One page. ``tokens`` are fewer than a page only at the end of a path, where no child is."""

    tokens: tuple[int, ...]
    page: int
    parent: _Node | None
    children: dict[int, list[_Node]] = field(default_factory=dict)  # by their first token

    def same_start(self, ids: Sequence[int]) -> int:
        """How many tokens this page and ``ids`` have in common from their starts."""
        for index, (mine, theirs) in enumerate(zip(self.tokens, ids, strict=False)):
            if mine != theirs:
                return index
        return min(len(self.tokens), len(ids))


@dataclass(frozen=True, slots=True)
class Match:
    """What the cache holds of a prompt.

    Attributes:
        pages: whole pages, in order; the caller holds a reference to each.
        partial_page: the page that holds the next ``partial_tokens`` tokens, to be copied before
            anything else is evicted; None where there is none. No reference is held.
        partial_tokens: 0 … page size - 1.
    """

    pages: list[int]
    partial_page: int | None
    partial_tokens: int


class PrefixTree:
    """The tree over one pool's pages.

    Args:
        pages: the pool's page numbers.
        page_size: tokens a page.
    """

    def __init__(self, pages: Pages, page_size: int) -> None:
        self._pages = pages
        self._size = page_size
        self._root = _Node((), -1, None)
        # Least recently used first. A path is touched from its end to the root, so that a child
        # always stands before its parent and leaves go first.
        self._order: OrderedDict[_Node, None] = OrderedDict()

    def __len__(self) -> int:
        """How many pages the tree holds."""
        return len(self._order)

    def pages(self) -> Iterator[int]:
        """The pages that the tree holds, least recently used first."""
        return (node.page for node in self._order)

    def match(self, ids: Sequence[int]) -> Match:
        """Find the longest known start of ``ids`` and take references to its whole pages."""
        path, rest = self._descend(ids)
        best = max(
            self._root_or_last(path).children.get(rest[0], []) if rest else [],
            key=lambda node: node.same_start(rest),
            default=None,
        )
        touched = [*path, best] if best else path
        self._touch(touched)
        shared = [self._pages.share(node.page) for node in path]
        if best is None:
            return Match(shared, None, 0)
        return Match(shared, best.page, best.same_start(rest))

    def insert(self, ids: Sequence[int], pages: Sequence[int]) -> None:
        """Remember that ``pages`` hold ``ids``; what is known already is only touched.

        Args:
            ids: token ids from position 0.
            pages: their pages; the last one may be partly filled.
        """
        path, rest = self._descend(ids)
        parent = self._root_or_last(path)
        for start in range(0, len(rest), self._size):
            tokens = tuple(rest[start : start + self._size])
            if self._covers(parent, tokens):
                break
            self._drop_prefixes(parent, tokens)
            node = _Node(tokens, self._pages.share(pages[len(path)]), parent)
            parent.children.setdefault(tokens[0], []).append(node)
            path.append(node)
            parent = node
        self._touch(path)

    def evict(self) -> bool:
        """Forget the least recently used page that no sequence holds; False if there is none."""
        for node in self._order:
            if not node.children and self._pages.references(node.page) == 1:
                self._remove(node)
                return True
        return False

    def evictable(self) -> int:
        """How many pages ``evict`` could free, one after the other."""
        kept: set[_Node] = set()
        for node in self._order:  # children before parents
            if self._pages.references(node.page) > 1 or node in kept:
                kept.add(node)
                if node.parent is not None:
                    kept.add(node.parent)
        return sum(node not in kept for node in self._order)

    def clear(self) -> None:
        """Forget everything; pages that sequences hold stay theirs."""
        for node in self._order:
            self._pages.release(node.page)
        self._order.clear()
        self._root.children.clear()

    def _root_or_last(self, path: list[_Node]) -> _Node:
        return path[-1] if path else self._root

    def _descend(self, ids: Sequence[int]) -> tuple[list[_Node], Sequence[int]]:
        """Whole pages that agree with ``ids``, and what is left of ``ids`` behind them."""
        path: list[_Node] = []
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

    def _covers(self, parent: _Node, tokens: tuple[int, ...]) -> bool:
        """Whether a child holds these tokens already (a partly filled page in a fuller one)."""
        siblings = parent.children.get(tokens[0], [])
        return any(node.same_start(tokens) == len(tokens) for node in siblings)

    def _drop_prefixes(self, parent: _Node, tokens: tuple[int, ...]) -> None:
        """Forget partly filled pages that a page of these tokens makes superfluous."""
        for node in tuple(parent.children.get(tokens[0], [])):
            if node.tokens == tokens[: len(node.tokens)]:
                self._remove(node)

    def _touch(self, path: list[_Node]) -> None:
        for node in reversed(path):
            self._order[node] = None
            self._order.move_to_end(node)

    def _remove(self, node: _Node) -> None:
        parent = node.parent
        if parent is None:
            raise ValueError("the root of the tree cannot be removed")
        siblings = parent.children[node.tokens[0]]
        siblings.remove(node)
        if not siblings:
            del parent.children[node.tokens[0]]
        del self._order[node]
        self._pages.release(node.page)
