"""What stands between the window and the system that it runs on."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from PySide6.QtWidgets import QApplication

from app.start.request import StartRequest
from app.start.single import SingleInstance, wait_for_end
from app.store.folders import lock_path
from app.store.settings import SettingsFile
from app.ui.about.on_screen import AboutOnScreen
from app.ui.background import Background
from app.ui.deeds import Deeds
from app.ui.density import Density
from app.ui.login_on_screen import LoginOnScreen
from app.ui.main_window import MainWindow
from app.ui.model_shelf import ModelShelf
from app.ui.quick.keys import QuickKeys
from app.ui.quick.on_screen import QuickOnScreen
from app.ui.runtime.on_screen import RuntimeOnScreen
from app.ui.start_on_screen import StartOnScreen, WindowedApplication
from app.ui.tray import Tray
from app.ui.update.on_screen import UpdateOnScreen
from app.ui.window_place import fit_to_screen

_SAVING_S = 5.0  # the longest that the program before may still need for its chats


class Surroundings:
    """Later starts, start at login, the tray, quick questions, newer versions, density."""

    def __init__(
        self,
        app: QApplication,
        window: MainWindow,
        deeds: Deeds,
        shelf: ModelShelf,
        settings: SettingsFile,
        background: Background,
        quick: QuickOnScreen,
    ) -> None:
        self._window = window
        self.density = Density(window.look.theme, app)
        self.about = AboutOnScreen(window, background, deeds)
        self.update = UpdateOnScreen(window, settings, shelf.limit)
        self.runtime = RuntimeOnScreen(window, settings, background)
        self.login = LoginOnScreen(settings, background, window, deeds)
        self.tray = Tray(settings, window, deeds)
        self.start = StartOnScreen(app, shelf, window, deeds)
        self.quick = quick
        self.start.quick_wanted.connect(quick.open)
        self.tray.quick_wanted.connect(quick.open)
        self.quick_keys = QuickKeys(window, settings, deeds)
        self.quick_keys.pressed.connect(quick.open)

    def show(self, *, minimised: bool) -> None:
        """Show the window; minimised, it stays in tray or task bar until it is wanted."""
        self.tray.begin()
        if not minimised:
            self._window.show()
        elif self.tray.icon is None:
            self._window.showMinimized()

    def begin(self, file: Path | None) -> None:
        """Begin what may take its time, after the first picture.

        Args:
            file: what the program was started with.
        """
        self.login.begin()
        self.start.begin(file)
        self.quick_keys.begin()

    def close(self) -> None:
        """Take the icon out of the tray, end a quick question, watch no events."""
        self.density.close()
        self.quick_keys.close()
        self.quick.close()
        self.tray.close()
        self.update.close()
        self.runtime.close()


class Running(Protocol):
    """The program around its window."""

    @property
    def window(self) -> MainWindow:
        """The window."""
        ...

    @property
    def surroundings(self) -> Surroundings:
        """What answers later starts."""
        ...

    def start(self, *, minimised: bool) -> None:
        """Show the window."""
        ...

    def close(self) -> None:
        """Save and end everything."""
        ...


def run_once(
    request: StartRequest, folder: Path, build: Callable[[QApplication, StartRequest], Running]
) -> int:
    """Run the window, or hand ``request`` to the one that is open; return the exit status.

    Args:
        request: what this start was asked for.
        folder: the data folder.
        build: builds everything, when this start is the first.
    """
    app = WindowedApplication(sys.argv[:1])
    single = SingleInstance(folder, app)
    if not single.is_first(request):
        return 0
    wait_for_end(lock_path(folder), _SAVING_S)
    program = build(app, request)
    fit_to_screen(program.window)
    program.window.closing.connect(single.close)
    single.asked.connect(program.surroundings.start.on_asked)
    program.start(minimised=request.minimised)
    if request.quick:
        program.surroundings.start.on_asked(request)
    status = app.exec()
    program.close()
    program.surroundings.update.finish()
    return status
