"""What the window says of this computer: its memory, read when it is shown."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Computer:
    """Bytes of memory in all, and bytes that programs could take now."""

    memory: int
    free: int


def read_computer() -> Computer:
    """Return this computer's figures of now."""
    import psutil  # noqa: PLC0415 - 20 ms that the first picture need not wait for

    memory = psutil.virtual_memory()
    return Computer(memory.total, memory.available)
