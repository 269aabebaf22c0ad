"""The tree shares exactly what agrees, and forgets only what nobody uses."""

from __future__ import annotations

import pytest

from engine.generation.pages import Pages, PageTable
from engine.generation.prefix_tree import PrefixTree

SIZE = 4


def filled(pages: Pages, tokens: int) -> list[int]:
    return [pages.take() for _ in range(-(-tokens // SIZE))]


def remember(tree: PrefixTree, pages: Pages, ids: list[int]) -> list[int]:
    """Insert ids as a finished sequence does: the tree is their only holder afterwards."""
    table = PageTable(filled(pages, len(ids)))
    tree.insert(ids, [table])
    give_back([pages], [table])
    return list(table.pages)


def test_a_known_start_is_shared_by_whole_pages() -> None:
    pages = Pages(10)
    tree = PrefixTree([pages], [None], SIZE)
    own = remember(tree, pages, [*range(12)])
    match = tree.match([*range(8), 99, 98])
    assert list(match.tables[0].pages) == own[:2]
    assert (match.partial, match.partial_tokens) == ((), 0)
    assert [pages.references(page) for page in own] == [2, 2, 1]


def test_a_page_left_in_the_middle_is_to_be_copied() -> None:
    pages = Pages(10)
    tree = PrefixTree([pages], [None], SIZE)
    own = remember(tree, pages, [*range(8)])
    match = tree.match([0, 1, 2, 3, 4, 5, 99])
    assert list(match.tables[0].pages) == own[:1]
    assert (match.partial, match.partial_tokens) == ((own[1],), 2)
    assert pages.references(own[1]) == 1


def test_a_partly_filled_page_is_known_too() -> None:
    pages = Pages(10)
    tree = PrefixTree([pages], [None], SIZE)
    own = remember(tree, pages, [1, 2, 3, 4, 5, 6])
    match = tree.match([1, 2, 3, 4, 5, 6, 7, 8, 9])
    assert list(match.tables[0].pages) == own[:1]
    assert (match.partial, match.partial_tokens) == ((own[1],), 2)


def test_the_longest_of_several_branches_is_taken() -> None:
    pages = Pages(20)
    tree = PrefixTree([pages], [None], SIZE)
    remember(tree, pages, [1, 2, 3, 4, 5, 6, 70, 71])
    longer = remember(tree, pages, [1, 2, 3, 4, 5, 6, 7, 80])
    match = tree.match([1, 2, 3, 4, 5, 6, 7, 8, 9])
    assert (match.partial, match.partial_tokens) == ((longer[1],), 3)


def test_the_same_ids_twice_keep_one_copy() -> None:
    pages = Pages(10)
    tree = PrefixTree([pages], [None], SIZE)
    remember(tree, pages, [*range(10)])
    remember(tree, pages, [*range(10)])
    assert len(tree) == 3
    assert pages.free == 7


def test_a_fuller_page_replaces_its_beginning() -> None:
    pages = Pages(10)
    tree = PrefixTree([pages], [None], SIZE)
    remember(tree, pages, [1, 2, 3, 4, 5])
    remember(tree, pages, [1, 2, 3, 4, 5, 6, 7])
    remember(tree, pages, [1, 2, 3, 4, 5, 6])
    assert len(tree) == 2
    assert pages.free == 8


def test_the_least_recently_used_goes_first_and_from_its_end() -> None:
    pages = Pages(10)
    tree = PrefixTree([pages], [None], SIZE)
    old = remember(tree, pages, [*range(8)])
    new = remember(tree, pages, [*range(100, 108)])
    assert [*tree.pages()] == [old[1], old[0], new[1], new[0]]
    for page in tree.match([*range(8)]).tables[0].pages:  # used again
        pages.release(page)
    assert tree.evict(0)
    assert [*tree.pages()] == [new[0], old[1], old[0]]


def test_what_a_sequence_holds_is_never_evicted_nor_what_stands_above_it() -> None:
    pages = Pages(10)
    tree = PrefixTree([pages], [None], SIZE)
    own = remember(tree, pages, [*range(12)])
    held = tree.match([*range(8), 99]).tables[0].pages
    assert tree.evictable(0) == 1
    assert tree.evict(0)
    assert not tree.evict(0)
    assert [*tree.pages()] == [own[1], own[0]]
    for page in held:
        pages.release(page)
    assert tree.evictable(0) == 2


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


def windowed(window: int, counts: tuple[int, int] = (40, 40)) -> tuple[list[Pages], PrefixTree]:
    pools = [Pages(count) for count in counts]
    return pools, PrefixTree(pools, [None, window], SIZE)


def remember_both(
    tree: PrefixTree, pools: list[Pages], ids: list[int], first: int
) -> list[list[int]]:
    """The same with a second group that has given back its pages before ``first``."""
    own = [filled(pool, len(ids)) for pool in pools]
    for page in own[1][:first]:
        pools[1].release(page)
    tables = [PageTable(own[0]), PageTable(own[1], first)]
    tree.insert(ids, tables)
    give_back(pools, tables)
    return [list(table.pages) for table in tables]


def give_back(pools: list[Pages], tables: list[PageTable]) -> None:
    for pool, table in zip(pools, tables, strict=True):
        for page in table.pages[table.first :]:
            pool.release(page)


def test_E23_ids_alone_are_no_hit_where_the_window_is_gone() -> None:
    """A window of 8: pages 0 to 2 are gone, so only the last 4 tokens can be gone on from."""
    pools, tree = windowed(8)
    remember_both(tree, pools, [*range(24)], first=3)
    assert [len(table.pages) for table in tree.match([*range(16), 99]).tables] == [0, 0]
    match = tree.match([*range(24), 99])
    assert [len(table.pages) for table in match.tables] == [6, 6]
    assert match.tables[1].first == 4
    give_back(pools, match.tables)


def test_E23_a_prompt_goes_on_at_the_last_turn_whose_window_is_there() -> None:
    """Ids agree up to 30, but the window stands around the turn that ended after 18 alone."""
    pools, tree = windowed(8)
    remember_both(tree, pools, [*range(18)], first=1)
    remember_both(tree, pools, [*range(36)], first=6)
    match = tree.match([*range(30), 99])
    assert (len(match.tables[0].pages), match.partial_tokens) == (4, 2)
    assert match.tables[1].first == (18 - 8) // SIZE
    give_back(pools, match.tables)


def test_a_window_takes_the_pages_that_the_tree_lacks() -> None:
    pools, tree = windowed(8)
    remember_both(tree, pools, [*range(16)], first=2)
    assert len([*tree.pages(1)]) == 2
    remember_both(tree, pools, [*range(16)], first=0)
    assert len([*tree.pages(0)]) == len([*tree.pages(1)]) == 4
    assert [pool.free for pool in pools] == [36, 36]


def test_the_window_of_the_oldest_turn_goes_first_and_its_ids_stay() -> None:
    pools, tree = windowed(4)
    remember_both(tree, pools, [*range(8)], first=0)
    remember_both(tree, pools, [*range(20)], first=3)
    assert tree.evictable(1) == 4
    assert tree.evict(1)
    assert tree.evict(1)
    assert len(tree.match([*range(8), 99]).tables[0].pages) == 0
    match = tree.match([*range(20), 99])
    assert len(match.tables[0].pages) == 5
    assert len([*tree.pages(0)]) == 5
    assert tree.evict(1)
    assert not tree.evict(1)  # what is left is held by the match
    give_back(pools, match.tables)


def test_where_no_layer_keeps_everything_nodes_without_pages_are_forgotten() -> None:
    pools = [Pages(10)]
    tree = PrefixTree(pools, [4], SIZE)
    own = filled(pools[0], 12)
    tree.insert([*range(12)], [PageTable(own, 1)])
    for page in own:
        pools[0].release(page)
    assert len(tree) == 3
    while tree.evict(0):
        pass
    assert (len(tree), pools[0].free) == (0, 10)
