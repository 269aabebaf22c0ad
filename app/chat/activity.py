"""What a chat is doing, as the window shows it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from app.chat.attachment import Outgoing


class Activity(StrEnum):
    """What a chat is doing."""

    IDLE = "idle"
    SAVING = "saving"  # the question is on its way to the disk
    WAITING_FOR_MODEL = "waiting_for_model"  # a model is loading
    WAITING = "waiting"  # the engine has it and has not answered yet
    READING = "reading"  # prefill
    WRITING = "writing"
    STOPPING = "stopping"


@dataclass(frozen=True, slots=True)
class SessionState:
    """What the chat is doing, and what waits behind it."""

    activity: Activity = Activity.IDLE
    turn: int | None = None  # the reply that is being made
    queued: tuple[Outgoing, ...] = ()

    @property
    def busy(self) -> bool:
        """Say whether a reply is being made."""
        return self.activity is not Activity.IDLE
