"""What this computer is for a model, measured once a run of the program by a child process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from app.chat.child_job import ChildJob, connected_job
from app.store.benchmarks import Benchmarks


@dataclass(frozen=True, slots=True)
class Machine:
    """What the child told; zero or empty where nothing is known yet."""

    cores: int = 0
    instructions: str = ""
    gpus: tuple[str, ...] = ()
    bandwidth: float = 0.0  # bytes a second
    failed: bool = False


class Measuring(QObject):
    """The computer's figures, and the speed of its memory from one run to the next.

    Args:
        benchmarks: keeps the speed.
        allowed: whether a child may be started; what is known is told all the same.
    """

    changed = Signal()

    def __init__(
        self, benchmarks: Benchmarks, *, allowed: bool = True, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._benchmarks, self._allowed = benchmarks, allowed
        self._job: ChildJob | None = None
        self._running = False
        self._machine = Machine(bandwidth=benchmarks.bandwidth)

    @property
    def machine(self) -> Machine:
        """What is known by now."""
        return self._machine

    @property
    def bandwidth(self) -> float:
        """Bytes a second at which memory is read; 0 until it was ever measured."""
        return self._benchmarks.bandwidth

    def begin(self) -> None:
        """Measure, unless that was begun before: it takes two seconds of all cores."""
        if self._job is None:
            self.begin_again()

    @Slot()
    def begin_again(self) -> None:
        """Measure once more, when other programs were at work the last time."""
        if self._allowed and not self._running:
            self._running = True
            self._become(Machine(bandwidth=self.bandwidth))
            arguments = ["machine", "--events"]
            self._job = connected_job(ChildJob, arguments, self, self._on_told, self._on_ended)
            self._job.start()

    def close(self) -> None:
        """End the child."""
        if self._job is not None:
            self._job.close()

    @Slot(object)
    def _on_told(self, told: dict[str, Any]) -> None:
        gpus = told.get("gpus")
        self._benchmarks.keep_bandwidth(float(told.get("bandwidth") or 0))
        self._become(
            Machine(
                int(told.get("cores") or 0),
                str(told.get("instructions") or ""),
                tuple(str(name) for name in gpus) if isinstance(gpus, list) else (),
                self.bandwidth,
            )
        )

    @Slot(object)
    def _on_ended(self, fault: object) -> None:
        self._running = False
        if fault is not None:
            self._become(Machine(bandwidth=self.bandwidth, failed=True))

    def _become(self, machine: Machine) -> None:
        self._machine = machine
        self.changed.emit()
