"""What is read of this computer, on this computer, and on files that look like another's."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from engine.library.advice import surroundings
from engine.library.advice.facts import Disk
from engine.library.advice.surroundings import (
    begin_look,
    disk_of,
    end_look,
    is_saving,
    stalled_share,
)


def spun(seconds: float) -> float:
    """Compute for so long, on this thread."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
    return time.process_time()


def test_the_computer_is_read_and_plausible() -> None:
    begun = begin_look()
    seen = end_look(begun)
    assert 1 <= seen.cores <= (os.cpu_count() or 1)
    assert 0 < seen.free < seen.memory == psutil.virtual_memory().total
    assert 0 <= seen.others <= 1
    assert seen.largest
    assert [p.held for p in seen.largest] == sorted((p.held for p in seen.largest), reverse=True)


def test_what_this_program_computes_is_not_counted_as_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All cores are told to be as busy as this process: then others use nothing, however busy."""
    own = psutil.Process()

    def busy() -> float:
        spent = own.cpu_times()
        return float(spent.user + spent.system)

    monkeypatch.setattr(surroundings, "_busy_s", busy)
    begun = begin_look()
    spun(0.3)
    assert end_look(begun).others < 0.05


def test_a_process_of_another_program_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A real process that computes, which is told to be none of ours."""
    monkeypatch.setattr(surroundings, "_children", lambda pid: [])
    other = subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"])
    try:
        seen = psutil.Process(other.pid)
        begun = begin_look()
        before = seen.cpu_times().user
        while seen.cpu_times().user - before < 0.3:
            time.sleep(0.02)
        assert end_look(begun).others > 0
    finally:
        other.kill()
        other.wait()


def test_a_process_of_ours_that_ended_is_not_blamed_on_others() -> None:
    child = subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE)
    begun = begin_look()
    assert child.pid in begun.own_s
    child.communicate(b"\n")
    assert end_look(begun).others == 0.0


def test_waiting_for_memory_is_read_from_the_kernels_own_file(tmp_path: Path) -> None:
    file = tmp_path / "memory"
    file.write_text(
        "some avg10=23.45 avg60=1.00 avg300=0.10 total=1\n"
        "full avg10=9.00 avg60=0.00 avg300=0.00 total=1\n"
    )
    assert stalled_share(file) == pytest.approx(0.2345)
    file.write_text("nonsense")
    assert stalled_share(file) == 0.0
    assert stalled_share(tmp_path / "none") == 0.0


def test_power_saving_is_the_systems_word(tmp_path: Path) -> None:
    file = tmp_path / "platform_profile"
    assert not is_saving(file)
    for word, saves in (("low-power\n", True), ("balanced\n", False), ("performance\n", False)):
        file.write_text(word)
        assert is_saving(file) is saves


def test_a_turning_disk_is_told_from_one_that_does_not(tmp_path: Path) -> None:
    model = tmp_path / "model.gguf"
    model.touch()
    device = model.stat().st_dev
    block = tmp_path / f"sys/dev/block/{os.major(device)}:{os.minor(device)}"
    (block / "queue").mkdir(parents=True)
    for word, kind in (("1\n", Disk.TURNING), ("0\n", Disk.FAST)):
        (block / "queue/rotational").write_text(word)
        assert disk_of(model, tmp_path) is kind
    assert disk_of(tmp_path / "gone", tmp_path) is Disk.FAST


def test_a_disk_of_the_network_is_known_by_its_file_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Part:
        mountpoint, fstype = str(tmp_path), "nfs4"

    monkeypatch.setattr(psutil, "disk_partitions", lambda all: [Part()])
    model = tmp_path / "model.gguf"
    model.touch()
    assert disk_of(model) is Disk.NETWORK
