"""Open WebUI's export: a list of records, each with the chat inside.

``chat.history.messages`` is the tree; older exports have ``chat.messages`` alone, a plain list.
"""

from __future__ import annotations

from typing import Any

from app.chat.importing.open_webui_blocks import read_answer
from app.chat.importing.values import (
    ForeignChat,
    ForeignTurn,
    items,
    mapping,
    moment,
    parts_text,
    role,
    text,
)


def is_chat(value: Any) -> bool:
    """Say whether this is one of Open WebUI's chats."""
    chat = mapping(mapping(value).get("chat"))
    return isinstance(chat.get("history"), dict) or isinstance(chat.get("messages"), list)


def read_chat(value: Any) -> ForeignChat:
    """Read one chat."""
    chat = mapping(value["chat"])
    history = mapping(chat.get("history"))
    tree = mapping(history.get("messages"))
    turns = [_turn(key, mapping(message)) for key, message in tree.items()]
    if not turns:
        turns = _in_a_row(items(chat.get("messages")))
    return ForeignChat(
        title=text(chat.get("title")) or text(value.get("title")),
        created=moment(value.get("created_at")) or moment(chat.get("timestamp")),
        updated=moment(value.get("updated_at")),
        turns=[turn for turn in turns if turn.role and (turn.content or turn.reasoning)],
        shown=text(history.get("currentId")),
        pinned=value.get("pinned") is True,
        archived=value.get("archived") is True,
        tags=tuple(filter(None, (text(tag) for tag in items(_meta(value).get("tags"))))),
        system=text(mapping(chat.get("params")).get("system")) or text(chat.get("system")),
    )


def _meta(value: Any) -> dict[str, Any]:
    return mapping(value.get("meta"))


def _turn(key: str, message: dict[str, Any]) -> ForeignTurn:
    content, reasoning, said_by = parts_text(message.get("content")), "", role(message.get("role"))
    if said_by == "assistant":
        content, reasoning = read_answer(content)
    return ForeignTurn(
        key=key,
        parent=text(message.get("parentId")),
        role=said_by,
        content=content,
        reasoning=reasoning,
        created=moment(message.get("timestamp")),
        model=text(message.get("modelName")) or text(message.get("model")),
    )


def _in_a_row(messages: list[Any]) -> list[ForeignTurn]:
    """Read a plain list: each message follows the one before it."""
    turns: list[ForeignTurn] = []
    for place, message in enumerate(messages):
        held = mapping(message) | {"parentId": str(place - 1) if place else ""}
        turns.append(_turn(str(place), held))
    return turns
