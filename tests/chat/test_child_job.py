"""A long job: the engine's own command line in a process of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.chat import child_job
from app.chat.child_job import ChildJob
from engine.contract import Fault, FaultKind


class Heard:
    """What a job reported, and how it ended."""

    def __init__(self, job: ChildJob) -> None:
        self.lines: list[dict[str, Any]] = []
        self.ends: list[Fault | None] = []
        job.reported.connect(self.lines.append)
        job.ended.connect(self.ends.append)


def running(code: str, monkeypatch: pytest.MonkeyPatch) -> tuple[ChildJob, Heard]:
    """Start a job that is a Python program of the test's."""
    python = child_job.job_program()[0]
    monkeypatch.setattr(child_job, "job_program", lambda *_: [python, "-c", code])
    job = ChildJob([])
    heard = Heard(job)
    job.start()
    return job, heard


def test_a_named_fault_of_the_real_command_line_arrives_by_name(
    qtbot: QtBot, tmp_path: Path
) -> None:
    job = ChildJob(["bench", str(tmp_path / "none.gguf"), "--events"])
    heard = Heard(job)
    with qtbot.waitSignal(job.ended, timeout=30_000):
        job.start()
    [fault] = heard.ends
    assert fault is not None
    assert fault.kind is FaultKind.FILE_MISSING
    assert fault.figures == {"path": str(tmp_path / "none.gguf")}


def test_lines_arrive_one_by_one_and_what_is_no_event_is_passed_over(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = (
        "print('a library says hello'); print('[1]');"
        """print('{"event": "progress", "done": 1}')"""
    )
    _, heard = running(code, monkeypatch)
    qtbot.waitUntil(lambda: bool(heard.ends), timeout=10_000)
    assert heard.lines == [{"event": "progress", "done": 1}]
    assert heard.ends == [None]


def test_a_crash_ends_with_what_the_process_said_last(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, heard = running("raise SystemExit('out of ink')", monkeypatch)
    qtbot.waitUntil(lambda: bool(heard.ends), timeout=10_000)
    assert heard.ends == [Fault(FaultKind.INTERNAL, {"detail": "out of ink"})]


def test_a_stopped_job_ends_without_a_fault(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "print('{}', flush=True); import time; time.sleep(60)"
    job, heard = running(code, monkeypatch)
    qtbot.waitUntil(lambda: bool(heard.lines), timeout=10_000)
    job.stop()
    qtbot.waitUntil(lambda: bool(heard.ends), timeout=10_000)
    assert heard.ends == [None]
    assert job.is_stopping


def test_a_program_that_is_not_there_is_told(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child_job, "job_program", lambda *_: ["/nowhere/python"])
    job = ChildJob([])
    heard = Heard(job)
    job.start()
    qtbot.waitUntil(lambda: bool(heard.ends), timeout=10_000)
    assert heard.ends[0] is not None
    assert heard.ends[0].kind is FaultKind.INTERNAL


def test_closing_ends_the_process_and_says_nothing_more(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "print('{}', flush=True); import time; time.sleep(60)"
    job, heard = running(code, monkeypatch)
    qtbot.waitUntil(lambda: bool(heard.lines), timeout=10_000)
    job.close()
    assert heard.ends == []


def test_a_text_arrives_on_its_standard_input_and_not_in_its_arguments(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = (
        "import json, sys; text = sys.stdin.buffer.read().decode();"
        "print(json.dumps({'event': 'heard', 'text': text, 'arguments': sys.argv}))"
    )
    python = child_job.job_program()[0]
    monkeypatch.setattr(child_job, "job_program", lambda *_: [python, "-c", code])
    job = ChildJob([])
    heard = Heard(job)
    job.feed("为什么？\nWhy?")
    job.start()
    qtbot.waitUntil(lambda: bool(heard.ends), timeout=10_000)
    assert heard.lines == [{"event": "heard", "text": "为什么？\nWhy?", "arguments": ["-c"]}]
