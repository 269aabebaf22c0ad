"""The keyboard alone: Tab reaches every page, Escape closes what is topmost, focus returns."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.application import Application
from app.chat.shrinking import ShrinkPhase
from app.ui.key_sheet import KeySheet
from app.ui.transcript.endings import Broken
from engine.contract import Fault, FaultKind
from tests.app.conftest import Program
from tests.app.test_application import ask, await_reply
from tests.app.test_names import controls
from tests.doubles.engines import Reply, ScriptedRunner
from tests.scenes_smaller import REPORT, alone, at_work, open_page

PAGES = (
    "welcome",
    "models",
    "add_model",
    "benchmark",
    "server",
    "monitor",
    "settings",
    "open chat",
    "smaller",
    "report alone",
    "inspector",
)


def shown(running: Application, page: str) -> None:
    """Show a page, or the chat with the inspector beside it."""
    if page == "smaller":
        open_page(running)
        at_work(running, phase=ShrinkPhase.DONE, report=REPORT)
        running.window.parts.smaller.options.choose("custom")
    if page == "open chat":
        running.window.parts.settings.open_section("open-chat")
    if page == "report alone":
        alone(running)
    beside = {"inspector": "chat", "open chat": "settings", "report alone": "smaller"}
    running.window.show_page(beside.get(page, page))
    if page == "inspector":
        running.inspector_on_screen.toggle()
        running.window.parts.inspector.segments._group.button(0).setFocus()
    QTest.qWait(20)


def tabbed(running: Application, key: Qt.Key) -> list[QWidget]:
    """What Tab goes through from where the focus is until it is there again."""
    window = running.window
    seen: list[QWidget] = []
    while (now := window.focusWidget()) is not None and now not in seen and len(seen) < 200:
        seen.append(now)
        QTest.keyClick(now, key)
    return seen


@pytest.mark.parametrize("page", PAGES)
def test_the_keyboard_reaches_everything_on_every_page(program: Program, page: str) -> None:
    running = program.start_ready()
    shown(running, page)
    assert running.window.focusWidget() is not None
    seen = tabbed(running, Qt.Key.Key_Tab)
    assert set(tabbed(running, Qt.Key.Key_Backtab)) == set(seen)
    missed = [
        f"{type(w).__name__} {w.accessibleName()}"
        for w in controls(running.window)
        if w.isVisible()
        and w.isEnabled()
        and w.focusPolicy() & Qt.FocusPolicy.TabFocus
        and not {w, w.focusProxy()} & set(seen)  # a field in a spin box lends it its focus
    ]
    assert missed == []
    assert len(seen) > 3


@pytest.mark.parametrize("page", [*PAGES, "chat"])
def test_every_control_that_is_pressed_can_have_the_focus(program: Program, page: str) -> None:
    """Only what a list, an open row or another key does as well may be for the mouse alone."""
    running = program.start_ready()
    shown(running, page)
    mute = {
        f"{type(w).__name__} {w.accessibleName()}"
        for w in controls(running.window)
        if w.isVisible() and w.isEnabled() and w.focusPolicy() == Qt.FocusPolicy.NoFocus
    }
    assert mute == set()


def test_the_keyboard_reaches_the_way_to_the_advisor_under_a_reply(program: Program) -> None:
    figures = {"device": "cpu", "needed": 2_000_000_000, "free": 1_000_000_000}
    fault = Fault(FaultKind.OUT_OF_MEMORY, figures)
    running = program.start_ready(ScriptedRunner([Reply("half", fault=fault)]))
    ask(running, "question")
    await_reply(program, running, 2)
    (notice,) = running.window.findChildren(Broken)
    program.qtbot.waitUntil(notice.advise.isVisible)
    assert notice.advise in tabbed(running, Qt.Key.Key_Tab)


@pytest.mark.qt_log_ignore("does not support (raise|grabbing)")
def test_the_sheet_of_keys_gives_the_focus_back(program: Program) -> None:
    running = program.start_ready()
    search = running.window.parts.sidebar.search
    search.setFocus()
    QTest.keyClick(search, Qt.Key.Key_F1)
    sheet = running.window.findChild(KeySheet)
    assert sheet is not None
    QTest.keyClick(sheet.field, Qt.Key.Key_Escape)
    program.qtbot.waitUntil(lambda: running.window.findChild(KeySheet) is None)
    assert running.window.focusWidget() is search


def test_escape_closes_the_search_before_anything_else(program: Program) -> None:
    running = program.start_ready()
    ask(running, "question")
    await_reply(program, running, 2)
    transcript = running.window.parts.chat.transcript
    transcript.open_find()
    transcript.setFocus()
    program.qtbot.waitUntil(lambda: QApplication.focusWidget() is transcript)
    QTest.keyClick(transcript, Qt.Key.Key_Escape)
    assert not transcript._finder.is_open
    assert running.window.focusWidget() is transcript
    QTest.keyClick(transcript, Qt.Key.Key_Escape)
    assert running.window.focusWidget() is running.window.parts.chat.box.field
