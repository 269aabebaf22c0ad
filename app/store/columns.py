"""Values on their way into columns and out of them again.

Out is lenient: a column may hold NULL or anything else (an older program, a damaged page, a curious
hand), and that must cost the value, never the chat. In is exact: text goes in as it is, even a half
surrogate, which SQLite's text cannot hold and which therefore goes in as its bytes.
"""

from __future__ import annotations

import array
import json
import sys
from collections.abc import Sequence
from dataclasses import astuple
from typing import Any

from app.store.rows import ChatRow, TurnRow, Waiting

CHAT_COLUMNS = (
    "id",
    "title",
    "title_by",
    "created",
    "updated",
    "folder",
    "pinned",
    "archived",
    "tags",
    "options",
    "branched_from",
)
TURN_COLUMNS = (
    "id",
    "chat",
    "parent",
    "role",
    "state",
    "created",
    "model",
    "figures",
    "fault",
    "content",
    "reasoning",
    "tool_calls",
    "attachments",
)
TURN_FIELDS = ", ".join(TURN_COLUMNS)


def text_value(value: object) -> object:
    """Make a value fit for a column; only text with half surrogates changes, into bytes."""
    if not isinstance(value, str) or value.isascii():
        return value
    try:
        value.encode()
    except UnicodeEncodeError:
        return value.encode("utf-8", errors="surrogatepass")
    return value


def decode_text(raw: bytes) -> str:
    """Decode text; a damaged byte costs one character."""
    try:
        return raw.decode("utf-8", errors="surrogatepass")
    except UnicodeDecodeError:
        return raw.decode("utf-8", errors="replace")


def pack_ids(ids: Sequence[int]) -> bytes | None:
    """Pack token ids as little-endian 32-bit numbers; None for none."""
    if not ids:
        return None
    numbers = array.array("I", ids)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def unpack_ids(raw: object) -> tuple[int, ...]:
    """Unpack what ``pack_ids`` packed; anything else is no ids at all."""
    if not isinstance(raw, bytes) or len(raw) % 4:
        return ()
    numbers = array.array("I")
    numbers.frombytes(raw)
    if sys.byteorder == "big":
        numbers.byteswap()
    return tuple(numbers)


def chat_row(row: tuple[Any, ...]) -> ChatRow:
    """Read a row of CHAT_COLUMNS and the number of turns."""
    chat, title, by, created, updated, folder, pinned, archived, tags, options, branch, turns = row
    return ChatRow(
        id=chat,
        title=read_text(title),
        title_by=read_text(by),
        created=read_number(created) or 0,
        updated=read_number(updated) or 0,
        folder=read_number(folder),
        pinned=bool(pinned),
        archived=bool(archived),
        tags=read_text(tags),
        options=read_text(options),
        branched_from=read_number(branch),
        turns=turns,
    )


def turn_row(row: tuple[Any, ...]) -> TurnRow:
    """Read a row of TURN_COLUMNS."""
    turn, chat, parent, role, state, created, model, figures, fault, content, reasoning = row[:11]
    return TurnRow(
        id=turn,
        chat=chat,
        parent=read_number(parent),
        role=read_text(role),
        content=read_text(content),
        reasoning=read_text(reasoning),
        tool_calls=read_text(row[11]),
        attachments=read_text(row[12]),
        state=read_text(state),
        created=read_number(created) or 0,
        model=read_text(model),
        figures=read_text(figures),
        fault=read_text(fault),
    )


def read_text(value: object) -> str:
    """Read a text column that may hold anything."""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return decode_text(value)
    return "" if value is None else str(value)


def read_number(value: object) -> int | None:
    """Read a number column that may hold anything."""
    return value if isinstance(value, int) else None


def queue_text(queued: Sequence[Waiting]) -> str:
    """Return waiting messages as the JSON text that a column holds; nothing for none."""
    return json.dumps([list(astuple(each)) for each in queued]) if queued else ""


def read_queue(value: object) -> tuple[Waiting, ...]:
    """Read waiting messages; anything else is none. An older program wrote texts alone."""
    try:
        items = json.loads(read_text(value) or "[]")
    except ValueError:
        return ()
    return tuple(
        Waiting(item) if isinstance(item, str) else Waiting(*map(str, item[:3]))
        for item in (items if isinstance(items, list) else ())
        if item and isinstance(item, str | list)
    )
