"""What can go wrong with what is kept on disk: a kind with figures, never a sentence.

The same manners as ``engine.contract.faults``: the window turns a kind into a sentence with an
action, in the user's language.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

Figure = int | float | str


class StoreFaultKind(StrEnum):
    """What went wrong, each with the figures that its sentence needs."""

    DISK_FULL = "disk_full"  # path, free (bytes): kept in memory and tried again
    READ_ONLY = "read_only"  # path: nothing is kept in this session
    UNREACHABLE = "unreachable"  # path, reason: the disk answers with errors
    IN_USE = "in_use"  # path: another Inkstone has it open
    # newer: path, found, known: written by a newer Inkstone, not touched; beside where what is said
    # now is kept in a file of its own, with copied (unix seconds) where that began with a copy
    NEWER = "newer"
    JOINED = "joined"  # chats, turns: what had been kept beside newer chats is with the others now
    GONE = "gone"  # path: moved or deleted while it was open; kept in memory and tried again
    SET_ASIDE = "set_aside"  # path, aside: unreadable and no copy was; an empty one is in use
    # salvaged: path, aside, chats, turns; copy, copied where there was one: what could be read is
    # there; the damaged file is kept
    SALVAGED = "salvaged"
    COPY_USED = "copy_used"  # path, aside, copy, copied (unix seconds): an older copy is in use
    ROW_DAMAGED = "row_damaged"  # path, rows: what else there was is shown
    WRITE_DAMAGED = "write_damaged"  # path: one write was given up, others go on
    SETTINGS_SET_ASIDE = "settings_set_aside"  # path, aside: defaults are in use
    IMPORT_UNREADABLE = "import_unreadable"  # path, reason (an ``Unreadable``): nothing changed


class Unreadable(StrEnum):
    """Why a file, or one chat in it, could not be read in."""

    DAMAGED = "damaged"  # a database or an archive with pages that cannot be read
    REFUSED = "refused"  # the system does not hand it out
    NOT_JSON = "not_json"  # no JSON, or cut short
    NO_CHATS = "no_chats"  # JSON of no program that is known
    TOO_LARGE = "too_large"
    MALFORMED = "malformed"  # a chat whose parts are not what they should be


@dataclass(frozen=True, slots=True)
class StoreFault:
    """A named fault with the figures that its sentence needs (see the comment beside each)."""

    kind: StoreFaultKind
    figures: Mapping[str, Figure] = field(default_factory=dict)


class StoreError(Exception):
    """A known fault of the store; bugs are raised bare instead."""

    def __init__(self, kind: StoreFaultKind, **figures: Figure) -> None:
        self.fault = StoreFault(kind, figures)
        super().__init__(
            f"{kind}: " + ", ".join(f"{name}={value}" for name, value in figures.items())
        )


def reason_of(error: Exception) -> str:
    """Return the system's own words as a sentence, without numbers and paths that were named."""
    words = getattr(error, "strerror", None) or str(error)
    return f"{words.rstrip('.')}."


def primary_code(error: Exception) -> int:
    """Return SQLite's primary result code (extended codes carry it in their low byte), or 0."""
    code = getattr(error, "sqlite_errorcode", None)  # absent where Python itself raised the error
    return code & 0xFF if isinstance(code, int) else 0


DAMAGE_CODES = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT})
