"""What a long job tells the program that started it: one JSON object a line, on standard output.

``{"event": "progress", "stage": …, "done": …, "total": …}`` as often as it likes, what it found
under a name of its own, and ``{"event": "failed", "fault": …, "figures": {…}}`` for a named fault.
"""

from __future__ import annotations

import json
from typing import Any

from engine.contract import Fault, Progress, Stage


def tell(event: str, **values: Any) -> None:
    """Write one event."""
    print(json.dumps({"event": event, **values}, default=str), flush=True)


def tell_fault(fault: Fault) -> None:
    """Write the fault that ends the job."""
    tell("failed", fault=fault.kind.value, figures=dict(fault.figures))


def tell_progress(stage: str, done: int, total: int) -> None:
    """Write how far a stage is."""
    tell("progress", stage=stage, done=done, total=total)


class ToldProgress:
    """Progress of the engine as events; what has not changed, and prompts, are no news."""

    def __init__(self) -> None:
        self._last: Progress | None = None

    def show(self, progress: Progress) -> None:
        """Tell how far a stage is."""
        if progress.stage is not Stage.PREFILL and progress != self._last:
            tell_progress(progress.stage.value, progress.done, progress.total)
        self._last = progress

    def clear(self) -> None:
        """Nothing is on a screen."""
