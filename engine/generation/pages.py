"""Page numbers with reference counts: who may write a page, and when it is free again.

Only numbers: the keys and values live in a ``CachePool``. A page belongs to everyone who holds a
reference; it is written only by a sequence that holds the only one, or before it was shared.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass


class Pages:
    """The pages ``0 … count - 1``.

    Args:
        count: how many there are.
    """

    def __init__(self, count: int) -> None:
        self._references = [0] * count
        self._free = list(range(count - 1, -1, -1))  # a stack: low numbers first

    @property
    def count(self) -> int:
        """All pages."""
        return len(self._references)

    @property
    def free(self) -> int:
        """Pages that nobody holds."""
        return len(self._free)

    def references(self, page: int) -> int:
        """How many hold the page."""
        return self._references[page]

    def take(self) -> int:
        """A free page, held once; ask ``free`` first.

        Raises:
            IndexError: none is free.
        """
        page = self._free.pop()
        self._references[page] = 1
        return page

    def share(self, page: int) -> int:
        """Hold a page that somebody holds already.

        Raises:
            ValueError: nobody holds it, so its content means nothing.
        """
        if self._references[page] == 0:
            raise ValueError(f"page {page} is free and cannot be shared")
        self._references[page] += 1
        return page

    def release(self, page: int) -> None:
        """Give one reference back; the last one frees the page.

        Raises:
            ValueError: nobody holds it.
        """
        if self._references[page] == 0:
            raise ValueError(f"page {page} was released once too often")
        self._references[page] -= 1
        if self._references[page] == 0:
            self._free.append(page)


@dataclass(frozen=True, slots=True)
class Group:
    """Layers of a model that keep the same tokens, and the pages that they have.

    Attributes:
        pages: how many.
        window: tokens that these layers look back, the newest included; None is all.
    """

    pages: int
    window: int | None = None


class PageTable:
    """A sequence's page numbers in one group, in order of its tokens.

    Kernels read ``pages`` where they lie: they are int64, and a step copies none of them.

    Args:
        pages: one for every page of tokens up to the newest.
        first: the first that is held; the numbers before it mean nothing any more.
    """

    __slots__ = ("first", "pages")

    def __init__(self, pages: Iterable[int] = (), first: int = 0) -> None:
        self.pages = array("q", pages)
        self.first = first

    def held(self, index: int) -> int | None:
        """The page at this place, or None where it was given back."""
        return self.pages[index] if index >= self.first else None
