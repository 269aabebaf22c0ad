"""A copy's report from the copy itself, and a question to copy and source, in the whole window."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLabel

from app.application import Application
from app.chat.child_job import ChildJob
from app.chat.comparing import AskPhase
from app.chat.shrinking import ShrinkPhase, ShrinkState, Wish
from engine.contract import Fault, FaultKind, Memory
from engine.library.recipes import PRESETS
from tests.app.conftest import Program
from tests.quantization.folders import write_folder
from tests.scenes_smaller import REPORT

SAID = {"reasoning": "", "tokens": 6, "ended": "end_of_turn"}
ASKED: dict[str, Any] = {
    "event": "asked", "question": "Why?", "first_difference": 3,
    "source": {"name": "tiny", "reply": "Ice holds on.", "tokens_per_second": 4.2, **SAID},
    "copy": {"name": "tiny-4bit", "reply": "Ice keeps on.", "tokens_per_second": 11.7, **SAID},
}  # fmt: skip


class Job(ChildJob):
    """A job that runs no process: the test says what it reports."""

    def __init__(self, made: list[Job], arguments: list[str], parent: QObject) -> None:
        super().__init__(arguments, parent)
        self.arguments, self.fed = arguments, ""
        made.append(self)

    def feed(self, text: str) -> None:
        self.fed = text

    def start(self) -> None:
        """Run nothing."""

    def stop(self) -> None:
        self._stopping = True
        self.ended.emit(None)


class Report:
    """A copy with its report on the shelf of a window, and the jobs that it starts."""

    def __init__(self, program: Program, home: Path) -> None:
        self.program, self.qtbot = program, program.qtbot
        self.jobs: list[Job] = []
        self.source = write_folder(home / "tiny")
        self.copy = write_folder(program.shelves.folder / "tiny-4bit")
        report = REPORT | {"source_path": str(self.source)}
        (self.copy / "quality.json").write_text(json.dumps(report))
        program.shelves.add("tiny-4bit")
        program.shelves.models[0] = replace(program.shelves.models[0], path=self.copy)
        self.start()

    def start(self) -> None:
        """Start the window, or start it again."""
        self.program.end()
        self.window: Application = self.program.start_ready()
        comparing = self.window.smaller.reports.comparing
        comparing._make_job = lambda arguments, parent: Job(self.jobs, arguments, parent)

    def open(self) -> None:
        """Go to the models page, and from the copy's card to its report."""
        self.window.window.show_page("models")
        facts = next(m for m in self.window.shelf.models if m.path == self.copy)
        menu = self.window.window.parts.models.menu

        def verbs() -> dict[str, Any]:
            return {verb.text_id: verb for verb in menu.verbs(facts)}

        self.qtbot.waitUntil(lambda: "smaller-report-verb" in verbs())
        verbs()["smaller-report-verb"].act(facts)
        self.qtbot.waitUntil(lambda: self.window.window.page == "smaller")
        self.qtbot.waitUntil(self.page.report.isVisible)

    @property
    def page(self) -> Any:
        return self.window.window.parts.smaller

    @property
    def side(self) -> Any:
        return self.page.report.side

    def shown(self) -> str:
        labels = self.page.findChildren(QLabel)
        return "\n".join(label.text() for label in labels if label.isVisible())

    def texts(self) -> list[str]:
        """What stands left and right."""
        return [column.answer.words for column in self.side.columns]

    def ask(self, question: str = "Why?") -> Job:
        """Type a question and press Enter."""
        self.side.field.say(question)
        QTest.keyClick(self.side.field.input, Qt.Key.Key_Return)
        return self.jobs[-1]


@pytest.fixture
def opened(program: Program, tmp_path: Path) -> Report:
    report = Report(program, tmp_path)
    report.open()
    return report


def test_a_copys_report_is_reached_from_its_card_also_after_a_restart(opened: Report) -> None:
    for _ in range(2):
        said = opened.shown()
        assert "Report on Qwen3-4B-4bit" in said
        assert "first difference at token 18" in said
        assert opened.page.copy == opened.copy
        assert opened.page.options.isVisible()  # its source is there: other sizes can be made
        assert opened.side.field.text == REPORT["question"]
        assert opened.texts()[0] == REPORT["source"]["reply"]
        opened.qtbot.waitUntil(
            lambda: opened.window.window.focusWidget() is opened.side.field.input
        )
        opened.start()
        opened.open()


def test_other_models_have_no_such_verb(opened: Report) -> None:
    page = opened.window.window.parts.models
    for facts in opened.window.shelf.models:
        ids = {verb.text_id for verb in page.menu.verbs(facts)}
        assert ("smaller-report-verb" in ids) == (facts.path == opened.copy)


def test_without_its_source_the_report_is_kept_and_the_copy_can_be_asked(
    program: Program, tmp_path: Path
) -> None:
    report = Report(program, tmp_path)
    report.source.rename(tmp_path / "elsewhere")
    report.open()
    said = report.shown()
    assert f"The original is not there any more ({report.source})" in said
    assert "0.016" in said
    assert not report.page.options.isVisible()
    assert not report.side.hide_names.isEnabled()  # one answer cannot be mistaken
    job = report.ask()
    assert job.arguments == ["evaluate", str(report.copy), "--ask", "-", "--events"]
    job.reported.emit(ASKED | {"source": None, "first_difference": None})
    job.ended.emit(None)
    assert report.texts()[1] == "Ice keeps on."
    assert "The original cannot answer: its file is gone." in report.shown()
    assert report.page.report.use.isVisible()


def test_a_report_that_cannot_be_read_is_a_sentence(opened: Report) -> None:
    (opened.copy / "quality.json").write_text("[1")
    opened.window.smaller.reports.open(opened.copy)
    notices = opened.window.window.notices

    def said() -> str:
        return " ".join(label.text() for label in notices.findChildren(QLabel))

    opened.qtbot.waitUntil(lambda: "cannot be read" in said())


def test_both_are_asked_by_another_process_and_the_chats_model_stays(opened: Report) -> None:
    before = opened.window.model.state
    job = opened.ask("Why does it float?")
    command = ["evaluate", str(opened.copy), "--against", str(opened.source), "--ask", "-"]
    assert job.arguments == [*command, "--events"]
    assert job.fed == "Why does it float?"  # no list of processes shows it
    job.reported.emit(
        {"event": "progress", "side": "source", "stage": "reading", "done": 1, "total": 2}
    )
    assert "Qwen3 4B is being loaded. 1 of 2" in opened.shown()
    for text in ("Ice ", "holds on."):
        job.reported.emit({"event": "said", "side": "source", "text": text})
    assert opened.texts() == ["Ice holds on.", ""]
    job.reported.emit(ASKED)
    job.ended.emit(None)
    said = opened.shown()
    assert opened.texts() == ["Ice holds on.", "Ice keeps on."]
    for words in (
        "first difference at token 3",
        "2 of 3 words the same",
        "4.2 tok/s",
        "11.7 tok/s",
    ):
        assert words in said
    assert opened.window.model.state is before


def test_a_question_can_be_stopped_and_what_was_said_stays(opened: Report) -> None:
    job = opened.ask()
    job.reported.emit({"event": "said", "side": "source", "text": "Ice holds"})
    assert opened.side.ask.text().strip() == "Stop"
    opened.side.ask.click()
    assert opened.window.smaller.reports.comparing.state.phase is AskPhase.STOPPED
    assert opened.texts()[0] == "Ice holds"
    assert "Stopped here." in opened.shown()
    assert opened.side.ask.text().strip() == "Ask both"
    assert opened.ask() is not job


@pytest.mark.parametrize("swapped", [False, True])
def test_nothing_tells_which_is_which_until_the_switch_is_off(
    opened: Report, swapped: bool
) -> None:
    side = opened.side
    side._coin = lambda: swapped
    side.hide_names.click()
    job = opened.ask()
    job.reported.emit({"event": "said", "side": "source", "text": "Ice"})
    job.reported.emit(
        {"event": "progress", "side": "source", "stage": "answering", "done": 1, "total": 9}
    )
    assert opened.texts() == ["", ""]  # the source answers first, and slower
    job.reported.emit(ASKED)
    job.ended.emit(None)
    source, copy = ("Ice holds on.", "Ice keeps on.")
    assert opened.texts() == ([copy, source] if swapped else [source, copy])
    in_columns = "\n".join(
        label.text()
        for column in side.columns
        for label in column.findChildren(QLabel)
        if label.isVisible()
    )
    assert in_columns.split() == ["A", "B"]
    assert [c.answer.accessibleName() for c in side.columns] == ["Answer A", "Answer B"]
    assert {c._rule._token for c in side.columns} == {"ink"}
    assert "2 of 3 words the same" in opened.shown()
    side.hide_names.click()
    assert opened.texts() == [source, copy]
    assert "4.2 tok/s" in opened.shown()
    assert [c._rule._token for c in side.columns] == ["ink", "accent"]


SHORT = {"needed": 9_100_000_000, "free": 3_200_000_000}


def test_a_side_that_cannot_answer_says_why_and_the_other_is_shown(opened: Report) -> None:
    job = opened.ask()
    job.reported.emit(
        ASKED | {"source": {"fault": "memory_short", "figures": SHORT}, "first_difference": None}
    )
    job.ended.emit(None)
    said = opened.shown()
    assert "Answering takes 9.10 GB of memory, and 3.20 GB is free beside the model" in said
    assert opened.texts()[1] == "Ice keeps on."
    assert "words the same" not in said


@pytest.mark.parametrize(
    ("fault", "killed", "sentence"),
    [
        (Fault(FaultKind.FILE_MISSING, {"path": "/gone"}), False, "/gone is not there any more."),
        (Fault(FaultKind.INTERNAL, {"detail": "KeyError: 3"}), False, "Something broke inside."),
        (Fault(FaultKind.INTERNAL, {"detail": "status 9"}), True, "ended from outside"),
    ],
)
def test_every_fault_is_a_sentence_and_one_can_ask_again(
    opened: Report, fault: Fault, killed: bool, sentence: str
) -> None:
    job = opened.ask()
    job._killed = killed
    job.ended.emit(fault)
    assert sentence in opened.shown()
    assert "Traceback" not in opened.shown()
    assert opened.ask() is not job
    assert sentence not in opened.shown()


def test_an_answer_that_ends_at_the_limit_or_says_nothing_is_told(opened: Report) -> None:
    endless = ASKED["source"] | {"ended": "length", "tokens": 256}
    silent = ASKED["copy"] | {"reply": "", "tokens_per_second": 0}
    job = opened.ask()
    job.reported.emit(ASKED | {"source": endless, "copy": silent, "first_difference": 1})
    job.ended.emit(None)
    said = opened.shown()
    assert "Ended at the limit of 256 tokens." in said
    assert "It said nothing." in said
    assert "0.0 tok/s" not in said


def test_answers_are_read_as_the_chat_shows_them_and_only_words_are_marked(
    opened: Report,
) -> None:
    """Signs of Markdown are gone, code stands in its frame, and marks lie on what can be read."""
    said = "# Ice\n\nIt **floats**: `rho` is {}.\n\n```python\nrho = {}\n```\n"
    job = opened.ask()
    job.reported.emit({"event": "said", "side": "source", "text": "# Ice\n\nIt **flo"})
    assert opened.texts()[0] == "Ice\n\nIt **flo"  # emphasis that is still open is words
    sides = {
        side: ASKED[side] | {"reply": said.format(*words)}
        for side, words in (("source", ("less", "0.9")), ("copy", ("low", "0.8")))
    }
    job.reported.emit(ASKED | sides)
    job.ended.emit(None)
    shown = opened.texts()[0]
    assert shown.split() == ["Ice", "It", "floats:", "rho", "is", "less.", "rho", "=", "0.9"]
    marked = [
        mark.cursor.selectedText()
        for column in opened.side.columns
        for text in column.answer._texts()
        for mark in text.extraSelections()
    ]
    assert marked == ["less.", "0.9", "low.", "0.8"]
    column = opened.side.columns[0]
    assert column.answer.height() >= column.answer._column.full_height() > 0


def test_answers_that_ended_at_their_limit_go_on_to_a_farther_one(opened: Report) -> None:
    side = opened.side
    assert not side.go_on.isVisible()
    job = opened.ask("Why?")
    endless = ASKED["source"] | {"ended": "length", "tokens": 256}
    job.reported.emit(ASKED | {"source": endless})
    job.ended.emit(None)
    side.field.say("Another question")  # what was asked goes on, not what is typed
    for limit in ("1024", "4096"):
        side.go_on.click()
        job = opened.jobs[-1]
        assert job.fed == "Why?"
        assert job.arguments[job.arguments.index("--max-tokens") + 1] == limit
        job.reported.emit(ASKED | {"source": endless})
        job.ended.emit(None)
    assert not side.go_on.isVisible()  # there is no farther one
    assert "Ended at the limit" in opened.shown()


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"tokens": 96, "ended": "length"}, "Ended at the limit of 96 tokens."),
        ({}, "It may have ended at the limit of 96 tokens."),  # as reports were made before
        ({"tokens": 60, "ended": "end_of_turn"}, ""),
    ],
)
def test_the_answers_of_a_report_say_where_its_limit_ended_them(
    opened: Report, told: dict[str, Any], said: str
) -> None:
    """They can go on as those to one's own question can."""
    long = "Ice keeps its molecules farther from one another than water does. " * 2
    before = {k: v for k, v in REPORT["source"].items() if k not in {"tokens", "ended"}}
    sides = {
        "source": before | {"reply": long} | told,
        "copy": REPORT["copy"] | {"reply": "It is light."},  # fewer bytes than the limit has tokens
    }
    names = {"source": "tiny", "copy": "tiny-4bit"}
    opened.side.show_report(REPORT | sides, names)
    notes = [column._note.text() for column in opened.side.columns]
    assert notes == [said, ""]
    assert opened.side.go_on.isVisible() == bool(said)
    if said:
        assert opened.side.go_on.text().strip() == "Let them go on, to 256 tokens"
        opened.side.go_on.click()
        assert opened.jobs[-1].fed == REPORT["question"]
        assert "--max-tokens" not in opened.jobs[-1].arguments  # 256 is what evaluate has


def test_answers_are_reached_by_tab_read_out_and_copied(opened: Report) -> None:
    side = opened.side
    first, second = (column.answer for column in side.columns)
    window = opened.window.window
    opened.qtbot.waitUntil(lambda: window.focusWidget() is side.field.input)
    QTest.keyClick(side.field.input, Qt.Key.Key_Tab)
    if window.focusWidget() is side.ask:  # which stands beside the field
        QTest.keyClick(side.ask, Qt.Key.Key_Tab)
    assert window.focusWidget() is first
    assert first.accessibleName() == "The original’s answer"
    assert first.accessibleDescription() == first.words == opened.texts()[0] != ""
    QTest.keyClick(first, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == REPORT["source"]["reply"]
    QTest.keyClick(first, Qt.Key.Key_Tab)
    while (now := window.focusWidget()) is not second:  # links and code of the first
        assert first.isAncestorOf(now)
        QTest.keyClick(now, Qt.Key.Key_Tab)
    assert second.accessibleName() == "The copy’s answer"
    job = opened.ask("Why?")
    job.reported.emit({"event": "said", "side": "source", "text": "Ice"})
    assert first.accessibleDescription() == ""  # not read anew with each word
    job.reported.emit(ASKED)
    job.ended.emit(None)
    assert first.accessibleDescription() == ASKED["source"]["reply"]


def test_sides_stay_where_they_are_while_a_hidden_answer_goes_on(opened: Report) -> None:
    side = opened.side
    tosses = iter([True, True, False])  # another toss would be seen
    side._coin = lambda: next(tosses)
    side.hide_names.click()
    job = opened.ask()
    job.reported.emit(ASKED | {"source": ASKED["source"] | {"ended": "length"}})
    job.ended.emit(None)
    before = side._sides()
    side.go_on.click()
    assert side._sides() == before == ("copy", "source")


def copy_without_report(report: Report, source: str) -> None:
    """Take the copy's report away, and let it say what it was made of."""
    (report.copy / "quality.json").unlink()
    said = {"bits": 4, "group": 32, "method": "search", "errors": [], "source": source}
    (report.copy / "quantization.json").write_text(json.dumps(said))


def verb(report: Report, text_id: str) -> Any:
    """A verb on the copy's card, as soon as it is offered."""
    report.window.window.show_page("models")
    facts = next(m for m in report.window.shelf.models if m.path == report.copy)
    menu = report.window.window.parts.models.menu

    def verbs() -> dict[str, Any]:
        return {verb.text_id: verb for verb in menu.verbs(facts)}

    report.qtbot.waitUntil(lambda: text_id in verbs())
    return lambda: verbs()[text_id].act(facts)


def beside_its_original(program: Program, folder: Path) -> Report:
    """A copy that was not compared, and the original among the models."""
    report = Report(program, folder)
    copy_without_report(report, report.source.name)
    program.shelves.add("original")
    at = next(n for n, m in enumerate(program.shelves.models) if m.path != report.copy)
    program.shelves.models[at] = replace(program.shelves.models[at], path=report.source)
    report.start()
    report.window.shrinking._make_job = lambda arguments, parent: Job(
        report.jobs, arguments, parent
    )
    return report


def test_a_copy_without_a_report_is_compared_now_from_its_card(
    program: Program, tmp_path: Path
) -> None:
    report = beside_its_original(program, tmp_path)
    verb(report, "smaller-compare-verb")()
    (job,) = report.jobs
    assert job.arguments[:4] == ["evaluate", str(report.copy), "--against", str(report.source)]
    assert "--keep" in job.arguments
    assert report.window.window.page == "smaller"
    report.qtbot.waitUntil(lambda: report.page._shape is not None)
    work = report.page.work
    work.stop.click()  # skipped: it can be made up for at once
    assert report.window.shrinking.state.phase is ShrinkPhase.DONE
    assert "tiny-4bit is ready" in report.shown()
    assert work.resume.text().strip() == "Compare now"
    work.resume.click()
    report.jobs[-1].reported.emit(REPORT | {"source_path": str(report.source)})
    report.jobs[-1].ended.emit(None)
    assert "Report on" in report.shown()
    assert not work.isVisible()


def test_the_page_of_the_original_says_which_copies_were_not_compared(
    program: Program, tmp_path: Path
) -> None:
    report = beside_its_original(program, tmp_path)
    report.window.smaller.open(report.source)
    report.qtbot.waitUntil(lambda: "tiny-4bit was not compared" in report.shown())
    report.page.work.resume.click()
    assert report.jobs[-1].arguments[:2] == ["evaluate", str(report.copy)]


def test_an_original_that_is_nowhere_is_asked_for(program: Program, tmp_path: Path) -> None:
    report = Report(program, tmp_path)
    copy_without_report(report, "elsewhere.gguf")
    report.start()
    compare = verb(report, "smaller-compare-verb")
    compare()
    (dialog,) = report.window.window.findChildren(QFileDialog)
    assert "elsewhere.gguf" in dialog.windowTitle()
    wished: list[Wish] = []
    report.window.smaller.reports.compare_wanted.connect(wished.append)
    report.window.shrinking._make_job = lambda arguments, parent: Job(
        report.jobs, arguments, parent
    )
    dialog.fileSelected.emit(str(report.source))
    dialog.close()
    assert [(wish.source, wish.target) for wish in wished] == [(report.source, report.copy)]


def test_the_chats_model_keeps_the_memory_that_it_was_promised(opened: Report) -> None:
    comparing = opened.window.smaller.reports.comparing
    comparing._memory = Memory(weights=500, cache=2000, workspace=300, peak=900)
    assert opened.window.model.state.loaded is not None
    assert opened.window.model.state.loaded.device == "cpu"
    assert comparing.promised == 1900
    assert opened.ask().arguments[-3:] == ["--leave", "1900", "--events"]


def test_the_report_is_there_again_when_the_page_is_opened_for_the_source(opened: Report) -> None:
    """Also where a copy was made in this run of the program before."""
    wish = Wish(opened.source, opened.copy, PRESETS["4"])
    opened.window.shrinking._become(ShrinkState(ShrinkPhase.DONE, wish, report=REPORT))
    with opened.qtbot.waitSignal(opened.page.copy_shown):
        opened.window.smaller.open(opened.source)
    assert opened.page.report.isVisible()
    assert opened.page.copy == opened.copy
    assert opened.page.options.key == "8"  # what is best to make next is not what was made


def test_an_empty_question_is_not_asked(opened: Report) -> None:
    opened.side.field.say("  ")
    assert not opened.side.ask.isEnabled()
    QTest.keyClick(opened.side.field.input, Qt.Key.Key_Return)
    assert opened.jobs == []


def test_another_copys_report_ends_the_question(opened: Report) -> None:
    job = opened.ask()
    opened.page.copy_shown.emit(Path("/another"))
    assert job.is_stopping


def test_a_real_process_answers_for_both(opened: Report, starter_model: Path) -> None:
    comparing = opened.window.smaller.reports.comparing
    comparing._make_job = ChildJob
    comparing.ask(starter_model, starter_model, "Say: “yes”.")
    opened.qtbot.waitUntil(lambda: not comparing.state.runs, timeout=240_000)
    state = comparing.state
    assert state.phase is AskPhase.DONE
    assert state.of("copy").text == state.of("source").text != ""
    assert state.first_difference == 0
