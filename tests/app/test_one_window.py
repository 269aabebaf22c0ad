"""No part flashes up as a window of its own while it is built, and takes the focus with it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QMenu, QWidget

from tests.app.conftest import Program
from tests.app.test_application import ask, await_reply
from tests.doubles.engines import Reply, ScriptedRunner

LONG = "> quote\n\n1. one\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```python\nprint(1)\n```"


class Windows(QObject):
    """Writes down every window that is shown, but the main one, dialogs and menus."""

    def __init__(self, main: QWidget) -> None:
        super().__init__()
        self._main = main
        self.seen: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget):
            is_known = watched is self._main or isinstance(watched, QDialog | QMenu)
            popup = watched.windowType() in {Qt.WindowType.Popup, Qt.WindowType.ToolTip}
            if watched.isWindow() and not is_known and not popup:
                self.seen.append(type(watched).__name__)
        return False


def test_nothing_is_a_window_on_its_way_into_the_window(program: Program) -> None:
    running = program.start_ready(ScriptedRunner([Reply(LONG)]))
    windows = Windows(running.window)
    app = QApplication.instance()
    assert app is not None
    app.installEventFilter(windows)
    try:
        running.window.show_page("welcome")
        for page in ("models", "add_model", "benchmark", "server", "monitor", "settings"):
            running.window.show_page(page)
            QTest.qWait(20)
        running.window.show_page("smaller")
        running.window.show_page("chat")
        ask(running, "Hello?")
        await_reply(program, running, 2)
        running.inspector_on_screen.toggle()
        running.window.parts.chat.verbs.edit_last()
        running.window.parts.chat.transcript.open_find()
        running.templates_on_screen.edit()
        QTest.qWait(50)
    finally:
        app.removeEventFilter(windows)
    assert windows.seen == []
