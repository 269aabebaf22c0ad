"""Stores in a temporary folder, with or without the thread that writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from app.store.chats import ChatStore
from app.store.opening import OpenedStore, open_store
from app.store.rows import ChatRow, TurnRow
from app.store.worker import InlineWorker, Worker

Opener = Callable[..., OpenedStore]


@pytest.fixture
def opener(tmp_path: Path) -> Iterator[Opener]:
    """Open the store of one folder again and again; the one before is closed first."""
    made: list[OpenedStore] = []

    def close() -> None:
        if made:
            made.pop().close()

    def make(worker: Worker | None = None) -> OpenedStore:
        close()
        made.append(open_store(tmp_path, worker or InlineWorker()))
        return made[-1]

    yield make
    close()


def rows_of(store: ChatStore, chat: int = 1) -> list[TurnRow]:
    """Read all turns of a chat."""
    return store.turns([turn for turn, _ in store.links(chat)])


def fill(opened: OpenedStore, turns: int = 4, chat: int = 1) -> list[TurnRow]:
    """Write a chat of some turns and return them."""
    opened.store.put_chat(ChatRow(chat, title=f"chat {chat}", created=1, updated=chat))
    opened.store._last_chat = max(opened.store._last_chat, chat)
    first = opened.store._last_turn
    rows = [
        TurnRow(
            id=first + number,
            chat=chat,
            parent=first + number - 1 if number > 1 else None,
            role="user" if number % 2 else "assistant",
            content=f"text {number}",
            created=1000 * chat + number,
        )
        for number in range(1, turns + 1)
    ]
    opened.store._last_turn = first + turns
    opened.store.add_turns(*rows)
    return rows
