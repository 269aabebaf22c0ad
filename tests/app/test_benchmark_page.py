"""The benchmark page in the whole window, with jobs that answer at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QLabel, QMenu, QScrollArea

from app.application import Application
from app.chat.benchmarking import Benchmarking, thread_choices
from app.chat.child_job import ChildJob
from app.ui.benchmark.writing_chart import WritingChart
from engine.contract import Fault, FaultKind
from tests.app.conftest import Program, Shelves
from tests.app.test_application import ask
from tests.app.test_legible import lasting_troubles
from tests.doubles.engines import Reply, ScriptedRunner

MOST = thread_choices()[0]


class Job(ChildJob):
    """A job that runs no process: the test says what it reports."""

    made: list[Job]

    def __init__(self, arguments: list[str], parent: QObject) -> None:
        super().__init__(arguments, parent)
        self.arguments, self.stops = arguments, 0
        self.made.append(self)

    def start(self) -> None:
        """Run nothing."""

    def stop(self) -> None:
        self.stops += 1
        self.ended.emit(None)


def rate(median: float) -> dict[str, Any]:
    return {"median": median, "least": median, "most": median, "rounds": [median]}


def measured(path: str, decode: float) -> dict[str, Any]:
    ours = {
        "load_s": 1.5, "prefill": rate(120.0), "decode": rate(decode), "peak_bytes": 3 * 10**9,
        "time_to_first_token_cold_s": 0.4, "time_to_first_token_second_turn_s": 0.1,
    }  # fmt: skip
    return {
        "event": "measured", "model": path, "device": "cpu", "processor": "AVX2",
        "threads": MOST, "ours": ours, "file_bytes": 10**9,
        "read_bytes_per_second": 30e9, "decode_bytes_per_token": 10**9,
    }  # fmt: skip


def with_jobs(bench: Benchmarking) -> list[Job]:
    Job.made = []
    bench._make_job = Job
    return Job.made


def test_models_are_measured_one_after_the_other_and_drawn(
    program: Program, shelves: Shelves
) -> None:
    paths = [shelves.add("Alder"), shelves.add("Birch")]
    window = program.start()
    jobs = with_jobs(window.benchmarking)
    window.window.parts.sidebar.page_requested.emit("benchmark")
    page = window.window.parts.benchmark
    assert page.isVisible()
    assert not page.save.isEnabled()
    page.run.click()
    assert [job.arguments[1] for job in jobs] == [str(paths[0])]
    assert jobs[0].arguments[0] == "bench"
    assert "--events" in jobs[0].arguments
    jobs[0].reported.emit({"event": "progress", "stage": "reading", "done": 1, "total": 4})
    assert "Alder: reading the model (1 of 2)" in page._strip.said.text()
    jobs[0].reported.emit(measured(str(paths[0]), 24.0))
    jobs[0].ended.emit(None)
    jobs[1].ended.emit(
        Fault(FaultKind.MEMORY_SHORT, {"needed": 9 * 10**9, "free": 10**9, "context": 8192})
    )
    assert window.benchmarking.now is None
    assert page._failed.text().startswith("Birch: ")
    chart = page.findChild(WritingChart)
    assert chart is not None
    assert "Alder writes 24.0 tokens a second, 80 %" in chart.accessibleDescription()
    assert "30.0 GB/s" in page.facts.speed.text()
    assert page.save.isEnabled()
    assert (window.benchmarks.last_run or window).models == 1  # type: ignore[union-attr]


def test_stop_keeps_what_was_measured_and_begins_no_other(
    program: Program, shelves: Shelves
) -> None:
    shelves.add("Alder"), shelves.add("Birch")
    window = program.start()
    jobs = with_jobs(window.benchmarking)
    window.window.show_page("benchmark")
    page = window.window.parts.benchmark
    page.run.click()
    page.run.click()
    assert jobs[0].stops == 1
    assert len(jobs) == 1
    assert window.benchmarking.now is None
    assert page.run.text().strip() == "Measure"


def test_a_model_that_is_left_out_is_not_measured(program: Program, shelves: Shelves) -> None:
    paths = [shelves.add("Alder"), shelves.add("Birch")]
    window = program.start()
    jobs = with_jobs(window.benchmarking)
    window.window.show_page("benchmark")
    page = window.window.parts.benchmark
    page._set_chosen(str(paths[0]), chosen=False)
    page.run.click()
    assert [job.arguments[1] for job in jobs] == [str(paths[1])]


def test_results_are_saved_as_the_file_is_named(
    program: Program, shelves: Shelves, tmp_path: Path
) -> None:
    path = shelves.add("Alder")
    window = program.start()
    jobs = with_jobs(window.benchmarking)
    window.window.show_page("benchmark")
    window.window.parts.benchmark.run.click()
    jobs[0].reported.emit(measured(str(path), 24.0))
    jobs[0].ended.emit(None)
    speeds = window.benchmarks.speeds()
    for name, begin in (("r.csv", "path,name"), ("r.json", "[")):
        window.benchmark_on_screen.write(speeds, tmp_path / name)
        program.qtbot.waitUntil((tmp_path / name).exists)
        assert (tmp_path / name).read_text("utf-8").startswith(begin)
    window.benchmark_on_screen.write(speeds, tmp_path / "r.csv" / "inside a file.csv")
    program.qtbot.waitUntil(lambda: "was not saved" in _said(window))


def test_all_models_are_held_against_one_memory(program: Program, shelves: Shelves) -> None:
    """What else ran makes the memory look slower in one run: the fastest is believed for all."""
    paths = [shelves.add("Alder"), shelves.add("Birch")]
    window = program.start()
    jobs = with_jobs(window.benchmarking)
    window.window.show_page("benchmark")
    page = window.window.parts.benchmark
    page.run.click()
    jobs[0].reported.emit(measured(str(paths[0]), 24.0))
    jobs[0].ended.emit(None)
    jobs[1].reported.emit(measured(str(paths[1]), 12.0) | {"read_bytes_per_second": 15e9})
    jobs[1].ended.emit(None)
    chart = page.findChild(WritingChart)
    assert chart is not None
    assert "Birch writes 12.0 tokens a second, 40 %" in chart.accessibleDescription()
    assert {speed.bandwidth for speed in window.benchmarks.speeds()} == {30e9, 15e9}  # as saved


def test_the_bar_counts_all_models_and_never_goes_back(program: Program, shelves: Shelves) -> None:
    shelves.add("Alder"), shelves.add("Birch")
    window = program.start()
    jobs = with_jobs(window.benchmarking)
    window.window.show_page("benchmark")
    page = window.window.parts.benchmark
    page.run.click()
    seen = []
    for job in (0, 1):
        for stage, done in (("starting", 6), ("compiling", 5), ("reading", 1), ("measuring", 3)):
            line = {"event": "progress", "stage": stage, "done": done, "total": 6}
            jobs[job].reported.emit(line)
            seen.append(page._strip.bar.value())
        jobs[job].ended.emit(None)
    assert seen == sorted(seen)
    assert 0 < seen[3] < 500 < seen[7] < 1000
    page.run.click()
    assert page._strip.bar.value() == 0


def test_what_broke_off_says_what_to_do(program: Program, shelves: Shelves) -> None:
    shelves.add("Alder"), shelves.add("Birch")
    window = program.start()
    jobs = with_jobs(window.benchmarking)
    window.window.show_page("benchmark")
    page = window.window.parts.benchmark
    page.run.click()
    jobs[0]._killed = True
    jobs[0].ended.emit(Fault(FaultKind.INTERNAL, {"detail": "ended with status 9"}))
    jobs[1].ended.emit(Fault(FaultKind.INTERNAL, {"detail": "no such thing"}))
    alder, birch = page._failed.text().split("\n")
    assert "ended from outside" in alder
    assert "status 9" not in alder
    assert "Measure it again" in birch
    assert "no such thing" in birch


def test_a_run_that_ends_while_another_page_is_open_says_so(
    program: Program, shelves: Shelves
) -> None:
    path = shelves.add("Alder")
    window = program.start()
    jobs = with_jobs(window.benchmarking)
    window.window.show_page("benchmark")
    window.window.parts.benchmark.run.click()
    window.window.show_page("models")
    jobs[0].reported.emit(measured(str(path), 24.0))
    jobs[0].ended.emit(None)
    assert "1 model is measured." in _said(window)
    window.window.show_page("benchmark")
    shown = window.window.notices.keys()
    assert "benchmark" not in shown


def test_without_a_model_it_leads_to_one(program: Program) -> None:
    window = program.start()
    window.window.show_page("benchmark")
    page = window.window.parts.benchmark
    program.qtbot.waitUntil(page.add.isVisible)
    assert not page.run.isEnabled()
    page.add.click()
    assert window.window.page == "add_model"


def test_it_says_why_nothing_can_be_measured(program: Program, shelves: Shelves) -> None:
    path = shelves.add("Alder")
    window = program.start()
    window.window.show_page("benchmark")
    page = window.window.parts.benchmark
    page._set_chosen(str(path), chosen=False)
    assert "No model is chosen" in page._hint.text()
    page._set_chosen(str(path), chosen=True)
    assert page._hint.isHidden()


def test_models_are_compared_with_llama_cpp_where_it_is(
    program: Program, shelves: Shelves, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = shelves.add("Alder")
    window = program.start()
    jobs = with_jobs(window.benchmarking)
    monkeypatch.setattr("app.ui.benchmark.against.has_peer", lambda: False)
    window.window.show_page("benchmark")
    page = window.window.parts.benchmark
    menu = QMenu(page)
    assert page._against.offer(menu).text() == "Compare with llama.cpp: where is it?"
    page._against.take(tmp_path)
    assert page._hint.text().startswith("No llama-cpp-python in")
    packages = tmp_path / "venv" / "lib" / "python3.11" / "site-packages"
    (packages / "llama_cpp").mkdir(parents=True)
    page._against.take(tmp_path / "venv")
    assert page._against.offer(menu).isChecked()
    page.run.click()
    assert jobs[0].arguments[-4:] == ["--against", "llama.cpp", "--peer", str(packages)]
    peers = [
        {"decode": rate(8.0), "prefill": rate(60.0)},
        {"decode": rate(12.0), "prefill": rate(40.0)},
    ]
    jobs[0].reported.emit(measured(str(path), 24.0) | {"peers": peers})
    jobs[0].ended.emit(None)
    (speed,) = window.benchmarks.speeds()
    assert (speed.peer_decode, speed.peer_prefill) == (12.0, 60.0)
    chart = page.findChild(WritingChart)
    assert chart is not None
    assert "llama.cpp reaches 12.0." in chart.accessibleDescription()
    assert page._peer_key.isVisible()


def test_an_answer_that_was_written_meanwhile_is_told(program: Program, shelves: Shelves) -> None:
    shelves.add("Alder")
    running = program.start_ready(ScriptedRunner([Reply("Word " * 40, endless=True)]))
    jobs = with_jobs(running.benchmarking)
    ask(running, "question")
    session = running.window.parts.chat.session
    assert session is not None
    program.qtbot.waitUntil(lambda: session.state.busy)
    running.window.show_page("benchmark")
    page = running.window.parts.benchmark
    page.run.click()
    session.stop()
    program.qtbot.waitUntil(lambda: not session.state.busy)
    jobs[-1].ended.emit(None)
    while running.benchmarking.now is not None:
        jobs[-1].ended.emit(None)
    assert page._hint.text().startswith("An answer was written meanwhile")
    page.run.click()
    assert page._hint.isHidden()


def test_without_a_wish_nothing_is_compared(program: Program, shelves: Shelves) -> None:
    shelves.add("Alder")
    window = program.start()
    jobs = with_jobs(window.benchmarking)
    window.window.show_page("benchmark")
    window.window.parts.benchmark.run.click()
    assert "--against" not in jobs[0].arguments
    assert window.window.parts.benchmark._peer_key.isHidden()


@pytest.mark.parametrize("code", ["en", "zh_CN"])
@pytest.mark.parametrize("scale", [0.8, 1.6])
def test_figures_are_not_cut_off_in_a_narrow_window(
    program: Program, shelves: Shelves, code: str, scale: float
) -> None:
    path = shelves.add("Alder")
    window = program.start()
    jobs = with_jobs(window.benchmarking)
    window.window.show_page("benchmark")
    page = window.window.parts.benchmark
    page.run.click()
    jobs[0].reported.emit(measured(str(path), 24.0))
    jobs[0].ended.emit(None)
    page.facts.show_surroundings(("NVIDIA GeForce RTX 4090",), plugged=False)
    window.settings.change(language=code, text_scale=scale)
    for name in ("language", "text_scale"):
        window.settings_on_screen._on_changed(name)
    for size in ((720, 560), (1280, 832)):
        window.window.resize(*size)
        assert lasting_troubles(page) == set()
        scroll = page.findChild(QScrollArea)
        assert scroll is not None
        assert scroll.horizontalScrollBar().maximum() == 0


def _said(window: Application) -> str:
    return " ".join(label.text() for label in window.window.notices.findChildren(QLabel))
