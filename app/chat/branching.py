"""A new chat that begins with what was said in another one, up to a turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.chat.turn import Turn, TurnState
from app.chat.turn_row import microseconds, now, row_of
from app.store.chats import ChatStore
from app.store.rows import ChatRow


def branch_chat(store: ChatStore, row: ChatRow, path: Sequence[Turn]) -> tuple[ChatRow, list[Turn]]:
    """Copy a path into a new chat and return its row and turns.

    The token ids go with it: what the engine's cache holds of the old chat serves the new one too.
    A reply that is still being written is copied as far as it is, as one that was stopped.

    Args:
        store: where both lie.
        row: the old chat.
        path: its turns from the first to the one that the new chat continues from.
    """
    moment = microseconds(now())
    branch = replace(
        row,
        id=store.new_chat_id(),
        created=moment,
        updated=moment,
        pinned=False,
        branched_from=path[-1].id,
        turns=len(path),
    )
    store.put_chat(branch)
    copies: list[Turn] = []
    parent: int | None = None
    for turn in path:
        number = store.new_turn_id()
        copy = replace(turn, id=number, chat=branch.id, parent=parent, version=1, versions=1)
        if turn.state is TurnState.STREAMING:
            copies.append(replace(copy, state=TurnState.STOPPED, ids=()))
        else:
            copies.append(replace(copy, ids=turn.ids or store.token_ids(turn.id)))
        parent = number
    store.add_turns(*map(row_of, copies))
    return branch, copies
