"""What the window says of this computer: its memory, read when it is shown."""

from __future__ import annotations

import os
from dataclasses import dataclass

from app.language import Language


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


def is_plugged_in() -> bool | None:
    """Return whether power comes from outside; None without a battery, or one that tells."""
    import psutil  # noqa: PLC0415 - as above

    read = getattr(psutil, "sensors_battery", None)  # not on every system
    try:
        battery = read() if read is not None else None
    except OSError:  # a battery whose file cannot be read
        return None
    return None if battery is None else battery.power_plugged


def processor_words(language: Language, instructions: str) -> str:
    """Return what computes here, for example "8 cores · AVX2"; ``instructions`` may be unknown."""
    cores = language.text("processor-cores", cores=os.cpu_count() or 1)
    return f"{cores} · {instructions}" if instructions else cores
