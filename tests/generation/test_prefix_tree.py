"""The tree shares exactly what agrees, and forgets only what nobody uses."""

from __future__ import annotations

import pytest

from engine.generation.pages import Pages
from engine.generation.prefix_tree import PrefixTree

SIZE = 4


def filled(pages: Pages, tokens: int) -> list[int]:
    return [pages.take() for _ in range(-(-tokens // SIZE))]


def remember(tree: PrefixTree, pages: Pages, ids: list[int]) -> list[int]:
    """Insert ids as a finished sequence does: the tree is their only holder afterwards."""
    own = filled(pages, len(ids))
    tree.insert(ids, own)
    for page in own:
        pages.release(page)
    return own


def test_a_known_start_is_shared_by_whole_pages() -> None:
    pages = Pages(10)
    tree = PrefixTree(pages, SIZE)
    own = remember(tree, pages, [*range(12)])
    match = tree.match([*range(8), 99, 98])
    assert match.pages == own[:2]
    assert (match.partial_page, match.partial_tokens) == (None, 0)
    assert [pages.references(page) for page in own] == [2, 2, 1]


def test_a_page_left_in_the_middle_is_to_be_copied() -> None:
    pages = Pages(10)
    tree = PrefixTree(pages, SIZE)
    own = remember(tree, pages, [*range(8)])
    match = tree.match([0, 1, 2, 3, 4, 5, 99])
    assert match.pages == own[:1]
    assert (match.partial_page, match.partial_tokens) == (own[1], 2)
    assert pages.references(own[1]) == 1


def test_a_partly_filled_page_is_known_too() -> None:
    pages = Pages(10)
    tree = PrefixTree(pages, SIZE)
    own = remember(tree, pages, [1, 2, 3, 4, 5, 6])
    match = tree.match([1, 2, 3, 4, 5, 6, 7, 8, 9])
    assert match.pages == own[:1]
    assert (match.partial_page, match.partial_tokens) == (own[1], 2)


def test_the_longest_of_several_branches_is_taken() -> None:
    pages = Pages(20)
    tree = PrefixTree(pages, SIZE)
    remember(tree, pages, [1, 2, 3, 4, 5, 6, 70, 71])
    longer = remember(tree, pages, [1, 2, 3, 4, 5, 6, 7, 80])
    match = tree.match([1, 2, 3, 4, 5, 6, 7, 8, 9])
    assert (match.partial_page, match.partial_tokens) == (longer[1], 3)


def test_the_same_ids_twice_keep_one_copy() -> None:
    pages = Pages(10)
    tree = PrefixTree(pages, SIZE)
    remember(tree, pages, [*range(10)])
    remember(tree, pages, [*range(10)])
    assert len(tree) == 3
    assert pages.free == 7


def test_a_fuller_page_replaces_its_beginning() -> None:
    pages = Pages(10)
    tree = PrefixTree(pages, SIZE)
    remember(tree, pages, [1, 2, 3, 4, 5])
    remember(tree, pages, [1, 2, 3, 4, 5, 6, 7])
    remember(tree, pages, [1, 2, 3, 4, 5, 6])
    assert len(tree) == 2
    assert pages.free == 8


def test_the_least_recently_used_goes_first_and_from_its_end() -> None:
    pages = Pages(10)
    tree = PrefixTree(pages, SIZE)
    old = remember(tree, pages, [*range(8)])
    new = remember(tree, pages, [*range(100, 108)])
    assert [*tree.pages()] == [old[1], old[0], new[1], new[0]]
    for page in tree.match([*range(8)]).pages:  # used again
        pages.release(page)
    assert tree.evict()
    assert [*tree.pages()] == [new[0], old[1], old[0]]


def test_what_a_sequence_holds_is_never_evicted_nor_what_stands_above_it() -> None:
    pages = Pages(10)
    tree = PrefixTree(pages, SIZE)
    own = remember(tree, pages, [*range(12)])
    held = tree.match([*range(8), 99]).pages
    assert tree.evictable() == 1
    assert tree.evict()
    assert not tree.evict()
    assert [*tree.pages()] == [own[1], own[0]]
    for page in held:
        pages.release(page)
    assert tree.evictable() == 2


def test_clearing_gives_every_page_back() -> None:
    pages = Pages(10)
    tree = PrefixTree(pages, SIZE)
    remember(tree, pages, [*range(12)])
    tree.clear()
    assert pages.free == 10
    assert tree.match([*range(12)]).pages == []


def test_pages_say_when_they_are_misused() -> None:
    pages = Pages(1)
    page = pages.take()
    with pytest.raises(IndexError):
        pages.take()
    pages.release(page)
    with pytest.raises(ValueError, match="released once too often"):
        pages.release(page)
    with pytest.raises(ValueError, match="is free"):
        pages.share(page)
