"""ChatGPT's export: ``conversations.json``, or since 2026 ``conversations-000.json`` and so on.

A chat is a ``mapping`` of nodes; a node has a message or none (the root, hidden steps). A message
may lack its ``metadata`` or ``content``, a chat its ``title``: all seen in exports of real people.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
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

_HIDDEN = {"user_editable_context", "model_editable_context", "tether_browsing_display"}
_THOUGHTS = {"thoughts", "reasoning_recap"}


def is_chat(value: Any) -> bool:
    """Say whether this is one of ChatGPT's chats."""
    return isinstance(mapping(value).get("mapping"), dict)


def read_chat(value: Any) -> ForeignChat:
    """Read one chat."""
    nodes = mapping(value["mapping"])
    turns = [turn for key, node in nodes.items() if (turn := _turn(key, mapping(node), nodes))]
    said = _with_thoughts(turns)
    return ForeignChat(
        title=text(value.get("title")),
        created=moment(value.get("create_time")),
        updated=moment(value.get("update_time")),
        turns=said,
        shown=_nearest(text(value.get("current_node")), nodes, {turn.key for turn in said}),
        archived=value.get("is_archived") is True,
        pinned=value.get("is_starred") is True,
    )


def _turn(key: str, node: dict[str, Any], nodes: dict[str, Any]) -> ForeignTurn | None:
    """Read a node, or None for one that shows nothing."""
    if not _shows(node):
        return None
    message = mapping(node.get("message"))
    content = mapping(message.get("content"))
    metadata = mapping(message.get("metadata"))
    thinks = content.get("content_type") in _THOUGHTS
    said = _thoughts(content) if thinks else _said(content)
    parent = _nearest(text(node.get("parent")), nodes, None)
    return ForeignTurn(
        key=key,
        parent=parent,
        role=role(mapping(message.get("author")).get("role")) or "assistant",
        content="" if thinks else said,
        reasoning=said if thinks else "",
        created=moment(message.get("create_time")),
        model=text(metadata.get("model_slug")),
    )


def _shows(node: dict[str, Any]) -> bool:
    message = mapping(node.get("message"))
    content = mapping(message.get("content"))
    author = mapping(message.get("author")).get("role")
    if not message or content.get("content_type") in _HIDDEN or author in {"system", "tool"}:
        return False
    if mapping(message.get("metadata")).get("is_visually_hidden_from_conversation") is True:
        return False
    return bool((_thoughts(content) or _said(content)).strip())


def _said(content: dict[str, Any]) -> str:
    if content.get("content_type") == "code" and isinstance(content.get("text"), str):
        return f"```\n{content['text']}\n```"
    return parts_text(content.get("parts")) or text(content.get("text"))


def _thoughts(content: dict[str, Any]) -> str:
    steps = (mapping(step) for step in items(content.get("thoughts")))
    said = (
        "\n".join(filter(None, (text(step.get("summary")), text(step.get("content")))))
        for step in steps
    )
    return "\n\n".join(filter(None, said))


def _nearest(key: str, nodes: dict[str, Any], known: set[str] | None) -> str:
    """Follow parents up to a node that shows something (``known``: to one of these)."""
    for each in _upwards(key, nodes):
        if each in known if known is not None else _shows(mapping(nodes.get(each))):
            return each
    return ""


def _upwards(key: str, nodes: dict[str, Any]) -> Iterator[str]:
    seen: set[str] = set()
    while key and key in nodes and key not in seen:
        seen.add(key)
        yield key
        key = text(mapping(nodes[key]).get("parent"))


def _with_thoughts(turns: list[ForeignTurn]) -> list[ForeignTurn]:
    """Put thoughts, which are messages of their own there, into the answer that follows them.

    Thoughts without an answer (it was stopped) stay a turn of their own.
    """
    by_key = {turn.key: turn for turn in turns}
    used: set[str] = set()
    said: list[ForeignTurn] = []
    for turn in (turn for turn in turns if not _is_thought(turn)):
        thoughts, parent = [], by_key.get(turn.parent)
        while parent is not None and _is_thought(parent):
            used.add(parent.key)
            thoughts.append(parent.reasoning)
            parent = by_key.get(parent.parent)
        above = parent.key if parent is not None else ""
        said.append(replace(turn, parent=above, reasoning="\n\n".join(reversed(thoughts))))
    return said + [turn for turn in turns if _is_thought(turn) and turn.key not in used]


def _is_thought(turn: ForeignTurn) -> bool:
    return bool(turn.reasoning and not turn.content)
