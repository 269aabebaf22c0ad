"""Where words can stand in a turn: what was said, the thought, the files that go with it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from app.store.columns import read_text

TEXT_COLUMNS = ("content", "reasoning", "attachments")
HAS_TEXT = " OR ".join(f"{name} <> ''" for name in TEXT_COLUMNS)


class Where(StrEnum):
    """A kind of text in a turn."""

    SAID = "said"
    THOUGHT = "thought"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class Passage:
    """One text of a turn; ``name`` is a file's."""

    where: Where
    text: str
    name: str = ""


def passages(content: object, reasoning: object, attachments: object) -> Iterator[Passage]:
    """Yield the texts of a turn from the values of its columns, which may hold anything."""
    if said := read_text(content):
        yield Passage(Where.SAID, said)
    if thought := read_text(reasoning):
        yield Passage(Where.THOUGHT, thought)
    for file in _files(read_text(attachments)):
        name = str(file.get("name", ""))
        yield Passage(Where.FILE, f"{name}\n{file.get('text', '')}", name)


def searched_text(content: object, reasoning: object = "", attachments: object = "") -> str:
    """Return everything that a search looks through, as the index holds it."""
    return "\n".join(each.text for each in passages(content, reasoning, attachments))


def _files(text: str) -> list[dict[str, Any]]:
    try:
        held = json.loads(text or "[]")
    except ValueError:
        return []
    return [each for each in held if isinstance(each, dict)] if isinstance(held, list) else []
