"""LM Studio's ``*.conversation.json``: messages in a row, each with versions made of steps."""

from __future__ import annotations

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


def is_chat(value: Any) -> bool:
    """Say whether this is one of LM Studio's chats."""
    messages = items(mapping(value).get("messages"))
    return any(isinstance(mapping(message).get("versions"), list) for message in messages)


def read_chat(value: Any) -> ForeignChat:
    """Read one chat; what follows a message follows the version of it that was selected."""
    turns: list[ForeignTurn] = []
    parent = ""
    created = moment(value.get("createdAt"))
    for place, message in enumerate(items(value.get("messages"))):
        selected = mapping(message).get("currentlySelected")
        chosen = parent
        for number, version in enumerate(items(mapping(message).get("versions"))):
            turn = _turn(f"{place}.{number}", parent, mapping(version))
            if not turn.role or not (turn.content or turn.reasoning):
                continue
            turns.append(turn)
            if number == selected or chosen == parent:
                chosen = turn.key
        parent = chosen
    return ForeignChat(
        title=text(value.get("name")),
        created=created,
        updated=moment(value.get("assistantLastMessagedAt"))
        or moment(value.get("userLastMessagedAt"))
        or created,
        turns=turns,
        shown=parent,
        pinned=value.get("pinned") is True,
        system=text(value.get("systemPrompt")),
    )


def _turn(key: str, parent: str, version: dict[str, Any]) -> ForeignTurn:
    answer: list[str] = [parts_text(version.get("content"))]
    thought: list[str] = []
    for step in map(mapping, items(version.get("steps"))):
        if step.get("type") != "contentBlock":
            continue
        thinks = mapping(step.get("style")).get("type") == "thinking"
        (thought if thinks else answer).append(_step_text(step))
    sender = mapping(version.get("senderInfo"))
    return ForeignTurn(
        key=key,
        parent=parent,
        role=role(version.get("role")),
        content="\n\n".join(filter(None, answer)),
        reasoning="\n\n".join(filter(None, thought)),
        model=text(sender.get("senderName")),
    )


def _step_text(step: dict[str, Any]) -> str:
    """Return the text of a step; its pieces are tokens and belong together without a break."""
    return "".join(text(mapping(piece).get("text")) for piece in items(step.get("content")))
