"""Measuring models one after the other, each in a process of its own, so that none sees another."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from app.chat.child_job import ChildJob, MakeJob, connected_job
from app.store.benchmarks import Benchmarks, LastRun, Speed
from engine.contract import Fault, ModelFacts


@dataclass(frozen=True, slots=True)
class Measuring:
    """What is being measured now.

    Attributes:
        stage: of the job: "starting", "reading", "compiling", "measuring".
    """

    name: str
    number: int  # from 1
    models: int
    stage: str = "starting"
    done: int = 0
    total: int = 0
    stopping: bool = False


class Benchmarking(QObject):
    """Runs ``engine bench`` over some models and keeps what it says."""

    changed = Signal()  # what is measured now, or what was
    ended = Signal(int)  # a run that nobody stopped: so many models were measured

    def __init__(
        self,
        benchmarks: Benchmarks,
        make_job: MakeJob = ChildJob,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.benchmarks = benchmarks
        self._make_job = make_job
        self._queue: list[ModelFacts] = []
        self._against: list[str] = []
        self._job: ChildJob | None = None
        self._facts: ModelFacts | None = None
        self._threads = self._measured = 0
        self._began = 0.0
        self.now: Measuring | None = None
        self.faults: dict[str, Fault] = {}  # by the model's name, of the last run
        self.killed: set[str] = set()  # names of those whose process was ended from outside

    def run(self, models: Sequence[ModelFacts], threads: int, against: Sequence[str] = ()) -> None:
        """Measure models; a run that is under way goes on instead.

        Args:
            models: one after the other.
            threads: that compute.
            against: options that name another engine; of no use for what is no GGUF file.
        """
        if self.now is not None or not models:
            return
        self._queue, self._against = list(models), list(against)
        self._threads, self._measured, self._began = threads, 0, time.monotonic()
        self.faults, self.killed = {}, set()
        self.now = Measuring("", 0, len(models))
        self.changed.emit()
        self._next()

    def stop(self) -> None:
        """End the run; what was measured is kept."""
        if self.now is not None and self._job is not None:
            self._queue.clear()
            self._become(stopping=True)
            self._job.stop()

    def close(self) -> None:
        """End a run at once."""
        if self._job is not None:
            self._job.close()

    def _next(self) -> None:
        if self.now is None or not self._queue:
            self._end_run()
            return
        self._facts = facts = self._queue.pop(0)
        self.now = Measuring(facts.name, self.now.number + 1, self.now.models)
        arguments = ["bench", str(facts.path), "--threads", str(self._threads), "--events"]
        arguments += self._against if facts.path.suffix.casefold() == ".gguf" else ()
        slots = self._on_reported, self._on_ended
        self._job = connected_job(self._make_job, arguments, self, *slots)
        self._job.start()
        self.changed.emit()

    def _end_run(self) -> None:
        was_stopped = self.now is not None and self.now.stopping
        self.now = self._job = None
        if self._measured:
            seconds = round(time.monotonic() - self._began, 1)
            self.benchmarks.end_run(LastRun(int(time.time()), self._measured, seconds))
        self.changed.emit()
        if not was_stopped:
            self.ended.emit(self._measured)

    @Slot(object)
    def _on_reported(self, line: dict[str, Any]) -> None:
        if self._facts is None or self.now is None:
            return
        if line.get("event") == "progress":
            self._become(
                stage=str(line.get("stage")), done=line.get("done", 0), total=line.get("total", 0)
            )
        elif line.get("event") == "measured":
            self.benchmarks.keep(_speed(self._facts, line))
            self._measured += 1
            self.changed.emit()

    @Slot(object)
    def _on_ended(self, fault: Fault | None) -> None:
        if fault is not None and self._facts is not None:
            self.faults[self._facts.name] = fault
            if self._job is not None and self._job.was_killed:
                self.killed.add(self._facts.name)
        self._next()

    def _become(self, **values: Any) -> None:
        if (now := self.now) is not None:
            known = {name: getattr(now, name) for name in Measuring.__slots__}
            self.now = Measuring(**known | values)
            self.changed.emit()


def thread_choices() -> tuple[int, ...]:
    """Return the numbers of threads worth comparing: all real cores, half of them, a quarter."""
    import psutil  # noqa: PLC0415 - 20 ms that the first picture need not wait for

    cores = psutil.cpu_count(logical=False) or os.cpu_count() or 1
    return tuple(sorted({max(1, cores // part) for part in (1, 2, 4)}, reverse=True))


def _speed(facts: ModelFacts, measured: dict[str, Any]) -> Speed:
    ours, peers = measured["ours"], measured.get("peers") or ()
    return Speed(
        path=str(facts.path),
        name=facts.name,
        file_bytes=measured["file_bytes"],
        device=measured["device"],
        processor=measured["processor"],
        threads=measured["threads"],
        decode=ours["decode"]["median"],
        prefill=ours["prefill"]["median"],
        first_token_s=ours["time_to_first_token_cold_s"],
        second_turn_s=ours["time_to_first_token_second_turn_s"],
        load_s=ours["load_s"],
        peak_bytes=ours["peak_bytes"],
        bytes_per_token=measured["decode_bytes_per_token"],
        bandwidth=measured["read_bytes_per_second"],
        measured_at=int(time.time()),
        peer="llama.cpp" if peers else "",
        peer_decode=max((peer["decode"]["median"] for peer in peers), default=0.0),
        peer_prefill=max((peer["prefill"]["median"] for peer in peers), default=0.0),
    )
