"""What the store hands out and takes in: plain values, no meaning beyond their column.

What a state or a role *is* belongs to ``app.chat``; here it is text, stored as it came.
"""

from __future__ import annotations

from dataclasses import dataclass

LOST = "lost"
"""The state of a row that could not be read from a damaged page; its place in the tree is known."""


@dataclass(frozen=True, slots=True)
class ChatRow:
    """One chat without its turns; times are microseconds UTC."""

    id: int
    title: str = ""
    title_by: str = ""  # "question", "model" or "user": whose title it is
    created: int = 0
    updated: int = 0
    folder: int | None = None
    pinned: bool = False
    archived: bool = False
    tags: str = ""  # one a line
    options: str = ""  # JSON: what holds for this chat alone
    branched_from: int | None = None  # the turn of another chat that this one began with
    turns: int = 0  # how many it has; counted when read, not stored


@dataclass(frozen=True, slots=True)
class TurnRow:
    """One question or reply as it lies in its row."""

    id: int
    chat: int
    parent: int | None
    role: str
    content: str = ""
    reasoning: str = ""
    tool_calls: str = ""
    state: str = "complete"
    created: int = 0  # microseconds UTC
    model: str = ""
    figures: str = ""  # JSON
    fault: str = ""  # JSON
    ids: tuple[int, ...] = ()
    attachments: str = ""  # JSON: the files that went with it, their text included


@dataclass(frozen=True, slots=True)
class Waiting:
    """A message that waits behind a reply."""

    text: str
    attachments: str = ""  # JSON
    begins: str = ""  # how its reply has to begin


@dataclass(frozen=True, slots=True)
class Draft:
    """What was typed and not sent: the message box, and messages that wait behind a reply."""

    text: str = ""
    queued: tuple[Waiting, ...] = ()
    attachments: str = ""  # JSON
    documents: tuple[str, ...] = ()  # names of the kept documents that it still needs
    begins: str = ""  # how the reply has to begin
