"""This computer is measured once a run, and what was found outlives it."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication

from app.chat.measuring import Machine, Measuring
from app.store.benchmarks import Benchmarks
from app.store.worker import InlineWorker
from engine.contract import Fault, FaultKind

TOLD = {"event": "machine", "cores": 8, "instructions": "AVX2", "gpus": [], "bandwidth": 38.6e9}


class Child(QObject):
    """A job that tells what it is told to."""

    reported = Signal(object)
    ended = Signal(object)
    started: list[Child]

    def __init__(self, arguments: list[str], parent: QObject | None = None) -> None:
        super().__init__(parent)
        assert arguments == ["machine", "--events"]

    def start(self) -> None:
        self.started.append(self)

    def close(self) -> None:
        pass


@pytest.fixture(autouse=True)
def children(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> list[Child]:
    monkeypatch.setattr("app.chat.measuring.ChildJob", Child)
    monkeypatch.setattr(Child, "started", [], raising=False)
    return Child.started


def benchmarks(folder: Path) -> Benchmarks:
    return Benchmarks(folder / "benchmarks.json", InlineWorker())


def test_it_is_measured_once_and_again_when_asked(tmp_path: Path, children: list[Child]) -> None:
    measuring = Measuring(benchmarks(tmp_path))
    measuring.begin()
    measuring.begin()
    measuring.begin_again()  # while it runs
    (child,) = children
    child.reported.emit(TOLD)
    child.ended.emit(None)
    assert measuring.machine == Machine(8, "AVX2", (), 38.6e9)
    measuring.begin()
    assert len(children) == 1
    measuring.begin_again()
    assert len(children) == 2
    children[1].reported.emit(TOLD | {"bandwidth": 5e9})
    assert measuring.bandwidth == 38.6e9


def test_a_later_run_knows_it_before_it_measures(tmp_path: Path, children: list[Child]) -> None:
    first = Measuring(benchmarks(tmp_path))
    first.begin()
    children[0].reported.emit(TOLD)
    assert Measuring(benchmarks(tmp_path)).machine == Machine(bandwidth=38.6e9)


def test_a_failed_measurement_is_no_end(tmp_path: Path, children: list[Child]) -> None:
    measuring = Measuring(benchmarks(tmp_path))
    measuring.begin()
    children[0].ended.emit(Fault(FaultKind.INTERNAL, {"detail": "?"}))
    assert measuring.machine.failed
    measuring.begin_again()
    assert not measuring.machine.failed
    children[1].reported.emit(TOLD)
    assert measuring.machine.cores == 8


def test_where_it_may_not_measure_it_tells_what_is_known(
    tmp_path: Path, children: list[Child]
) -> None:
    kept = benchmarks(tmp_path)
    kept.keep_bandwidth(1e9)
    measuring = Measuring(kept, allowed=False)
    measuring.begin()
    assert children == []
    assert measuring.bandwidth == 1e9
