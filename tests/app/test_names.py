"""Everything that can be pressed, typed into or moved has a name, in both languages (I10)."""

from __future__ import annotations

import re

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QApplication,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QScrollBar,
    QWidget,
)

from app.application import Application
from app.chat.attachment import Outgoing
from app.chat.turn import TurnState
from engine.contract import Channel, Fault, FaultKind
from tests.app.conftest import Program
from tests.app.test_application import ask, await_reply
from tests.doubles.engines import Reply, ScriptedRunner
from tests.scenes_smaller import open_page

CONTROLS = (QAbstractButton, QLineEdit, QPlainTextEdit, QAbstractItemView, QAbstractSlider)
CODE = "Look:\n\n```python\nprint(1)\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |"


@pytest.fixture
def busy(program: Program) -> Application:
    """A window that shows every page, a thought, code, a table, a fault, notices, a queue."""
    replies = [
        Reply(CODE, pieces=((Channel.REASONING, "hm"),)),
        Reply("half", fault=Fault(FaultKind.INTERNAL, {"detail": "KeyError: 1"})),
    ]
    window = program.start_ready(ScriptedRunner(replies))
    program.shelves.add("other")
    ask(window, "first")
    await_reply(program, window, 2)
    ask(window, "second")
    await_reply(program, window, 4)
    session = window.window.parts.chat.session
    assert session is not None
    assert session.path()[-1].state is TurnState.FAILED
    window.window.parts.chat.box.queue.show_messages((Outgoing("waiting"),))
    window.deeds.announce_fault("a", Fault(FaultKind.NO_MODEL))
    open_page(window)
    for page in ("models", "add_model", "settings", "smaller", "welcome", "chat"):
        window.window.show_page(page)
        program.qtbot.wait(10)
    window.window.activateWindow()
    program.qtbot.waitUntil(lambda: QApplication.activeWindow() is window.window)
    return window


def controls(window: QWidget) -> list[QWidget]:
    found = [w for w in window.findChildren(QWidget) if isinstance(w, CONTROLS)]
    return [w for w in found if not isinstance(w, QScrollBar)]


def spoken_name(widget: QWidget) -> str:
    """The name that the system's accessibility tree is given."""
    interface = QAccessible.queryAccessibleInterface(widget)
    return interface.text(QAccessible.Text.Name) if interface is not None else ""


@pytest.mark.parametrize("code", ["en", "zh_CN", "zh_TW"])
def test_I10_every_control_has_a_name(busy: Application, code: str) -> None:
    busy.look.language.use(code)
    nameless = [
        f"{type(w).__name__} in {type(w.parent()).__name__}"
        for w in controls(busy.window)
        if not spoken_name(w).strip() or "[object" in spoken_name(w)
    ]
    assert nameless == []


def test_no_english_is_left_after_the_switch_to_chinese(busy: Application) -> None:
    """Every text of the window follows the switch; what is compared is said by ``Language``."""
    language = busy.look.language
    english = {
        text
        for name in language._texts().ids()
        if not name.startswith("-") and "$" not in language._texts()._sources[name]
        for text in [language.text(name)]
        if re.search("[a-z]{3}", text)
    }
    language.use("zh_CN")
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    same = {language.text("app-name"), "English", "Ollama", "LM Studio", "Hugging Face"}
    same |= {"Top-n-sigma", "Typical-p", "Mirostat"}  # steps of sampling, called so everywhere
    left = [
        f"{type(w).__name__}: {shown}"
        for w in busy.window.findChildren(QWidget)
        for shown in ([w.text()] if isinstance(w, QLabel | QAbstractButton) else [])
        + [w.toolTip(), w.accessibleName()]
        if shown.strip() in english - same
    ]
    assert left == []


def walk(window: Application, key: Qt.Key) -> list[QWidget]:
    """What Tab, or Shift and Tab, goes through from the message box until it is back there."""
    field = window.window.parts.chat.box.field
    field.setFocus()
    seen: list[QWidget] = []
    for _ in range(200):
        now = window.window.focusWidget()
        if now is None or (now is field and seen):
            break
        seen.append(now)
        QTest.keyClick(now, key)
    return seen


def test_the_keyboard_reaches_everything_on_the_chat_page(busy: Application) -> None:
    window = busy.window
    seen = walk(busy, Qt.Key.Key_Tab) + walk(busy, Qt.Key.Key_Backtab)
    missed = [
        f"{type(w).__name__} {w.accessibleName()}"
        for w in controls(window)
        if w.isVisible()
        and w.isEnabled()
        and w.focusPolicy() & Qt.FocusPolicy.TabFocus
        and w not in seen
    ]
    assert missed == []


def test_tab_goes_through_the_window_as_it_is_read(busy: Application) -> None:
    names = [w.accessibleName() for w in walk(busy, Qt.Key.Key_Tab)]
    start = names.index("Fold the sidebar")
    assert names[start : start + 11] == [
        "Fold the sidebar", "New chat", "New temporary chat", "Search chats", "Chats",
        "Models", "Benchmark", "Local server", "Monitor", "Settings",
        "Model: SmolLM2-135M-Instruct, 4-bit · 98 MB",
    ]  # fmt: skip
