"""The turns of a chat, fetched from the store when they are looked at.

A chat of 10,000 turns opens with the shape of its tree alone; its turns come in slices as they are
shown, and the rest while nothing else is to be done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping, Sequence
from typing import overload

from app.chat.turn import Turn
from app.chat.turn_row import turn_of
from app.store.chats import ChatStore
from app.store.faults import Figure, StoreFault, StoreFaultKind
from app.store.rows import LOST

_SLICE = 64  # turns fetched at once: about 3 ms, a screen or several


class Shelf(MutableMapping[int, Turn]):
    """Turns by id; what is not here yet is read from the store.

    Args:
        store: where the turns lie.
        ids: the turns that the store has.
    """

    def __init__(self, store: ChatStore, ids: Sequence[int]) -> None:
        self._store = store
        self._here: dict[int, Turn] = {}
        self._lost = 0
        self._missing: dict[int, None] = dict.fromkeys(reversed(ids))  # the newest first

    def __getitem__(self, turn: int) -> Turn:
        if turn in self._missing:
            self.fetch([turn])
        return self._here[turn]

    def __setitem__(self, turn: int, value: Turn) -> None:
        self._missing.pop(turn, None)
        self._here[turn] = value

    def __delitem__(self, turn: int) -> None:
        self._missing.pop(turn, None)
        self._here.pop(turn, None)

    def __iter__(self) -> Iterator[int]:
        return iter((*self._here, *self._missing))

    def __len__(self) -> int:
        return len(self._here) + len(self._missing)

    def fetch(self, turns: Sequence[int]) -> None:
        """Read those of these turns that are not here yet."""
        wanted = [turn for turn in turns if turn in self._missing]
        for row in self._store.turns(wanted) if wanted else ():
            self[row.id] = turn_of(row)
            self._lost += row.state == LOST

    @property
    def is_complete(self) -> bool:
        """Say whether every turn is here."""
        return not self._missing

    @property
    def fault(self) -> StoreFault | None:
        """What could not be read so far."""
        if not self._lost:
            return None
        figures: dict[str, Figure] = {"path": self._store.database.path, "rows": self._lost}
        return StoreFault(StoreFaultKind.ROW_DAMAGED, figures)

    def fetch_some(self) -> list[Turn]:
        """Read a slice of what is missing, the newest first, and return it."""
        wanted = [turn for turn, _ in zip(self._missing, range(_SLICE), strict=False)]
        self.fetch(wanted)
        return [self._here[turn] for turn in wanted if turn in self._here]


class TurnPath(Sequence[Turn]):
    """The turns of a path, each fetched with its neighbours when it is looked at.

    It shows a turn as it is when it is looked at, not as it was when the path was made.

    Args:
        ids: the turns from the first to the last.
        shelf: where they are fetched to.
        get: returns a turn that has been fetched.
    """

    def __init__(self, ids: Sequence[int], shelf: Shelf, get: Callable[[int], Turn]) -> None:
        self.ids = ids
        self._shelf = shelf
        self._get = get

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, place: int) -> Turn: ...

    @overload
    def __getitem__(self, place: slice) -> list[Turn]: ...

    def __getitem__(self, place: int | slice) -> Turn | list[Turn]:
        if isinstance(place, slice):
            self._shelf.fetch(self.ids[place])
            return [self._get(turn) for turn in self.ids[place]]
        start = (place % max(len(self.ids), 1)) // _SLICE * _SLICE
        self._shelf.fetch(self.ids[start : start + _SLICE])
        return self._get(self.ids[place])
