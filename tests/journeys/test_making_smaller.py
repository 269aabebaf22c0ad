"""A smaller copy by the page, with the real process: made, killed in the middle, compared, used."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import psutil
import pytest
import torch
import tqdm

from app.chat.shrinking import ShrinkPhase
from app.ui.smaller.options import CUSTOM
from engine.library.partial_copies import partial_folder
from tests.journeys.conftest import Person
from tests.journeys.desk import WORK_MS, Desk, ours, theirs, write_folder, write_text

LAYERS = 4


def workers() -> list[psutil.Process]:
    """The processes that make a copy now."""
    children = psutil.Process().children(recursive=True)
    return [one for one in children if "quantize" in one.cmdline()]


def test_the_starter_becomes_a_4_bit_copy_that_is_reported_and_answers(
    person: Person, shelf: Path, tmp_path: Path
) -> None:
    person.start(shelf)
    desk = Desk(person)
    desk.choose(shelf)
    desk.read_own(write_text(tmp_path / "own words 字.txt"))
    copy = desk.start(CUSTOM)
    desk.reach(ShrinkPhase.DONE)
    report = desk.work.state.report
    assert 0 < report["likeness"]["divergence"] < 0.5
    assert 0.6 < report["likeness"]["same_top"] < 1
    assert len(report["errors"]) == 30
    assert f"{report['likeness']['divergence']:.3f}" in desk.shown()
    assert "Paris" in desk.use(copy)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="a kill is a signal elsewhere")
def test_a_copy_whose_process_is_killed_goes_on_and_is_the_same_in_transformers(
    person: Person, shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tqdm.tqdm, "monitor_interval", 0)  # transformers' bar has a thread
    person.start(shelf)
    desk = Desk(person)
    desk.choose(write_folder(shelf, tmp_path / "first layers 層", LAYERS))
    desk.read_own(write_text(tmp_path / "own words 字.txt"))
    copy = desk.start(CUSTOM)
    person.wait(lambda: desk.work.state.stage == "rounding" and desk.work.state.done >= 1, WORK_MS)
    (worker,) = workers()
    os.kill(worker.pid, signal.SIGKILL)
    desk.reach(ShrinkPhase.FAILED)
    said = desk.shown()
    assert "The work was ended from outside" in said
    assert "kept." in said
    done = {file: file.stat().st_mtime_ns for file in partial_folder(copy).glob("model-*")}
    assert done
    assert not copy.exists()
    desk.page.work.resume.click()
    desk.reach(ShrinkPhase.DONE)
    again = {copy / file.name: when for file, when in done.items()}
    assert {file: file.stat().st_mtime_ns for file in again} == again
    assert desk.work.state.report["likeness"]["tokens"] > 100
    assert torch.allclose(ours(copy), theirs(copy), atol=2e-3)
    assert desk.use(copy)
