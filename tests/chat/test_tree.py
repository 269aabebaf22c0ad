"""The tree of turns: laws over random trees, and the few rules that a law cannot say."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from app.chat.tree import TurnTree
from app.chat.turn import Turn, TurnState
from engine.contract import Role

NOW = datetime(2026, 7, 30, tzinfo=UTC)


def turn(number: int, parent: int | None) -> Turn:
    return Turn(number, 1, parent, Role.USER, str(number), "", TurnState.COMPLETE, NOW)


@st.composite
def trees(draw: st.DrawFn) -> TurnTree:
    """Trees of up to 12 turns; ids have gaps, as they do when several chats are written."""
    count = draw(st.integers(1, 12))
    parents: list[int | None] = [None]
    for place in range(1, count):
        choice = draw(st.integers(-1, place - 1))
        parents.append(None if choice < 0 else choice * 3 + 1)
    return TurnTree(turn(place * 3 + 1, parent) for place, parent in enumerate(parents))


def shape(tree: TurnTree) -> tuple[list[Turn], list[Turn]]:
    return tree.turns(), tree.path()


@given(trees())
def test_the_path_goes_from_a_root_to_a_leaf_along_parents(tree: TurnTree) -> None:
    path = tree.path()
    assert path[0].parent is None
    for above, below in pairwise(path):
        assert below.parent == above.id
    assert tree.branch(path[-1].id) == [path[-1].id]
    assert tree.leaf() == path[-1].id


@given(trees(), st.data())
def test_showing_a_turn_puts_it_on_the_path_and_again_changes_nothing(
    tree: TurnTree, data: st.DataObject
) -> None:
    target = data.draw(st.sampled_from(tree.turns())).id
    tree.show(target)
    assert target in [each.id for each in tree.path()]
    assert tree.show(target) == {}
    assert [each.id for each in tree.path_to(target)] == [
        each.id for each in tree.path()[: len(tree.path_to(target))]
    ]


@given(trees(), st.data())
def test_choices_that_were_kept_show_the_same_path_again(
    tree: TurnTree, data: st.DataObject
) -> None:
    for _ in range(3):
        tree.show(data.draw(st.sampled_from(tree.turns())).id)
    assert shape(TurnTree(tree.turns(), tree.choices)) == shape(tree)


@given(trees(), st.data())
def test_versions_count_siblings_and_stepping_walks_them(
    tree: TurnTree, data: st.DataObject
) -> None:
    one = tree.get(data.draw(st.sampled_from(tree.turns())).id)
    siblings = [each for each in tree.turns() if each.parent == one.parent]
    assert one.versions == len(siblings)
    assert siblings[one.version - 1].id == one.id
    assert tree.sibling(one.id, 1 - one.version) == siblings[0].id
    assert tree.sibling(one.id, one.versions - one.version + 1) is None


@settings(max_examples=200)
@given(trees(), st.data(), st.booleans())
def test_what_is_removed_comes_back_exactly(
    tree: TurnTree, data: st.DataObject, branch: bool
) -> None:
    tree.show(data.draw(st.sampled_from(tree.turns())).id)
    before = shape(tree)
    target = data.draw(st.sampled_from(tree.turns())).id
    removal = tree.remove_branch(target) if branch else tree.remove(target)
    assert target not in tree
    gone = {each.id for each in removal.turns}
    assert {each.id for each in tree.turns()} == {each.id for each in before[0]} - gone
    for each in tree.path():
        assert each.parent is None or each.parent in tree
    tree.restore(removal)
    assert shape(tree) == before


@given(trees(), st.data())
def test_removing_one_turn_keeps_the_rest_of_the_shown_path(
    tree: TurnTree, data: st.DataObject
) -> None:
    path = [each.id for each in tree.path()]
    target = data.draw(st.sampled_from(path[:-1])) if len(path) > 1 else path[0]
    tree.remove(target)
    kept = [each.id for each in tree.path()]
    if len(path) > 1:
        assert kept == [each for each in path if each != target]


@given(trees(), st.data())
def test_a_lost_row_loses_nothing_that_hangs_below_it(tree: TurnTree, data: st.DataObject) -> None:
    lost = data.draw(st.sampled_from(tree.turns())).id
    rest = [each for each in tree.turns() if each.id != lost]
    again = TurnTree(rest)
    assert [each.id for each in again.turns()] == [each.id for each in rest]
    for each in rest:
        assert again.path_to(each.id)[-1].id == each.id


def test_parents_that_point_forward_or_at_themselves_make_no_cycle() -> None:
    tree = TurnTree([turn(1, 2), turn(2, 1), turn(3, 3)])
    assert [each.id for each in tree.path()] == [1, 2, 3]


def test_a_choice_of_a_turn_that_is_gone_is_the_newest() -> None:
    tree = TurnTree([turn(1, None), turn(2, 1), turn(3, 1)], {1: 99})
    assert tree.leaf() == 3


def test_a_changed_turn_keeps_its_place() -> None:
    tree = TurnTree([turn(1, None), turn(2, 1)])
    tree.change(replace(turn(2, None), content="new"))
    assert [(each.id, each.content) for each in tree.path()] == [(1, "1"), (2, "new")]


def test_an_empty_tree_has_an_empty_path() -> None:
    assert (TurnTree().path(), TurnTree().leaf(), len(TurnTree())) == ([], None, 0)
