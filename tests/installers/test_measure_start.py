"""The measurement of starts, as far as it needs no screen."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from installers import measure_start

SCRIPT = Path(measure_start.__file__)


def test_it_uses_the_standard_library_only() -> None:
    command = [sys.executable, "-I", "-S", str(SCRIPT), "--help"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "--cold" in ran.stdout


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="Linux tells it in /proc")
def test_what_a_process_used_is_read_whatever_its_name(tmp_path: Path) -> None:
    odd = tmp_path / "a (b) 1 2"
    odd.symlink_to(sys.executable)
    code = "import time\nwhile time.process_time() < 0.2: pass\nprint(flush=True); input()"
    with subprocess.Popen(
        [odd, "-I", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as program:
        assert program.stdout is not None
        program.stdout.readline()
        assert 0.15 < measure_start.process_seconds(program.pid) < 60
        program.kill()


def test_files_are_whole_after_they_left_the_cache(tmp_path: Path) -> None:
    file = tmp_path / "inside" / "file"
    file.parent.mkdir()
    file.write_bytes(os.urandom(100_000))
    before = file.read_bytes()
    (tmp_path / "link").symlink_to("nowhere")
    measure_start.evict(tmp_path)
    assert file.read_bytes() == before


def test_the_runs_are_told_by_median_and_range(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seen = [(9.0, 9.0), (1.0, 0.5), (3.0, 0.7), (2.0, 0.6)]
    monkeypatch.setattr(measure_start, "start_once", lambda *_: seen.pop(0))
    monkeypatch.setattr(measure_start, "screen", lambda: nullcontext(":1"))
    assert measure_start.main(["--runs", "3", "--", "program", "--option"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said == ["wall 2.00 s (1.00 to 3.00)", "process 0.60 s (0.50 to 0.70)"]
