"""How much one file may cost before it is refused or read only as far as it goes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """What a reader may use.

    Attributes:
        file_bytes: a larger file is refused.
        unpacked_bytes: an archive (Office, EPUB) that says it holds more is refused.
        characters: reading ends here, and the document says so.
        seconds: reading takes no longer.
        memory_bytes: of address space, where the system can limit it (not on Windows).
    """

    file_bytes: int = 200_000_000
    unpacked_bytes: int = 400_000_000
    characters: int = 4_000_000  # about a million tokens: more than any context holds
    seconds: float = 60.0
    memory_bytes: int = 3_000_000_000


LIMITS = Limits()
