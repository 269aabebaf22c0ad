"""One download of the queue while the program runs. The queue's lock guards it."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

from engine.contract import Fault, FaultKind
from engine.library.downloads.order import DownloadState, Order, Phase, WantedFile
from engine.library.downloads.pace import RateMeter
from engine.library.downloads.record import Record
from engine.library.downloads.wire import Wire

_REFUSALS = {FaultKind.TOKEN_NEEDED, FaultKind.ACCESS_REFUSED}


class Entry:
    """An order, which of its files are left, and how many bytes came."""

    def __init__(self, state: DownloadState) -> None:
        self.order, self.phase = state.order, state.phase
        self.todo: list[WantedFile] = []
        self.busy: set[WantedFile] = set()
        self.wires: set[Wire] = set()
        self.is_removed = False
        self._kept = state
        self._done: dict[str, int] = {}
        self._total: dict[str, int] = {}
        self._meter = RateMeter()

    @classmethod
    def begun(cls, order: Order, record: Record) -> Entry:
        """A new download; what an earlier one left counts."""
        entry = cls(DownloadState(order, Phase.WAITING))
        entry.wait(record)
        return entry

    @classmethod
    def restored(cls, state: DownloadState, record: Record) -> Entry:
        """A download as the last program left it; one that ran waits."""
        entry = cls(state)
        if state.phase is not Phase.FINISHED:
            phase = state.phase
            entry.wait(record)
            if phase not in {Phase.WAITING, Phase.RUNNING}:
                entry.phase = phase
                entry._kept = replace(entry._kept, fault=state.fault)
        return entry

    @property
    def is_wanted(self) -> bool:
        """Whether its files are to be fetched."""
        return self.phase in {Phase.WAITING, Phase.RUNNING}

    @property
    def missing(self) -> int:
        """Bytes that are still to come, as far as they are known."""
        return max(0, self._whole() - sum(self._done.values()))

    def wait(self, record: Record) -> None:
        """Stand in the queue with every file that is not being fetched."""
        self.phase = Phase.WAITING
        self._kept = replace(self._kept, fault=None)
        self.todo = [file for file in self.order.files if file not in self.busy]
        self._done = {file.path: record.here(self.order, file) for file in self.order.files}

    def begin(self) -> WantedFile:
        """Take the next file."""
        self.phase = Phase.RUNNING
        file = self.todo.pop(0)
        self.busy.add(file)
        return file

    def count(self, file: WantedFile, done: int, total: int, now: float) -> None:
        """Note a file's bytes."""
        self._done[file.path], self._total[file.path] = done, total
        self._meter.count(sum(self._done.values()), now)

    def end(self, file: WantedFile, *, left: bool) -> None:
        """Give a file back; ``left``: it is not whole."""
        self.busy.discard(file)
        if left and file not in self.todo:
            self.todo.insert(0, file)

    def stop(self, phase: Phase) -> None:
        """Fetch no more of it."""
        if self.phase is not Phase.FINISHED:
            self.phase = phase
        self.cut()

    def cut(self) -> None:
        """End the waits of its threads."""
        for wire in tuple(self.wires):
            wire.cut()

    def fail(self, fault: Fault) -> None:
        """Stop with a reason; a refusal names the page where terms are accepted, not the file."""
        self.stop(Phase.FAILED)
        if fault.kind in _REFUSALS and self.order.page:
            fault = Fault(fault.kind, {**fault.figures, "address": self.order.page})
        self._kept = replace(self._kept, fault=fault)

    def complete(self, path: Path) -> None:
        """It lies in its place."""
        self.phase, self.todo = Phase.FINISHED, []
        verified = all(file.is_verifiable for file in self.order.files)
        total = self._whole() or sum(self._done.values())
        self._kept = replace(
            self._kept, path=str(path), verified=verified, ended=time.time(), total=total
        )

    def state(self, now: float) -> DownloadState:
        """How far it is."""
        if self.phase is Phase.FINISHED:
            total = self._kept.total
            return replace(self._kept, phase=self.phase, done=total)
        done, total = sum(self._done.values()), self._whole()
        rate = self._meter.rate(now) if self.phase is Phase.RUNNING else 0.0
        return replace(
            self._kept,
            phase=self.phase,
            done=done,
            total=total,
            rate=rate,
            seconds_left=(total - done) / rate if rate and total else 0.0,
            verifying=self.phase is Phase.RUNNING and 0 < total <= done,
        )

    def _whole(self) -> int:
        sizes = [file.size or self._total.get(file.path, 0) for file in self.order.files]
        return sum(sizes) if all(sizes) else 0
