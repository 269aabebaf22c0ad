"""The tree of a chat's turns: which turns there are, and which path through them is shown.

Turns with the same parent are versions of one another. The path goes from the root to a leaf; where
there are versions it takes the chosen one, or the newest. Pure data: no Qt, no disk.

A parent's id is always smaller than its child's. What breaks that (a damaged row) is hung under the
nearest earlier turn, so that a tree never has a cycle and never loses what hangs below a lost row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableMapping
from dataclasses import dataclass, replace

from app.chat.turn import Turn

ROOT = 0
"""Stands for "no parent" where a key is needed."""


@dataclass(frozen=True, slots=True)
class Removal:
    """What ``remove`` or ``remove_branch`` took away, enough to put it back."""

    turns: tuple[Turn, ...]
    moved: Mapping[int, int | None]  # turns that were hung elsewhere -> the parent they had
    choices: Mapping[int, int]  # all choices as they were


class TurnTree:
    """All turns of one chat, and the shown path.

    Args:
        links: each turn's id with its parent's.
        choices: under a parent (ROOT for none), the child that is shown where it is not the newest.
        shelf: holds the turns themselves; it may fetch them when they are asked for.
    """

    def __init__(
        self,
        links: Iterable[tuple[int, int | None]] = (),
        choices: Mapping[int, int] | None = None,
        shelf: MutableMapping[int, Turn] | None = None,
    ) -> None:
        self._shelf: MutableMapping[int, Turn] = {} if shelf is None else shelf
        self._parents: dict[int, int | None] = {}
        self._children: dict[int, list[int]] = {ROOT: []}
        self.choices: dict[int, int] = dict(choices or {})
        previous: int | None = None
        for turn, parent in sorted(links, key=lambda link: link[0]):
            known = parent is None or parent in self._parents
            self._insert(turn, parent if known else previous)
            previous = turn

    def __len__(self) -> int:
        return len(self._parents)

    def __contains__(self, turn: object) -> bool:
        return turn in self._parents

    def get(self, turn: int) -> Turn:
        """Return a turn with its place in the tree and among its versions.

        Raises:
            KeyError: there is no such turn.
        """
        parent = self._parents[turn]
        found = self._shelf[turn]
        versions = self._children[parent or ROOT]
        if len(versions) == 1 and found.parent == parent:
            return found
        place, count = versions.index(turn) + 1, len(versions)
        return replace(found, parent=parent, version=place, versions=count)

    def parent(self, turn: int) -> int | None:
        """Return the id of a turn's parent."""
        return self._parents[turn]

    def ids(self) -> list[int]:
        """Return all turns' ids, parents before children."""
        return sorted(self._parents)

    def path(self) -> list[int]:
        """Return the ids of the shown turns from the first to the last."""
        return list(self._walk(ROOT))

    def leaf(self) -> int | None:
        """Return the last turn of the shown path."""
        turn = None
        for turn in self._walk(ROOT):  # noqa: B007 - the last one is meant
            pass
        return turn

    def path_to(self, turn: int | None) -> list[int]:
        """Return the ids from the root to this turn, whether they are shown or not."""
        way: list[int] = []
        while turn is not None:
            way.append(turn)
            turn = self._parents[turn]
        return way[::-1]

    def branch(self, turn: int) -> list[int]:
        """Return a turn and everything below it, parents first."""
        found = [turn]
        for each in found:
            found.extend(self._children[each])
        return found

    def add(self, turn: Turn) -> None:
        """Add a turn below its parent; being the newest version, it is the shown one."""
        self._shelf[turn.id] = turn
        self._insert(turn.id, turn.parent)
        self.choices.pop(turn.parent or ROOT, None)

    def change(self, turn: Turn) -> None:
        """Replace a turn's content; its place stays."""
        self._shelf[turn.id] = replace(turn, parent=self._parents[turn.id])

    def show(self, turn: int) -> dict[int, int | None]:
        """Lead the path through a turn; return the choices that changed (None: the newest)."""
        changed: dict[int, int | None] = {}
        for each in self.path_to(turn):
            parent = self._parents[each] or ROOT
            child = None if self._children[parent][-1] == each else each
            if self.choices.get(parent) != child:
                changed[parent] = child
        for parent, child in changed.items():
            if child is None:
                del self.choices[parent]
            else:
                self.choices[parent] = child
        return changed

    def sibling(self, turn: int, step: int) -> int | None:
        """Return the version ``step`` places on, or None beyond the first and last."""
        versions = self._children[self._parents[turn] or ROOT]
        place = versions.index(turn) + step
        return versions[place] if 0 <= place < len(versions) else None

    def remove(self, turn: int) -> Removal:
        """Take one turn away; what hangs below it hangs under its parent afterwards."""
        gone = self._shelf[turn]
        parent = self._parents[turn]
        before = dict(self.choices)
        moved = tuple(self._children[turn])
        if (below := self._shown_child(turn)) and self._shown_child(parent or ROOT) == turn:
            self.choices[parent or ROOT] = below
        for child in moved:
            self._hang(child, parent)
        self._forget(turn)
        return Removal((replace(gone, parent=parent),), dict.fromkeys(moved, turn), before)

    def remove_branch(self, turn: int) -> Removal:
        """Take a turn and everything below it away."""
        before = dict(self.choices)
        gone = [
            replace(self._shelf[each], parent=self._parents[each]) for each in self.branch(turn)
        ]
        for each in reversed(gone):
            self._forget(each.id)
        return Removal(tuple(gone), {}, before)

    def restore(self, removal: Removal) -> None:
        """Put back what was removed, as it was."""
        for turn in removal.turns:
            self._shelf[turn.id] = turn
            self._insert(turn.id, turn.parent)
        for child, parent in removal.moved.items():
            if child in self._parents:
                self._hang(child, parent)
        self.choices = {
            parent: child for parent, child in removal.choices.items() if child in self._parents
        }

    def _walk(self, parent: int) -> Iterable[int]:
        while (child := self._shown_child(parent)) is not None:
            yield child
            parent = child

    def _shown_child(self, parent: int) -> int | None:
        children = self._children[parent]
        if not children:
            return None
        chosen = self.choices.get(parent)
        return chosen if chosen in children else children[-1]

    def _insert(self, turn: int, parent: int | None) -> None:
        self._parents[turn] = parent
        self._children.setdefault(turn, [])
        versions = self._children[parent or ROOT]
        versions.append(turn)
        if len(versions) > 1 and versions[-2] > turn:
            versions.sort()

    def _hang(self, turn: int, parent: int | None) -> None:
        self._children[self._parents[turn] or ROOT].remove(turn)
        self._insert(turn, parent)

    def _forget(self, turn: int) -> None:
        self._children[self._parents.pop(turn) or ROOT].remove(turn)
        del self._children[turn]
        del self._shelf[turn]
        self.choices.pop(turn, None)
