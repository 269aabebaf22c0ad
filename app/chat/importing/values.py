"""Values of foreign JSON, where anything may be missing, null, or of another type."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.chat.title import title_of
from app.store.bundle import Bundle
from app.store.rows import ChatRow, TurnRow

_ROLES = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "model": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
}
_PICTURE = "🖼"  # pictures are not in the text of an export; their place is
_FAR_S = 253_402_300_799  # seconds: the last moment of the year 9999
_MILLISECONDS_FROM = 100_000_000_000  # a number this large is not seconds (the year 5138)


class ImportProblem(Exception):
    """Why one chat cannot be read."""


@dataclass(frozen=True, slots=True)
class ForeignTurn:
    """A message as another program has it; ``key`` and ``parent`` are its own names."""

    key: str
    parent: str
    role: str
    content: str
    reasoning: str = ""
    created: int = 0  # microseconds
    model: str = ""


@dataclass(frozen=True, slots=True)
class ForeignChat:
    """A chat as another program has it."""

    title: str
    created: int
    updated: int
    turns: Sequence[ForeignTurn]
    shown: str = ""  # key of the last message shown
    pinned: bool = False
    archived: bool = False
    tags: tuple[str, ...] = ()
    folder: str = ""
    system: str = ""


def mapping(value: Any) -> dict[str, Any]:
    """Return a JSON object, or an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    """Return a JSON list, or an empty one for anything else."""
    return value if isinstance(value, list) else []


def text(value: Any) -> str:
    """Return a text, or an empty one for anything else."""
    return value if isinstance(value, str) else ""


def role(value: Any) -> str:
    """Return a role of ours, or an empty text for one that nobody knows."""
    return _ROLES.get(text(value).lower(), "")


def moment(value: Any) -> int:
    """Return microseconds for seconds or milliseconds since 1970; 0 for anything else."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return 0
    if not isinstance(value, int | float) or isinstance(value, bool):
        return 0
    seconds = value / 1000 if value >= _MILLISECONDS_FROM else value
    return round(seconds * 1_000_000) if 0 < seconds < _FAR_S else 0


def parts_text(value: Any) -> str:
    """Return the text of a list of content parts, as OpenAI and its followers write them."""
    if isinstance(value, str):
        return value
    return "\n".join(filter(None, (_part_text(part) for part in items(value))))


def _part_text(part: Any) -> str:
    if isinstance(part, str):
        return part
    if "image" in text(mapping(part).get("content_type")) + text(mapping(part).get("type")):
        return _PICTURE
    held = mapping(part).get("text")
    return text(mapping(held).get("value")) if isinstance(held, dict) else text(held)


def bundle_of(chat: ForeignChat) -> Bundle:
    """Turn a foreign chat into a bundle: keys become numbers, parents before children.

    Raises:
        ImportProblem: no message of it can be read.
    """
    ordered = _parents_first(chat.turns)
    if not ordered:
        raise ImportProblem("no messages")
    numbers = {turn.key: number for number, turn in enumerate(ordered, 1)}
    turns = tuple(_row(turn, numbers) for turn in ordered)
    created = chat.created or next((turn.created for turn in turns if turn.created), 0)
    updated = chat.updated or max(turn.created for turn in turns) or created
    options = json.dumps({"system": chat.system}) if chat.system else ""
    title = chat.title.strip()
    question = next((turn.content for turn in turns if turn.role == "user"), turns[0].content)
    row = ChatRow(
        id=1,
        title=title or title_of(question),
        title_by="user" if title else "question",
        created=created,
        updated=updated,
        pinned=chat.pinned,
        archived=chat.archived,
        tags="\n".join(chat.tags),
        options=options,
    )
    return Bundle(row, turns, _choices(turns, numbers.get(chat.shown, 0)), chat.folder)


def _parents_first(turns: Sequence[ForeignTurn]) -> list[ForeignTurn]:
    """Order turns by depth, then as they came; a turn in a circle hangs from nothing."""
    by_key = {turn.key: turn for turn in turns}
    children: dict[str, list[ForeignTurn]] = {}
    for turn in by_key.values():
        children.setdefault(turn.parent if turn.parent in by_key else "", []).append(turn)
    ordered = _below("", children)
    reached = {turn.key for turn in ordered}
    return ordered + [turn for turn in by_key.values() if turn.key not in reached]


def _below(key: str, children: Mapping[str, Sequence[ForeignTurn]]) -> list[ForeignTurn]:
    ordered = list(children.get(key, ()))
    for turn in ordered:
        ordered.extend(children.get(turn.key, ()))
    return ordered


def _row(turn: ForeignTurn, numbers: Mapping[str, int]) -> TurnRow:
    parent = numbers.get(turn.parent)
    number = numbers[turn.key]
    return TurnRow(
        id=number,
        chat=1,
        parent=parent if parent is not None and parent < number else None,
        role=turn.role,
        content=turn.content,
        reasoning=turn.reasoning,
        created=turn.created,
        model=turn.model,
    )


def _choices(turns: Iterable[TurnRow], shown: int) -> dict[int, int]:
    """Return the choices that lead to the turn which the other program showed."""
    parents = {turn.id: turn.parent for turn in turns}
    choices: dict[int, int] = {}
    each: int | None = shown if shown in parents else None
    while each is not None:
        parent = parents[each]
        choices[parent or 0] = each
        each = parent
    return choices
