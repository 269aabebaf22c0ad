"""The tree of a chat's turns: which turns there are, and which path through them is shown.

Turns with the same parent are versions of one another. The path goes from the root to a leaf; where
there are versions it takes the chosen one, or the newest. Pure data: no Qt, no disk.

A parent's id is always smaller than its child's. What breaks that (a damaged row) is hung under the
nearest earlier turn, so that a tree never has a cycle and never loses what hangs below a lost row.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
    """All turns of one chat, and the shown path."""

    def __init__(
        self, turns: Iterable[Turn] = (), choices: Mapping[int, int] | None = None
    ) -> None:
        self._turns: dict[int, Turn] = {}
        self._children: dict[int, list[int]] = {ROOT: []}
        self.choices: dict[int, int] = dict(choices or {})
        previous: int | None = None
        for turn in sorted(turns, key=lambda turn: turn.id):
            parent = turn.parent
            if parent is not None and parent not in self._turns:
                parent = previous
            self._insert(turn if parent == turn.parent else replace(turn, parent=parent))
            previous = turn.id

    def __len__(self) -> int:
        return len(self._turns)

    def __contains__(self, turn: object) -> bool:
        return turn in self._turns

    def get(self, turn: int) -> Turn:
        """Return a turn with its place among its versions.

        Raises:
            KeyError: there is no such turn.
        """
        found = self._turns[turn]
        versions = self._children[found.parent or ROOT]
        if len(versions) == 1:
            return found
        return replace(found, version=versions.index(turn) + 1, versions=len(versions))

    def turns(self) -> list[Turn]:
        """Return all turns, parents before children."""
        return [self._turns[turn] for turn in sorted(self._turns)]

    def path(self) -> list[Turn]:
        """Return the shown turns from the first to the last."""
        return [self.get(turn) for turn in self._walk(ROOT)]

    def leaf(self) -> int | None:
        """Return the last turn of the shown path."""
        turn = None
        for turn in self._walk(ROOT):  # noqa: B007 - the last one is meant
            pass
        return turn

    def path_to(self, turn: int | None) -> list[Turn]:
        """Return the turns from the root to this one, whether they are shown or not."""
        way: list[Turn] = []
        while turn is not None:
            way.append(self.get(turn))
            turn = self._turns[turn].parent
        return way[::-1]

    def branch(self, turn: int) -> list[int]:
        """Return a turn and everything below it, parents first."""
        found = [turn]
        for each in found:
            found.extend(self._children[each])
        return found

    def add(self, turn: Turn) -> None:
        """Add a turn below its parent; being the newest version, it is the shown one."""
        self._insert(turn)
        self.choices.pop(turn.parent or ROOT, None)

    def change(self, turn: Turn) -> None:
        """Replace a turn's content; its place stays."""
        self._turns[turn.id] = replace(turn, parent=self._turns[turn.id].parent)

    def show(self, turn: int) -> dict[int, int | None]:
        """Lead the path through a turn; return the choices that changed (None: the newest)."""
        changed: dict[int, int | None] = {}
        for each in self.path_to(turn):
            parent = each.parent or ROOT
            child = None if self._children[parent][-1] == each.id else each.id
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
        versions = self._children[self._turns[turn].parent or ROOT]
        place = versions.index(turn) + step
        return versions[place] if 0 <= place < len(versions) else None

    def remove(self, turn: int) -> Removal:
        """Take one turn away; what hangs below it hangs under its parent afterwards."""
        gone = self._turns[turn]
        before = dict(self.choices)
        moved = {child: self._turns[child].parent for child in self._children[turn]}
        if (below := self._shown_child(turn)) and self._shown_child(gone.parent or ROOT) == turn:
            self.choices[gone.parent or ROOT] = below
        for child in moved:
            self._hang(child, gone.parent)
        self._forget(turn)
        return Removal((gone,), moved, before)

    def remove_branch(self, turn: int) -> Removal:
        """Take a turn and everything below it away."""
        before = dict(self.choices)
        gone = [self._turns[each] for each in self.branch(turn)]
        for each in reversed(gone):
            self._forget(each.id)
        return Removal(tuple(gone), {}, before)

    def restore(self, removal: Removal) -> None:
        """Put back what was removed, as it was."""
        for turn in removal.turns:
            self._insert(turn)
        for child, parent in removal.moved.items():
            if child in self._turns:
                self._hang(child, parent)
        self.choices = {
            parent: child for parent, child in removal.choices.items() if child in self._turns
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

    def _insert(self, turn: Turn) -> None:
        self._turns[turn.id] = turn
        self._children.setdefault(turn.id, [])
        versions = self._children[turn.parent or ROOT]
        versions.append(turn.id)
        if len(versions) > 1 and versions[-2] > turn.id:
            versions.sort()

    def _hang(self, turn: int, parent: int | None) -> None:
        self._children[self._turns[turn].parent or ROOT].remove(turn)
        self._insert(replace(self._turns[turn], parent=parent))

    def _forget(self, turn: int) -> None:
        gone = self._turns.pop(turn)
        self._children[gone.parent or ROOT].remove(turn)
        del self._children[turn]
        self.choices.pop(turn, None)
