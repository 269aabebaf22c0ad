"""One turn of a conversation, as the store keeps it and the transcript shows it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from app.chat.attachment import Attachment
from engine.contract import Fault, Notice, Role


class TurnState(StrEnum):
    """How far a turn got."""

    COMPLETE = "complete"
    STREAMING = "streaming"  # being written now; found on disk at start-up it means INTERRUPTED
    STOPPED = "stopped"  # by the user
    CUT = "cut"  # by a length limit or a full context
    FAILED = "failed"  # broke off; ``fault`` says why
    INTERRUPTED = "interrupted"  # the program ended while it was written


@dataclass(frozen=True, slots=True)
class TurnFigures:
    """What the engine measured for a reply."""

    tokens_per_second: float | None
    time_to_first_token_s: float
    prompt_tokens: int
    reused_tokens: int
    generated_tokens: int
    reasoning_tokens: int
    reasoning_s: float
    total_s: float
    left_out_turns: int = 0
    checked: tuple[Notice, ...] = ()  # what safety layer and server did to both
    queue_s: float = 0.0  # of the last request, as the next one
    prefill_s: float = 0.0
    beside_server: bool = False  # a server wrote: the times were measured here, the network in them


@dataclass(frozen=True, slots=True)
class Turn:
    """A question or a reply.

    Turns form a tree by ``parent``; siblings are versions of one another.
    """

    id: int
    chat: int
    parent: int | None
    role: Role
    content: str
    reasoning: str
    state: TurnState
    created: datetime  # UTC
    model: str = ""
    figures: TurnFigures | None = None
    fault: Fault | None = None
    ids: tuple[int, ...] = ()
    version: int = 1  # 1-based among its siblings
    versions: int = 1
    tool_calls: str = ""  # a line of JSON for each call, as the channel delivers them
    attachments: tuple[Attachment, ...] = ()  # files that go with a question
