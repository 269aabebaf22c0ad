"""No text is cut off or lies over another: at the largest and smallest text, on every page."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QWidget

from app.application import Application
from app.ui.add_model import cards
from engine.contract import Channel, Fault, FaultKind, FinishReason
from tests.app.conftest import Program
from tests.app.legible import troubles
from tests.app.test_application import ask, await_reply
from tests.app.test_letters import DIALOGS
from tests.app.walk import walk
from tests.doubles.engines import Reply, ScriptedRunner

ANSWER = "## A heading\n\nWords.\n\n```python\nprint(1)\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |"

LAID_OUT_S = 5


def lasting_troubles(window: QWidget) -> set[str]:
    """What is still cut off when the window was given time: a busy machine lays out later."""
    end = time.monotonic() + LAID_OUT_S
    while (seen := set(troubles(window))) and time.monotonic() < end:
        QTest.qWait(100)
    return seen


def look_through(running: Application, size: tuple[int, int]) -> set[str]:
    window = running.window
    window.resize(*size)
    found: set[str] = set()

    def look(where: str) -> None:
        QTest.qWait(60)
        found.update(f"{where} at {size[0]}: {each}" for each in lasting_troubles(window))

    walk(running, look)
    return found


@pytest.mark.parametrize("scale", [0.8, 1.6])
@pytest.mark.parametrize("code", ["en", "zh_CN"])
def test_no_text_is_cut_off_or_lies_over_another(
    program: Program, monkeypatch: pytest.MonkeyPatch, code: str, scale: float
) -> None:
    # which models are suggested depends on the memory that is free: these have the longest words
    monkeypatch.setattr(cards, "_class", lambda model: "medium")
    running = program.start_ready(ScriptedRunner([Reply(ANSWER)]))
    ask(running, "question")
    await_reply(program, running, 2)
    running.settings.change(language=code, text_scale=scale)
    for name in ("language", "text_scale"):
        running.settings_on_screen._on_changed(name)
    found = look_through(running, (720, 560)) | look_through(running, (1280, 832))
    assert found == set()


def test_no_text_is_cut_off_where_all_stands_close(program: Program) -> None:
    running = program.start_ready(ScriptedRunner([Reply(ANSWER)]))
    ask(running, "question")
    await_reply(program, running, 2)
    running.window.parts.settings.control("density").choose("compact")
    found = look_through(running, (720, 560)) | look_through(running, (1280, 832))
    assert found == set()


@pytest.mark.parametrize("width", [720, 1280])
@pytest.mark.parametrize("code", ["en", "zh_CN"])
def test_nothing_of_a_turn_is_cut_off_in_whatever_state_it_is(
    program: Program, tmp_path: Path, code: str, width: int
) -> None:
    thought = ((Channel.REASONING, "Hm."),)
    figures = {"device": "cpu", "needed": 2_000_000_000, "free": 1_000_000_000}
    fault = Fault(FaultKind.OUT_OF_MEMORY, figures)  # with its remedy, and the way to the advisor
    replies = [
        Reply("Cut", reason=FinishReason.LENGTH, pieces=thought),
        Reply("Broken", fault=fault),
        Reply("Stopped", lingers=True),
        Reply("Long", lingers=True),
    ]
    running = program.start_ready(ScriptedRunner(replies))
    running.settings.change(language=code, text_scale=1.6)
    for name in ("language", "text_scale"):
        running.settings_on_screen._on_changed(name)
    page = running.window.parts.chat
    running.window.resize(width, 900)
    found: set[str] = set()

    def look(where: str) -> None:
        QTest.qWait(120)
        found.update(f"{where}: {each}" for each in lasting_troubles(running.window))

    for number, where in enumerate(("cut", "broken"), 1):
        ask(running, "question")
        await_reply(program, running, 2 * number)
        look(where)
    session = page.session
    assert session is not None
    ask(running, "question")
    program.qtbot.waitUntil(lambda: "Stopped" in session.path()[-1].content)
    page.stop()
    await_reply(program, running, 6)
    look("stopped")
    page.answer_again()
    program.qtbot.waitUntil(lambda: "Long" in session.path()[-1].content)
    ask(running, "queued")
    (tmp_path / "a.txt").write_text("words", "utf-8")
    running.files_on_screen.add([tmp_path / "a.txt"])
    program.qtbot.waitUntil(lambda: not page.box._is_waiting, timeout=15_000)
    look("queued, with a file")
    page.stop()
    await_reply(program, running, 8)
    page.verbs.edit_last()
    look("edited")
    page.transcript.open_find()
    look("find")
    assert found == set()


@pytest.mark.parametrize("code", ["en", "zh_CN"])
def test_no_dialog_cuts_its_text_off(program: Program, code: str) -> None:
    running = program.start_ready()
    running.settings.change(language=code, text_scale=1.6)
    for setting in ("language", "text_scale"):
        running.settings_on_screen._on_changed(setting)
    running.window.resize(720, 560)
    running.chats.delete(running.chats.new().row.id)
    found: set[str] = set()
    for name, show in DIALOGS.items():
        show(running)
        (dialog,) = (each for each in running.window.findChildren(QDialog) if each.isVisible())
        QTest.qWait(60)
        found.update(f"{name}: {each}" for each in lasting_troubles(dialog))
        dialog.reject()
    assert found == set()


def test_what_is_cut_off_is_found(program: Program) -> None:
    running = program.start_ready()
    running.window.parts.status.network.words.setFixedWidth(8)
    QTest.qWait(30)
    assert any("On this computer" in each for each in troubles(running.window))
