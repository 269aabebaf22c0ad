"""Jan's threads: a folder each, with ``thread.json`` and ``messages.jsonl``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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


def is_thread(value: Any) -> bool:
    """Say whether this is the content of a ``thread.json``."""
    held = mapping(value)
    return held.get("object") == "thread" or ("assistants" in held and "title" in held)


def is_message(value: Any) -> bool:
    """Say whether this is a line of a ``messages.jsonl``."""
    return mapping(value).get("object") == "thread.message" or "thread_id" in mapping(value)


def read_thread(thread: Any, messages: Sequence[Any]) -> ForeignChat:
    """Read one thread."""
    held = mapping(thread)
    assistant = mapping(next(iter(items(held.get("assistants"))), None))
    model = text(mapping(assistant.get("model")).get("id"))
    ordered = sorted(map(mapping, messages), key=lambda each: moment(each.get("created_at")))
    turns: list[ForeignTurn] = []
    for place, message in enumerate(ordered):
        turn = _turn(str(place), turns[-1].key if turns else "", message, model)
        if turn.role and turn.content:
            turns.append(turn)
    return ForeignChat(
        title=text(held.get("title")) or text(held.get("summary")),
        created=moment(held.get("created")),
        updated=moment(held.get("updated")),
        turns=turns,
        system=text(assistant.get("instructions")),
        pinned=mapping(held.get("metadata")).get("is_favorite") is True,
    )


def _turn(key: str, parent: str, message: dict[str, Any], model: str) -> ForeignTurn:
    own_model = text(mapping(message.get("metadata")).get("modelId"))
    said = role(message.get("role"))
    content = parts_text(message.get("content"))
    reasoning = ""
    if said == "assistant" and content.startswith("<think>") and "</think>" in content:
        reasoning, content = content[len("<think>") :].split("</think>", 1)
    return ForeignTurn(
        key=key,
        parent=parent,
        role=said,
        content=content.strip() if reasoning else content,
        reasoning=reasoning.strip(),
        created=moment(message.get("created_at")),
        model=(own_model or model) if said == "assistant" else "",
    )
