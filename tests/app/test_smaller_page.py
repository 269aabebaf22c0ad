"""The page of smaller copies in the whole window, with jobs that do what the test says."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel

from app.application import Application
from app.chat.child_job import ChildJob
from app.chat.shrinking import ShrinkPhase
from engine.contract import Fault, FaultKind
from engine.library.partial_copies import partial_folder
from engine.library.scan import Found
from engine.library.smaller import read_shape
from tests.app.conftest import Program
from tests.app.test_application import ask
from tests.quantization.folders import write_folder
from tests.scenes_smaller import REPORT


class Job(ChildJob):
    """A job that runs no process: the test says what it reports."""

    made: list[Job]

    def __init__(self, arguments: list[str], parent: QObject) -> None:
        super().__init__(arguments, parent)
        self.arguments = arguments
        self.made.append(self)

    def start(self) -> None:
        """Run nothing."""

    def stop(self) -> None:
        self.ended.emit(None)


class Page:
    """The page, opened for a folder of bf16, and its jobs."""

    def __init__(self, program: Program, source: Path) -> None:
        Job.made = []
        self.qtbot, self.source = program.qtbot, source
        self.window = program.start_ready()
        self.window.shrinking._make_job = Job
        self.window.smaller.open(source)
        self.qtbot.waitUntil(lambda: self.page._shape is not None)

    @property
    def page(self) -> Any:
        return self.window.window.parts.smaller

    @property
    def jobs(self) -> list[Job]:
        return Job.made

    @property
    def phase(self) -> ShrinkPhase:
        return self.window.shrinking.state.phase

    def target(self) -> Path:
        return Path(self.jobs[0].arguments[2])

    def shown(self) -> str:
        labels = self.page.findChildren(QLabel)
        return "\n".join(label.text() for label in labels if label.isVisible())


@pytest.fixture
def opened(program: Program, tmp_path: Path) -> Page:
    return Page(program, write_folder(tmp_path / "tiny"))


def progress(job: Job, **values: Any) -> None:
    job.reported.emit({"event": "progress", "errors": [0.02, 0.03], **values})


def test_a_small_model_is_offered_8_bits_and_every_size_says_what_it_takes(opened: Page) -> None:
    assert opened.page.options.key == "8"
    said = opened.shown()
    assert "tiny, 16 bits a weight" in said
    assert "is free. The original stays." in said
    for row in opened.page.options.rows.values():
        assert " MB" in row.button.accessibleName() or " kB" in row.button.accessibleName()
    assert "expected" in opened.page.chart.accessibleDescription()


def test_a_copy_that_would_be_larger_than_its_source_says_so(opened: Page) -> None:
    """As of a file that is rounded to 4 bits already."""
    shape = opened.page._shape
    assert shape is not None
    assert "larger than the original" not in opened.shown()
    opened.page._shape = replace(shape, facts=replace(shape.facts, size_bytes=1000))
    opened.page._on_changed()
    assert "This copy would be larger than the original, which takes 1 kB." in opened.shown()


def test_a_copy_is_made_compared_reported_used_and_only_then_in_the_library(opened: Page) -> None:
    opened.page.options.choose("4")
    opened.page.start.click()
    job = opened.jobs[0]
    assert job.arguments[:2] == ["quantize", str(opened.source)]
    assert job.arguments[-1] == "--events"
    assert job.arguments[3:9] == ["--bits", "4", "--group", "32", "--method", "search"]
    progress(job, stage="rounding", done=2, total=5, seconds_left=9.0, written=100, expected=200)
    assert "Rounding layer 3 of 4" in opened.shown()
    assert "9 s left" in opened.shown()
    assert not opened.page.start.isEnabled()
    write_folder(opened.target())
    job.ended.emit(None)
    assert opened.phase is ShrinkPhase.COMPARING
    compare = opened.jobs[1]
    assert compare.arguments[:2] == ["evaluate", str(opened.target())]
    assert "--keep" in compare.arguments
    compare.reported.emit(REPORT)
    compare.ended.emit(None)
    assert opened.phase is ShrinkPhase.DONE
    said = opened.shown()
    for words in ("0.016", "95.2 %", "14.41", "3.05 GB", "11.4 tok/s", "Very close", "vllm serve"):
        assert words in said
    assert "measured" in opened.page.chart.accessibleDescription()
    opened.page.serve.one.copy.click()
    assert QGuiApplication.clipboard().text().startswith(f"vllm serve {opened.target()}")
    opened.page.report.use.click()
    assert opened.window.model.state.path == opened.target()
    assert opened.window.window.page == "chat"


def test_pause_keeps_and_the_same_command_goes_on(opened: Page) -> None:
    opened.page.start.click()
    progress(opened.jobs[0], stage="rounding", done=1, total=5)
    opened.page.work.pause.click()
    assert opened.phase is ShrinkPhase.PAUSED
    assert "is paused" in opened.shown()
    opened.page.work.resume.click()
    assert opened.jobs[1].arguments == opened.jobs[0].arguments


def test_stop_throws_away_what_was_begun(opened: Page) -> None:
    opened.page.start.click()
    opened.page.work.stop.click()
    assert opened.jobs[1].arguments[-1] == "--discard"
    opened.jobs[1].ended.emit(None)
    assert opened.phase is ShrinkPhase.NONE
    assert not opened.page.work.isVisible()


FAULTS = {
    "There is too little room on the disk. m needs 2.50 GB; 0.31 GB is free.": Fault(
        FaultKind.DISK_FULL, {"path": "/m", "needed": 2_500_000_000, "free": 310_000_000}
    ),
    "The disk is full. m still needs 1.50 GB; 0.00 GB is free. 1.00 GB is there already": Fault(
        FaultKind.DISK_FULL, {"path": "/m", "needed": 1_500_000_000, "free": 0, "kept": 10**9}
    ),
    "/m cannot be written. The system says: Permission denied.": Fault(
        FaultKind.UNWRITABLE, {"path": "/m", "reason": "Permission denied."}
    ),
    "The folder of /d/m is not there any more.": Fault(FaultKind.FOLDER_GONE, {"path": "/d/m"}),
    "is damaged.": Fault(FaultKind.FILE_DAMAGED, {"path": "/m/a.safetensors", "detail": "x"}),
    "The memory ran out.": Fault(
        FaultKind.OUT_OF_MEMORY, {"needed": 3_000_000_000, "free": 9_000_000, "device": "cpu"}
    ),
    "Making this copy takes 3.00 GB of memory": Fault(
        FaultKind.MEMORY_SHORT, {"needed": 3_000_000_000, "free": 9_000_000}
    ),
    "Something broke inside.": Fault(FaultKind.INTERNAL, {"detail": "KeyError: 3"}),
}


@pytest.mark.parametrize("sentence", list(FAULTS))
def test_every_fault_is_a_sentence_with_a_way_on(opened: Page, sentence: str) -> None:
    opened.page.start.click()
    progress(opened.jobs[0], stage="rounding", done=2, total=5)
    opened.jobs[0].ended.emit(FAULTS[sentence])
    said = opened.shown()
    assert sentence in said
    assert "2 layers are done and kept." in said
    assert "Traceback" not in said
    opened.page.work.resume.click()
    assert opened.phase is ShrinkPhase.MAKING


def test_a_killed_process_is_told_from_a_bug(opened: Page) -> None:
    opened.page.start.click()
    opened.jobs[0]._killed = True
    opened.jobs[0].ended.emit(Fault(FaultKind.INTERNAL, {"detail": "status 9"}))
    assert "most likely because the memory ran out" in opened.shown()


def test_what_an_earlier_run_left_can_go_on_or_be_deleted(
    program: Program, tmp_path: Path, shelves: Any
) -> None:
    source, target = write_folder(tmp_path / "tiny"), shelves.folder / "tiny-4bit"
    partial_folder(target).mkdir(parents=True)
    wish = {
        "scheme": {"bits": 4, "group": 32}, "method": "search", "kept_share": 0.06,
        "source": str(source), "calibration": "",
    }  # fmt: skip
    (partial_folder(target) / "state.json").write_text(json.dumps(wish))
    opened = Page(program, source)
    program.qtbot.waitUntil(opened.page.work.isVisible)
    assert "tiny-4bit was begun and is not finished" in opened.shown()
    opened.page.work.resume.click()
    assert opened.jobs[0].arguments[1:3] == [str(source), str(target)]


def test_own_chats_are_a_text_to_measure_with_and_do_not_stay(
    program: Program, tmp_path: Path
) -> None:
    opened = Page(program, write_folder(tmp_path / "tiny"))
    window: Application = opened.window
    text = Path(window.saving.store.database.path).parent / "calibration.txt"
    opened.page.options.choose("custom")
    opened.page.options.text._choose("chats")
    program.qtbot.waitUntil(lambda: opened.page.options.text.value == "bundled")
    assert not text.exists()  # nothing was said yet
    ask(window, "A question of mine")
    program.qtbot.waitUntil(lambda: bool(window.saving.store.chats()))
    opened.page.options.text._choose("chats")
    program.qtbot.waitUntil(lambda: opened.page.options.calibration == text)
    assert "A question of mine" in text.read_text("utf-8")
    opened.page.start.click()
    assert opened.jobs[0].arguments[-3:-1] == ["--calibration", str(text)]
    opened.page.work.stop.click()
    opened.jobs[1].ended.emit(None)
    assert not text.exists()


def test_a_report_from_an_earlier_run_is_shown_again(
    program: Program, tmp_path: Path, shelves: Any
) -> None:
    source, copy = write_folder(tmp_path / "tiny"), write_folder(shelves.folder / "tiny-4bit")
    (copy / "quality.json").write_text(json.dumps(REPORT | {"source_path": str(source)}))
    shelves.add("other")
    shelves.models[0] = replace(shelves.models[0], path=copy)
    opened = Page(program, source)
    program.qtbot.waitUntil(opened.page.report.isVisible)
    assert opened.page.options.rows["4"].button.accessibleName().endswith(", made, 3.05 GB")


def test_models_of_the_library_that_can_become_smaller_are_offered_first(program: Program) -> None:
    folder = program.shelves.folder
    small = program.shelves.add("Small")
    source = write_folder(folder / "tiny")
    running = program.start_ready()
    facts = read_shape(source).facts
    running.shelf._on_scanned([*running.shelf.found, Found(source, facts)])
    running.window.show_page("models")
    running.window.parts.models.smaller_requested.emit()
    page = running.window.parts.smaller
    (offered,) = page._empty.models()
    assert facts.name in offered.accessibleName()
    assert small.stem not in offered.accessibleName()
    assert page._empty._others.text().startswith("Or another file")
    offered.click()
    program.qtbot.waitUntil(lambda: page._shape is not None)


def test_the_work_stands_at_the_right_where_there_is_room(opened: Page) -> None:
    opened.page.start.click()
    progress(opened.jobs[0], stage="rounding", done=2, total=5)
    opened.window.window.resize(1280, 832)
    work, cards = opened.page.work, opened.page._cards
    opened.qtbot.waitUntil(lambda: work.parent() is cards and work.x() > cards.width() / 2)
    opened.window.window.resize(720, 832)
    opened.qtbot.waitUntil(lambda: work.geometry().bottom() < cards.geometry().top())
