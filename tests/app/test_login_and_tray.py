"""Starting at login and the icon in the tray, between setting, system and window."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from PySide6.QtWidgets import QApplication, QSystemTrayIcon

from app.application import Application
from app.start.login import login_command
from app.start.request import StartRequest
from app.store.settings import Settings
from tests.app.conftest import Program


class Entry:
    """A double of the system's place."""

    def __init__(self) -> None:
        self.command: list[str] | None = None
        self.refuses = False

    def read(self) -> bytes | None:
        return None if self.command is None else b"x"

    def write(self, command: Sequence[str]) -> None:
        if self.refuses:
            raise PermissionError(13, "Permission denied")
        self.command = list(command)

    def remove(self) -> None:
        self.command = None


@pytest.fixture
def entry(monkeypatch: pytest.MonkeyPatch) -> Entry:
    entry = Entry()
    monkeypatch.setattr("app.ui.login_on_screen.login_entry", lambda: entry)
    return entry


def kept(running: Application) -> Settings:
    return running.settings.settings


def test_the_switch_writes_and_removes_the_entry(program: Program, entry: Entry) -> None:
    page = program.start_ready().window.parts.settings
    page.change("start_at_login", True)
    program.qtbot.waitUntil(lambda: entry.command == login_command())
    page.change("start_at_login", False)
    program.qtbot.waitUntil(lambda: entry.command is None)


def test_a_refusal_is_said_and_the_switch_goes_back(program: Program, entry: Entry) -> None:
    running = program.start_ready()
    entry.refuses = True
    running.window.parts.settings.change("start_at_login", True)
    notices = running.window.notices
    program.qtbot.waitUntil(lambda: "start_at_login" in notices.keys())  # noqa: SIM118
    assert "Permission denied" in notices._bars["start_at_login"].accessibleName()
    assert not kept(running).start_at_login


@pytest.mark.parametrize("there", [True, False])
def test_what_was_done_outside_is_followed(program: Program, entry: Entry, there: bool) -> None:
    """A moved program writes its entry again; an entry that was removed stays removed."""
    running = program.start_ready()
    running.settings.change(start_at_login=True)
    program.end()
    entry.command = ["/old/place"] if there else None
    running = program.start_ready()
    if there:
        program.qtbot.waitUntil(lambda: entry.command == login_command())
    else:
        program.qtbot.waitUntil(lambda: not kept(running).start_at_login)
        assert entry.command is None


@pytest.mark.usefixtures("entry")
def test_with_an_icon_the_window_closes_into_the_tray(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", lambda: True)
    running = program.start_ready()
    page = running.window.parts.settings
    page.change("tray_icon", True)
    running.window.close()
    assert not running.window.isVisible()
    assert not running._closed
    running.surroundings.tray.icon.activated.emit(QSystemTrayIcon.ActivationReason.Trigger)
    assert running.window.isVisible()
    page.change("tray_icon", False)
    assert running.surroundings.tray.icon is None
    running.window.close()
    assert running._closed


@pytest.mark.usefixtures("entry")
@pytest.mark.parametrize("way", ["menu", "session"])
def test_quit_and_the_end_of_the_session_end_it_all_the_same(
    program: Program, qapp: QApplication, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", lambda: True)
    running = program.start_ready()
    running.window.parts.settings.change("tray_icon", True)
    if way == "menu":
        running.surroundings.tray.menu.actions()[-1].trigger()
    else:
        running.surroundings.tray._on_session_ends()
        running.window.close()
    assert running._closed


@pytest.mark.usefixtures("entry")
def test_where_there_is_no_tray_it_says_so_and_closing_ends(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", lambda: False)
    running = program.start_ready()
    running.window.parts.settings.change("tray_icon", True)
    notices = running.window.notices
    assert notices._bars["tray_icon"].accessibleName().startswith("There is no tray here.")
    running.window.close()
    assert running._closed


@pytest.mark.usefixtures("entry")
@pytest.mark.parametrize("tray", [True, False])
def test_a_minimised_start_waits_until_it_is_wanted(
    program: Program, monkeypatch: pytest.MonkeyPatch, tray: bool
) -> None:
    monkeypatch.setattr(QSystemTrayIcon, "isSystemTrayAvailable", lambda: tray)
    running = program.start_ready()
    running.settings.change(tray_icon=True)
    program.end()
    start = Application.start
    monkeypatch.setattr(Application, "start", lambda self: start(self, minimised=True))
    running = program.start(is_known=False)
    assert running.window.isVisible() is not tray
    assert running.window.isMinimized() is not tray
    running.surroundings.start.on_asked(StartRequest())
    assert running.window.isVisible()
    program.qtbot.waitUntil(lambda: running.shelf.is_known)
