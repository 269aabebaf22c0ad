"""What later starts and the system ask of the window: come to the front, open this file."""

from __future__ import annotations

import os
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, Signal, Slot
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication, QWidget

from app.start.request import StartRequest
from app.ui.deeds import Deeds
from app.ui.main_window import MainWindow
from app.ui.model_drop import ModelDrop
from app.ui.model_shelf import ModelShelf


class WindowedApplication(QApplication):
    """Qt's application, and the files that macOS opens with it: those come as events."""

    file_opened = Signal(str)

    def __init__(self, arguments: list[str]) -> None:
        super().__init__(arguments)
        self.early: list[str] = []  # files that came before there was a window

    def event(self, event: QEvent) -> bool:
        """Take a file that the system opens with this program."""
        if isinstance(event, QFileOpenEvent) and event.file():
            self.early.append(event.file())
            self.file_opened.emit(event.file())
            return True
        return super().event(event)


class StartOnScreen(QObject):
    """Answers a start of the program that found this window open.

    ``quick_wanted`` is emitted where it wants the window for a quick question instead of this one.

    Args:
        app: Qt's application.
        shelf: lists a file that the program was started with.
        window: comes to the front.
        deeds: opens files.
    """

    quick_wanted = Signal()

    def __init__(
        self, app: QApplication, shelf: ModelShelf, window: MainWindow, deeds: Deeds
    ) -> None:
        super().__init__(window)
        self._app, self._shelf, self._window, self._deeds = app, shelf, window, deeds
        ModelDrop(window).dropped.connect(deeds.open_path)

    def begin(self, file: Path | None) -> None:
        """List the file that the program was started with, and take those that the system opens."""
        if file is not None:
            self._shelf.identify(file, lambda facts: self._shelf.add_file(file), lambda fault: None)
        if isinstance(self._app, WindowedApplication):
            for early in self._app.early:
                self._deeds.open_path(early)
            self._app.file_opened.connect(self._deeds.open_path)

    @Slot(object)
    def on_asked(self, request: StartRequest) -> None:
        """Come to the front, and open what a later start was asked to open."""
        if request.token:  # what a Wayland compositor wants to see before it raises a window
            os.environ["XDG_ACTIVATION_TOKEN"] = request.token
        if request.quick and request.file is None:
            self.quick_wanted.emit()
            return
        come_forward(self._window)
        if request.file is not None:
            self._deeds.open_path(str(request.file))


def come_forward(window: QWidget) -> None:
    """Show a window, however it was hidden, above the others."""
    window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
    window.show()
    window.raise_()
    window.activateWindow()
