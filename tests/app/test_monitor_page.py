"""The monitor in the whole window: who is counted, when the load is asked for, what is saved."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from app.application import Application
from app.store.monitor import Measured
from engine.contract import CountTokens, Failed, Fault, FaultKind, Message, Role
from engine.library.gpu_load import GpuLoad
from engine.server import RequestRecord
from tests.app.conftest import Program
from tests.app.test_application import ask, await_reply
from tests.doubles.engines import Reply, ScriptedRunner


def recorded(running: Application, record: RequestRecord) -> None:
    running.serving._told.emit(record)


def kept(running: Application) -> list[Measured]:
    return running.monitoring.log.kept


def test_a_reply_of_the_window_is_counted_and_drawn(program: Program) -> None:
    running = program.start_ready(ScriptedRunner([Reply("One two three.")]))
    ask(running, "question")
    await_reply(program, running, 2)
    program.qtbot.waitUntil(lambda: bool(kept(running)))
    first = kept(running)[0]
    assert (first.asker, first.model) == ("window", "SmolLM2-135M-Instruct")
    assert first.generated_tokens > 0
    assert first.processor is not None
    assert not any("question" in str(each) for each in kept(running))
    running.window.show_page("monitor")
    page = running.window.parts.monitor
    assert page.charts.of["first"].drawn[0][0] == (first.at, first.first_token_s)
    assert "weights" in page.figures["memory"].text()
    assert page.figures["first"].text() != "–"


def test_a_failure_is_counted_as_one(program: Program) -> None:
    broken = Reply("half", fault=Fault(FaultKind.INTERNAL, {"detail": "x"}))
    running = program.start_ready(ScriptedRunner([broken]))
    ask(running, "question")
    program.qtbot.waitUntil(lambda: bool(kept(running)))
    assert (kept(running)[0].fault, kept(running)[0].failed) == ("internal", 1)
    running.window.show_page("monitor")
    page = running.window.parts.monitor
    assert page.charts.of["speed"].drawn == (((kept(running)[0].at, None),),)
    assert "failed 1" in page.figures["requests"].text()


def test_a_load_or_a_count_that_fails_is_no_request(program: Program) -> None:
    runner = ScriptedRunner([Reply("One.")])
    runner.uncountable = "much"
    running = program.start_ready(runner)
    failed: list[Failed] = []
    running.bridge.received.connect(
        lambda event: failed.append(event) if isinstance(event, Failed) else None
    )
    running.bridge.submit(CountTokens(running.bridge.next_request(), (Message(Role.USER, "much"),)))
    program.qtbot.waitUntil(lambda: len(failed) == 1)
    ask(running, "question")
    program.qtbot.waitUntil(lambda: bool(kept(running)))
    assert [each.failed for each in kept(running)] == [0]


def test_the_server_s_requests_are_counted_but_no_look_ups_and_no_client_that_left(
    program: Program,
) -> None:
    running = program.start_ready()
    good = RequestRecord(1.0, "/v1/chat/completions", 200, 2.0, True, False, 40, 10, 20, 0.5, 10.0)
    for record in (
        good,
        RequestRecord(2.0, "/v1/models"),
        RequestRecord(3.0, "/v1/chat/completions", 429),
        RequestRecord(4.0, "/v1/chat/completions", 499, generated_tokens=3),
    ):
        recorded(running, record)
    program.qtbot.waitUntil(lambda: len(kept(running)) == 3)
    assert [(each.asker, each.fault) for each in kept(running)] == [
        ("server", ""), ("server", "429"), ("server", "")
    ]  # fmt: skip
    assert kept(running)[0].tokens_per_second == pytest.approx(10)
    assert kept(running)[0].reuse == 0.25


def test_gpus_have_a_row_and_a_chart_only_where_they_are(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = program.start_ready(ScriptedRunner([Reply("One."), Reply("Two.")]))
    watch = running.monitoring._gpus
    monkeypatch.setattr(watch, "_read", tuple)
    running.window.show_page("monitor")
    page = running.window.parts.monitor
    program.qtbot.waitUntil(lambda: watch._is_absent)
    page.show_figures()
    assert "gpu" not in page.figures
    assert "gpu" not in page.charts.of

    gpus = (GpuLoad("NVIDIA T4", 0.37, 2_500_000_000, 16_000_000_000), GpuLoad("B", 0.1, 1, 2))
    monkeypatch.setattr(watch, "_read", lambda: gpus)
    watch._is_absent = False
    running.monitoring._timer.setInterval(10)
    program.qtbot.waitUntil(lambda: "gpu" in page.charts.of)
    program.qtbot.waitUntil(page.figures["gpu"].isVisible)  # what is added shows a moment later
    program.qtbot.waitUntil(page.charts.of["gpu"].isVisible)
    assert page.figures["gpu"].text().splitlines()[0] == "NVIDIA T4: 37 %, 2.50 GB of 16.0 GB"
    assert page.charts.of["gpu"].drawn[0][-1][1] == 0.37
    ask(running, "question")
    program.qtbot.waitUntil(lambda: bool(kept(running)))
    assert (kept(running)[0].gpu, kept(running)[0].gpu_bytes) == (0.37, 2_500_000_001)


def test_the_load_is_sampled_only_while_somebody_looks(program: Program) -> None:
    running = program.start_ready()
    timer = running.monitoring._timer
    timer.setInterval(10)
    assert not timer.isActive()
    running.window.show_page("monitor")
    program.qtbot.waitUntil(lambda: len(running.monitoring.samples) > 1)
    sample = running.monitoring.samples[-1]
    assert 0 <= sample.processor <= 1
    assert sample.used > 0
    running.window.show_page("chat")
    assert not timer.isActive()


def test_figures_are_saved_by_the_file_s_ending(program: Program, tmp_path: Path) -> None:
    running = program.start_ready()
    running.window.show_page("monitor")
    page = running.window.parts.monitor
    assert not page.save.isEnabled()
    recorded(running, RequestRecord(1.0, "/v1/completions", 500))
    program.qtbot.waitUntil(page.save.isEnabled)
    for name in ("figures.csv", "figures.JSON"):
        running.monitor_on_screen.write(tmp_path / name)
        program.qtbot.waitUntil((tmp_path / name).exists)
    with (tmp_path / "figures.csv").open(encoding="utf-8", newline="") as file:
        assert [row["fault"] for row in csv.DictReader(file)] == ["500"]
    assert json.loads((tmp_path / "figures.JSON").read_text("utf-8"))[0]["asker"] == "server"


def test_older_requests_show_when_more_time_is_wanted(program: Program) -> None:
    running = program.start_ready()
    kept(running).append(Measured(1_000.0, "window", "A", 0.5, 0.1))
    running.window.show_page("monitor")
    page = running.window.parts.monitor
    assert page.charts.of["speed"].accessibleDescription() == "Nothing measured yet"
    page.span.show_value("all")
    page.span.chosen.emit("all")
    assert page.charts.of["speed"].drawn == (((1_000.0, 10.0),),)
    assert page.charts.of["speed"].accessibleDescription().startswith("Latest 10.0")
