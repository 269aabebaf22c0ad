"""The tree of turns: laws over random trees, and the few rules that a law cannot say."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.chat.tree import TurnTree
from app.chat.turn import Turn, TurnState
from engine.contract import Role

NOW = datetime(2026, 7, 30, tzinfo=UTC)
law = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""No law here speaks of time: a busy machine must not fail one."""


def turn(number: int, parent: int | None) -> Turn:
    return Turn(number, 1, parent, Role.USER, str(number), "", TurnState.COMPLETE, NOW)


def made(*links: tuple[int, int | None], choices: dict[int, int] | None = None) -> TurnTree:
    return TurnTree(links, choices, {each: turn(each, parent) for each, parent in links})


@st.composite
def trees(draw: st.DrawFn) -> TurnTree:
    """Trees of up to 12 turns; ids have gaps, as they do when several chats are written."""
    count = draw(st.integers(1, 12))
    links: list[tuple[int, int | None]] = [(1, None)]
    for place in range(1, count):
        choice = draw(st.integers(-1, place - 1))
        links.append((place * 3 + 1, None if choice < 0 else choice * 3 + 1))
    return made(*links)


def shape(tree: TurnTree) -> tuple[list[Turn], list[int]]:
    return [tree.get(each) for each in tree.ids()], tree.path()


@law
@given(trees())
def test_the_path_goes_from_a_root_to_a_leaf_along_parents(tree: TurnTree) -> None:
    path = tree.path()
    assert tree.parent(path[0]) is None
    for above, below in pairwise(path):
        assert tree.parent(below) == above
    assert tree.branch(path[-1]) == [path[-1]]
    assert tree.leaf() == path[-1]


@law
@given(trees(), st.data())
def test_showing_a_turn_puts_it_on_the_path_and_again_changes_nothing(
    tree: TurnTree, data: st.DataObject
) -> None:
    target = data.draw(st.sampled_from(tree.ids()))
    tree.show(target)
    assert target in tree.path()
    assert tree.show(target) == {}
    assert tree.path_to(target) == tree.path()[: len(tree.path_to(target))]


@law
@given(trees(), st.data())
def test_choices_that_were_kept_show_the_same_path_again(
    tree: TurnTree, data: st.DataObject
) -> None:
    for _ in range(3):
        tree.show(data.draw(st.sampled_from(tree.ids())))
    links = [(each, tree.parent(each)) for each in tree.ids()]
    assert shape(made(*links, choices=tree.choices)) == shape(tree)


@law
@given(trees(), st.data())
def test_versions_count_siblings_and_stepping_walks_them(
    tree: TurnTree, data: st.DataObject
) -> None:
    one = tree.get(data.draw(st.sampled_from(tree.ids())))
    siblings = [each for each in tree.ids() if tree.parent(each) == one.parent]
    assert one.versions == len(siblings)
    assert siblings[one.version - 1] == one.id
    assert tree.sibling(one.id, 1 - one.version) == siblings[0]
    assert tree.sibling(one.id, one.versions - one.version + 1) is None


@settings(law, max_examples=200)
@given(trees(), st.data(), st.booleans())
def test_what_is_removed_comes_back_exactly(
    tree: TurnTree, data: st.DataObject, branch: bool
) -> None:
    tree.show(data.draw(st.sampled_from(tree.ids())))
    before, ids = shape(tree), set(tree.ids())
    target = data.draw(st.sampled_from(tree.ids()))
    removal = tree.remove_branch(target) if branch else tree.remove(target)
    assert target not in tree
    assert set(tree.ids()) == ids - {each.id for each in removal.turns}
    for each in tree.ids():
        assert tree.parent(each) is None or tree.parent(each) in tree
    tree.restore(removal)
    assert shape(tree) == before


@law
@given(trees(), st.data())
def test_removing_one_turn_keeps_the_rest_of_the_shown_path(
    tree: TurnTree, data: st.DataObject
) -> None:
    path = tree.path()
    if len(path) > 1:
        target = data.draw(st.sampled_from(path[:-1]))
        tree.remove(target)
        assert tree.path() == [each for each in path if each != target]


@law
@given(trees(), st.data())
def test_a_lost_row_loses_nothing_that_hangs_below_it(tree: TurnTree, data: st.DataObject) -> None:
    lost = data.draw(st.sampled_from(tree.ids()))
    rest = [(each, tree.parent(each)) for each in tree.ids() if each != lost]
    again = made(*rest)
    assert again.ids() == [each for each, _ in rest]
    for each, _ in rest:
        assert again.path_to(each)[-1] == each


def test_parents_that_point_forward_or_at_themselves_make_no_cycle() -> None:
    assert made((1, 2), (2, 1), (3, 3)).path() == [1, 2, 3]


def test_a_choice_of_a_turn_that_is_gone_is_the_newest() -> None:
    assert made((1, None), (2, 1), (3, 1), choices={1: 99}).leaf() == 3


def test_a_changed_turn_keeps_its_place() -> None:
    tree = made((1, None), (2, 1))
    tree.change(replace(turn(2, None), content="new"))
    assert (tree.get(2).content, tree.get(2).parent) == ("new", 1)


def test_an_empty_tree_has_an_empty_path() -> None:
    assert (TurnTree().path(), TurnTree().leaf(), len(TurnTree())) == ([], None, 0)
