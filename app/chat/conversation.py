"""A chat in memory and on disk at once: what is changed here is handed to the store in one breath.

Memory is the truth while the program runs, because a write may wait for the disk. No Qt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from app.chat.attachment import Attachment
from app.chat.options import ChatOptions, options_of, options_text
from app.chat.prompt import Snapshots, newest_ids
from app.chat.shelf import Shelf, TurnPath
from app.chat.title import title_of
from app.chat.tree import Removal, TurnTree
from app.chat.turn import Turn, TurnState
from app.chat.turn_row import microseconds, now, row_of
from app.store.chats import ChatStore
from app.store.rows import ChatRow, Draft
from engine.contract import Message, Role


class Conversation:
    """The turns of one chat, and the chat's row.

    Args:
        row: the chat as the store has it, or a new one.
        store: where it lies. A new chat has no row there until it has something to keep.
        turns: all of them, where they are known and may not be on disk yet.
    """

    def __init__(self, row: ChatRow, store: ChatStore, turns: Sequence[Turn] = ()) -> None:
        self.store = store
        self.row = row
        self.options = options_of(row.options)
        self._snapshots = Snapshots()
        self._in_store = bool(row.created)
        self._fill([(turn.id, turn.parent) for turn in turns] or store.links(row.id))
        for turn in turns:
            self.shelf[turn.id] = turn

    def reload(self, row: ChatRow) -> None:
        """Read the chat again, after an import wrote into it behind our back."""
        self.row = row
        self.options = options_of(row.options)
        self._fill(self.store.links(row.id))

    def _fill(self, links: Sequence[tuple[int, int | None]]) -> None:
        self.shelf = Shelf(self.store, [turn for turn, _ in links])
        self.tree = TurnTree(links, self.store.choices(self.row.id), self.shelf)

    def new_turn(
        self,
        parent: int | None,
        role: Role,
        text: str = "",
        attachments: tuple[Attachment, ...] = (),
    ) -> Turn:
        """Make a turn that is not in the tree yet."""
        return Turn(
            id=self.store.new_turn_id(),
            chat=self.row.id,
            parent=parent,
            role=role,
            content=text,
            reasoning="",
            state=TurnState.COMPLETE,
            created=now(),
            attachments=tuple(replace(each, source="") for each in attachments),
        )

    def add(self, turn: Turn) -> bool:
        """Add a turn; say whether it simply follows the end of the path that was shown."""
        at_end = turn.parent == self.tree.leaf()
        before = dict(self.tree.choices)
        self.tree.add(turn)
        self._touch(turn)
        self.store.add_turns(row_of(turn))
        self._save_choices(before)
        return at_end

    def put(self, turn: Turn) -> None:
        """Change a turn that is in the tree; its token ids are kept only if it carries them."""
        self.tree.change(turn)
        self.store.add_turns(row_of(turn))

    def show(self, turn: int) -> bool:
        """Lead the path through a turn; False when it did already, or is deleted by now."""
        changed = self.tree.show(turn) if turn in self.tree else None
        if changed:
            self.store.choose(self.row.id, changed)
        return bool(changed)

    def remove(self, turn: int, branch: bool) -> Removal:
        """Delete a turn, or a turn and all that follows it."""
        before = dict(self.tree.choices)
        removal = self.tree.remove_branch(turn) if branch else self.tree.remove(turn)
        self.store.move_turns({each: self.tree.parent(each) for each in removal.moved})
        self.store.delete_turns([each.id for each in removal.turns], microseconds(now()))
        self._save_choices(before)
        return removal

    def undo(self, removal: Removal) -> None:
        """Put back what was deleted."""
        before = dict(self.tree.choices)
        self.tree.restore(removal)
        self.store.delete_turns([turn.id for turn in removal.turns], None)
        self.store.move_turns(removal.moved)
        self._save_choices(before)

    def ids_of(self, turn: Turn) -> tuple[int, ...]:
        """Return the token ids that were sampled for a turn, or none."""
        return turn.ids or self.store.token_ids(turn.id)

    def path(self, last: int | None = None) -> TurnPath:
        """Return the shown turns, or those that lead to ``last``."""
        ids = self.tree.path() if last is None else self.tree.path_to(last)
        return TurnPath(ids, self.shelf, self.tree.get)

    def fetch_some(self) -> bool:
        """Read a slice of the turns that are not here, and make their messages; False at the end.

        The first prompt of a long chat then finds them made: 10,000 at once take 50 ms.
        """
        self._snapshots.prepare(self.shelf.fetch_some())
        return not self.shelf.is_complete

    def messages(self, last: int | None, context: int, system: str) -> tuple[Message, ...]:
        """Return what the engine is to see, up to and with the turn ``last``."""
        ids = self.tree.path_to(last)
        self.shelf.fetch(ids)
        path = [self.shelf[turn] for turn in ids]
        return self._snapshots.take(path, newest_ids(path, context, self.store.token_ids), system)

    def change_row(self, **values: Any) -> None:
        """Change the chat's title, flags or times, by the names of ``ChatRow``."""
        stamp = self.row.created or microseconds(now())
        self.row = replace(self.row, turns=len(self.tree), created=stamp, **values)
        self.store.put_chat(self.row)
        self._in_store = True

    def set_options(self, options: ChatOptions) -> None:
        """Change what holds for this chat alone."""
        self.options = options
        self.change_row(options=options_text(options))

    def save_draft(self, draft: Draft) -> None:
        """Keep what is typed; a chat that only has a draft gets its row with it."""
        if not self._in_store and draft != Draft():
            self.change_row(updated=microseconds(now()))
        self.store.save_draft(self.row.id, draft)

    def _touch(self, turn: Turn) -> None:
        """Move the chat up in the list; name it after its first question."""
        values: dict[str, object] = {"updated": microseconds(turn.created)}
        if turn.role is Role.USER and not self.row.title:
            values |= {"title": title_of(turn.content or _names(turn)), "title_by": "question"}
        self.change_row(**values)

    def _save_choices(self, before: Mapping[int, int]) -> None:
        after = self.tree.choices
        changed = {
            parent: after.get(parent)
            for parent in before.keys() | after.keys()
            if before.get(parent) != after.get(parent)
        }
        if changed:
            self.store.choose(self.row.id, changed)


def _names(turn: Turn) -> str:
    return ", ".join(each.name for each in turn.attachments)
