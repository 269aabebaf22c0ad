"""Our own JSON, complete: what ``app.chat.exporting`` writes comes back as it was."""

from __future__ import annotations

import json
from typing import Any

from app.chat.importing.values import ImportProblem, items, mapping, text
from app.store.bundle import Bundle
from app.store.rows import ChatRow, TurnRow

FORMAT = 1


def is_export(value: Any) -> bool:
    """Say whether this is a file of ours."""
    return isinstance(mapping(value).get("inkstone"), int) and "chats" in mapping(value)


def read_chat(value: Any) -> Bundle:
    """Read one chat.

    Raises:
        ImportProblem: no turn of it can be read.
    """
    held = mapping(value)
    turns = tuple(turn for each in items(held.get("turns")) if (turn := _turn(mapping(each))))
    if not turns:
        raise ImportProblem("no messages")
    row = ChatRow(
        id=1,
        title=text(held.get("title")),
        title_by=text(held.get("title_by")),
        created=_number(held.get("created")) or 0,
        updated=_number(held.get("updated")) or 0,
        pinned=held.get("pinned") is True,
        archived=held.get("archived") is True,
        tags="\n".join(filter(None, map(text, items(held.get("tags"))))),
        options=_json(held.get("options")),
    )
    shown = mapping(held.get("shown"))
    choices = {int(parent): child for parent, child in shown.items() if parent.isdecimal()}
    return Bundle(row, turns, choices, text(held.get("folder")))


def _turn(held: dict[str, Any]) -> TurnRow | None:
    number = _number(held.get("id"))
    if number is None:
        return None
    parent = _number(held.get("parent"))
    return TurnRow(
        id=number,
        chat=1,
        parent=parent if parent is not None and parent < number else None,
        role=text(held.get("role")),
        content=text(held.get("content")),
        reasoning=text(held.get("reasoning")),
        tool_calls=text(held.get("tool_calls")),
        state=text(held.get("state")) or "complete",
        created=_number(held.get("created")) or 0,
        model=text(held.get("model")),
        figures=_json(held.get("figures")),
        fault=_json(held.get("fault")),
        ids=tuple(
            each for each in items(held.get("ids")) if type(each) is int and 0 <= each < 2**32
        ),
        attachments=_list(held.get("attachments")),
    )


def _is_id(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**32


def _number(value: Any) -> int | None:
    return value if type(value) is int and abs(value) < 2**62 else None


def _json(value: Any) -> str:
    """Return an object as the JSON text that a column holds."""
    return json.dumps(value) if isinstance(value, dict) and value else ""


def _list(value: Any) -> str:
    """Return a list as the JSON text that a column holds."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list) and value else ""
