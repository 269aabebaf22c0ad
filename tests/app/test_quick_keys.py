"""The key for quick questions: chosen, refused, held by the desktop's own means."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from shutil import which

import pytest
from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication

from app.application import Application
from app.start.login import quick_command, start_command
from app.start.shortcut import Answer, GlobalShortcut, global_shortcut
from installers.measure_start import screen as xvfb
from tests.app.conftest import Program

ROOT = Path(__file__).resolve().parents[2]


class Keyboard(GlobalShortcut):
    """A desktop that answers as it is told."""

    def __init__(self, answer: Answer) -> None:
        super().__init__()
        self.answer, self.asked, self.is_released = answer, list[str](), False

    def hold(self, keys: str) -> Answer:
        self.asked.append(keys)
        return self.answer

    def release(self) -> None:
        self.is_released = True


def choose(program: Program, answer: Answer) -> tuple[Application, Keyboard]:
    running = program.start_ready()
    keyboard = Keyboard(answer)

    def make(parent: QObject) -> GlobalShortcut:
        return keyboard

    running.surroundings.quick_keys._make = make
    running.window.parts.settings.change("quick_keys", "ctrl-alt-space")
    return running, keyboard


def test_a_chosen_key_turns_quick_questions_on_and_opens_the_window(program: Program) -> None:
    running, keyboard = choose(program, Answer.HELD)
    assert keyboard.asked == ["ctrl-alt-space"]
    assert running.settings.settings.quick_ask
    running.window.hide()
    keyboard.pressed.emit()
    quick = running.surroundings.quick.quick
    assert quick is not None
    assert quick.isVisible()
    running.window.parts.settings.change("quick_ask", False)
    assert keyboard.is_released


def test_a_key_of_another_program_is_refused_and_the_setting_put_back(program: Program) -> None:
    running, keyboard = choose(program, Answer.TAKEN)
    assert running.settings.settings.quick_keys == ""
    assert keyboard.is_released
    said = running.window.notices._bars["quick_keys"].accessibleName()
    assert said.startswith("Ctrl Alt Space belongs to another program.")


def test_where_keys_are_the_desktops_the_command_is_offered(program: Program) -> None:
    running, _ = choose(program, Answer.NO_WAY)
    bar = running.window.notices._bars["quick_keys"]
    assert bar.accessibleName().startswith("Here, keys belong to the desktop.")
    bar._button.click()
    assert QGuiApplication.clipboard().text().endswith("--quick")


def test_the_key_is_held_again_at_the_next_start(program: Program) -> None:
    running = program.start_ready()
    running.settings.change(quick_ask=True, quick_keys="super-i")
    keyboard = Keyboard(Answer.HELD)
    running.surroundings.quick_keys._make = lambda _: keyboard
    running.surroundings.quick_keys.begin()
    assert keyboard.asked == ["super-i"]


def test_the_tray_asks_too_once_quick_questions_are_on(program: Program) -> None:
    running = program.start_ready()
    tray = running.surroundings.tray
    assert not tray._quick.isVisible()
    running.window.parts.settings.change("quick_ask", True)
    assert tray._quick.isVisible()
    tray._quick.trigger()
    assert running.surroundings.quick.quick is not None


def test_the_command_outlives_an_update(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert quick_command()[0] == sys.executable
    root = tmp_path / "inkstone"
    program = root / "versions" / "1.3.0" / "program" / "inkstone-window"
    program.parent.mkdir(parents=True)
    for file in (program, root / "install.sh", root / "inkstone-window"):
        file.touch()
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(program))
    assert start_command() == [str(root / "inkstone-window")]
    (root / "install.sh").unlink()
    assert quick_command() == [str(program), "--quick"]


X_SCRIPT = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
from app.start.shortcut import Answer, global_shortcut
app = QGuiApplication(sys.argv)
shortcut = global_shortcut(app)
shortcut.pressed.connect(lambda: (print("pressed", flush=True), app.quit()))
print(shortcut.hold("ctrl-alt-space").value, flush=True)
second = global_shortcut(app)
print(second.hold("ctrl-alt-space").value, second.hold("super-i").value, flush=True)
second.release()
QTimer.singleShot(0, lambda: print("listens", flush=True))
QTimer.singleShot(60_000, app.quit)
app.exec()
shortcut.release()
shortcut.release()
"""
PRESS = """
from Xlib.display import Display
from Xlib import X, XK
from Xlib.ext import xtest
display = Display()
names = ("Caps_Lock", None, "Control_L", "Alt_L", "space")
codes = [display.keysym_to_keycode(XK.string_to_keysym(name)) for name in names if name]
caps, *keys = codes
xtest.fake_input(display, X.KeyPress, caps); xtest.fake_input(display, X.KeyRelease, caps)
for code in keys: xtest.fake_input(display, X.KeyPress, code)
for code in reversed(keys): xtest.fake_input(display, X.KeyRelease, code)
display.sync()
"""


def test_where_a_wayland_desktop_is_above_no_key_is_promised(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(QGuiApplication, "platformName", lambda: "xcb")
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    assert global_shortcut().hold("super-i") is Answer.NO_WAY


@pytest.mark.skipif(which("Xvfb") is None, reason="Xvfb is missing (apt-get install xvfb)")
def test_a_real_x_server_gives_one_key_and_no_second_time() -> None:
    """The key is pressed by the X server itself, with Caps Lock on."""
    surroundings = os.environ | {"PYTHONPATH": str(ROOT), "QT_QPA_PLATFORM": "xcb"}
    surroundings.pop("WAYLAND_DISPLAY", None)
    with xvfb("1600x1000") as screen:
        surroundings["DISPLAY"] = screen
        listener = subprocess.Popen(
            [sys.executable, "-c", X_SCRIPT], env=surroundings, stdout=subprocess.PIPE, text=True
        )
        assert listener.stdout is not None
        with listener:
            said = [listener.stdout.readline().strip() for _ in range(3)]
            subprocess.run([sys.executable, "-c", PRESS], env=surroundings, check=True, timeout=60)
            said += listener.stdout.read().split()
    assert said == ["held", "taken held", "listens", "pressed"]
