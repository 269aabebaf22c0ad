"""A long job in a process of its own: ``python -m engine … --events``, one JSON object a line.

A job that takes minutes (a benchmark, a quantization) must neither starve a conversation nor take
the window down with it. It is ended by ending its process, and leaves nothing behind.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, QTimer, Signal, Slot

from app.engine_bridge import job_environment, job_program
from engine.contract import Fault, FaultKind

_PATIENCE_MS = 3000  # between the wish that it ends and its end by force
_LONGEST_LINE = 1 << 20  # bytes; a line that never ends is not kept
_KINDS = {kind.value: kind for kind in FaultKind}


class ChildJob(QObject):
    """One run of a process and what it reports.

    ``reported`` brings every line but faults; exactly one ``ended`` follows: with None when the
    process ended well or was stopped, else with the fault that it told, or ``INTERNAL``.
    """

    reported = Signal(object)  # dict[str, Any]
    ended = Signal(object)  # Fault | None

    def __init__(self, arguments: list[str], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._arguments = arguments
        self._process = QProcess(self)
        self._rest = b""
        self._fed = b""
        self._fault: Fault | None = None
        self._stopping = self._over = self._killed = False
        surroundings = QProcessEnvironment.systemEnvironment()
        for name, value in job_environment().items():
            surroundings.insert(name, value)
        self._process.setProcessEnvironment(surroundings)
        self._process.readyReadStandardOutput.connect(self._on_output)
        self._process.finished.connect(self._on_finished)
        self._process.errorOccurred.connect(self._on_error)

    @property
    def is_stopping(self) -> bool:
        """Whether it was asked to end."""
        return self._stopping

    @property
    def was_killed(self) -> bool:
        """Whether it was ended from outside, as the system does when the memory runs out."""
        return self._killed

    def feed(self, text: str) -> None:
        """Give it a text on its standard input: a command line is seen by every user."""
        self._fed = text.encode("utf-8", "replace")

    def start(self) -> None:
        """Start the process."""
        program, *arguments = job_program(*self._arguments)
        self._process.start(program, arguments)
        if self._fed:
            self._process.write(self._fed)
            self._process.closeWriteChannel()

    def stop(self) -> None:
        """Ask it to end; after three seconds it is ended."""
        if not self._stopping and not self._over:
            self._stopping = True
            self._process.terminate()
            QTimer.singleShot(_PATIENCE_MS, self, self._process.kill)

    def close(self) -> None:
        """End it now; nothing is reported any more."""
        self._over = True
        if self._process.state() is not QProcess.ProcessState.NotRunning:
            self._process.kill()
            self._process.waitForFinished(_PATIENCE_MS)

    @Slot()
    def _on_output(self) -> None:
        self._rest += bytes(self._process.readAllStandardOutput().data())
        *lines, self._rest = self._rest.split(b"\n")
        self._rest = self._rest[:_LONGEST_LINE]
        for line in lines:
            self._take(line)

    def _take(self, line: bytes) -> None:
        try:
            value: Any = json.loads(line)
        except ValueError:
            return  # a library printed something
        if not isinstance(value, dict) or self._over:
            return
        if value.get("event") == "failed":
            kind = _KINDS.get(str(value.get("fault")), FaultKind.INTERNAL)
            figures = value.get("figures")
            self._fault = Fault(kind, figures if isinstance(figures, dict) else {})
        else:
            self.reported.emit(value)

    @Slot(int, QProcess.ExitStatus)
    def _on_finished(self, status: int, how: QProcess.ExitStatus) -> None:
        self._on_output()
        fault = self._fault
        well = how is QProcess.ExitStatus.NormalExit and status == 0
        self._killed = how is QProcess.ExitStatus.CrashExit and not self._stopping
        if fault is None and not well and not self._stopping:
            said = bytes(self._process.readAllStandardError().data()).decode("utf-8", "replace")
            last = said.strip().rpartition("\n")[2]
            detail = last or f"the process ended with status {status}"
            fault = Fault(FaultKind.INTERNAL, {"detail": detail})
        self._end(None if self._stopping else fault)

    @Slot(QProcess.ProcessError)
    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            self._end(Fault(FaultKind.INTERNAL, {"detail": self._process.errorString()}))

    def _end(self, fault: Fault | None) -> None:
        if not self._over:
            self._over = True
            self.ended.emit(fault)


MakeJob = Callable[[list[str], QObject], ChildJob]


def connected_job(
    make: MakeJob,
    arguments: list[str],
    owner: QObject,
    reported: Callable[[dict[str, Any]], None],
    ended: Callable[[Fault | None], None],
) -> ChildJob:
    """Make a job that will tell two slots of its owner what it reports and how it ended.

    The owner keeps it before it starts it: a process that cannot start ends at once.
    """
    job = make(arguments, owner)
    job.reported.connect(reported)
    job.ended.connect(ended)
    return job
