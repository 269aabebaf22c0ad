"""Where what is said now is kept, whenever that is not simply with the other chats."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from app.store.faults import StoreFault


class Keeping(StrEnum):
    """How what is said now is kept."""

    APART = "apart"  # on disk, in a file of its own
    MEMORY = "memory"  # nowhere else, for the whole session
    WAITING = "waiting"  # in memory until the disk takes it
    PARTLY = "partly"  # some of it went to a damaged page and is in memory only


@dataclass(frozen=True, slots=True)
class Standing:
    """How what is said now is kept, and why; as long as it is so, the window shows it.

    ``hides`` says that chats of before lie on disk and are not open in this session.
    """

    keeping: Keeping
    fault: StoreFault
    hides: bool = False
