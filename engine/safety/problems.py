"""What is wrong with a file of rules or a policy."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Problem:
    """A mistake: the file, its line (from 1), and what is wrong there."""

    path: Path
    line: int
    reason: str
