"""Opening a model's file: by a start, by a later one, by letting it go, by the system."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget

from app.application import Application
from app.chat.model_session import ModelPhase
from app.start.request import StartRequest
from engine.contract import EngineError, Fault, FaultKind, ModelFacts
from engine.library.scan import Found
from tests.app.conftest import Program

ROOT = Path(__file__).parents[2]
OPEN_EVENT = """
import sys
from pathlib import Path
from PySide6.QtGui import QFileOpenEvent
from app.ui.start_on_screen import WindowedApplication
app = WindowedApplication(sys.argv[:1])
app.sendEvent(app, QFileOpenEvent("/models/a.gguf"))
told = []
app.file_opened.connect(told.append)
app.sendEvent(app, QFileOpenEvent("/models/b.gguf"))
assert (app.early, told) == (["/models/a.gguf", "/models/b.gguf"], ["/models/b.gguf"])
"""
TWO_SCREENS = [
    {"name": "one", "x": 0, "y": 0, "width": 1920, "height": 1080},
    {"name": "two", "x": 1920, "y": 0, "width": 1920, "height": 1080},
]
PLACE = """
import sys
from PySide6.QtWidgets import QApplication, QWidget
from app.ui.window_place import restore_place, saved_place
app = QApplication(sys.argv[:1])
window = QWidget()
if len(sys.argv) == 1:
    window.setGeometry(2500, 300, 1000, 700)
    window.show()
    print(saved_place(window))
else:
    window.resize(1280, 832)
    restore_place(window, sys.argv[1])
    window.show()
    screen, frame = window.screen().availableGeometry(), window.frameGeometry()
    assert screen.intersects(frame), frame
    print(screen.intersected(frame).width(), frame.top() - screen.top(), screen.width())
"""


def model_outside(tmp_path: Path) -> Path:
    """A model that lies in none of the folders that are known."""
    path = tmp_path / "下载 folder" / "a.gguf"
    path.parent.mkdir()
    path.touch()
    return path


def is_loaded(running: Application, path: Path) -> bool:
    return running.model.state.phase is ModelPhase.READY and running.model.state.path == path


def drop(widget: QWidget, *paths: Path) -> bool:
    """Drag files over a widget and let them go; whether they were taken."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    copy, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier(0)
    enter = QDragEnterEvent(QPoint(9, 9), copy, data, left, none)
    enter.ignore()
    QApplication.sendEvent(widget, enter)
    if enter.isAccepted():
        QApplication.sendEvent(widget, QDropEvent(QPointF(9, 9), copy, data, left, none))
    return enter.isAccepted()


def test_the_file_of_a_start_is_listed_where_it_lies_and_loaded(
    program: Program, tmp_path: Path
) -> None:
    path = model_outside(tmp_path)
    running = program.start(model=path)
    program.qtbot.waitUntil(lambda: is_loaded(running, path))
    program.qtbot.waitUntil(lambda: running.settings.settings.model_folders == (str(path),))
    assert path.exists()
    assert [source.folder for source in program.shelves.looked_into[-1]][-1] == path


def test_a_later_start_raises_the_window_and_its_file_is_opened(
    program: Program, tmp_path: Path
) -> None:
    path = model_outside(tmp_path)
    running = program.start_ready()
    running.window.showMinimized()
    running.surroundings.start.on_asked(StartRequest())
    assert running.window.isVisible()
    assert not running.window.isMinimized()
    running.surroundings.start.on_asked(StartRequest(path))
    program.qtbot.waitUntil(lambda: is_loaded(running, path))
    assert str(path) in running.settings.settings.model_folders


def test_a_model_that_a_known_folder_has_is_not_listed_twice(program: Program) -> None:
    running = program.start_ready()
    other = program.shelves.add("other")
    running.surroundings.start.on_asked(StartRequest(other))
    program.qtbot.waitUntil(lambda: is_loaded(running, other))
    assert running.settings.settings.model_folders == ()


@pytest.mark.parametrize("kind", [FaultKind.FILE_MISSING, FaultKind.FILE_DAMAGED])
def test_a_file_that_cannot_be_opened_is_answered_and_the_model_stays(
    program: Program, tmp_path: Path, kind: FaultKind
) -> None:
    bad = tmp_path / "bad.gguf"
    program.shelves.broken.append(Found(bad, fault=Fault(kind, {"path": str(bad), "detail": "x"})))
    running = program.start_ready()
    running.surroundings.start.on_asked(StartRequest(bad))
    program.qtbot.waitUntil(lambda: "model" in running.window.notices.keys())  # noqa: SIM118
    assert "bad.gguf" in running.window.notices._bars["model"].accessibleName()
    assert running.model.state.phase is ModelPhase.READY
    assert running.settings.settings.model_folders == ()


def test_a_folder_without_a_model_says_so_and_is_looked_into_from_now_on(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = tmp_path / "空 folder"
    empty.mkdir()

    def refuse(path: Path) -> ModelFacts:
        raise EngineError(FaultKind.NOTHING_TO_LOAD, path=str(path))

    monkeypatch.setattr(program.shelves, "identify", refuse)
    running = program.start()
    running.deeds.open_path(str(empty))
    program.qtbot.waitUntil(lambda: "model" in running.window.notices.keys())  # noqa: SIM118
    said = running.window.notices._bars["model"].accessibleName()
    assert said.startswith(f"No model lies in {empty}.")
    assert running.window.page == "models"
    assert str(empty) in running.settings.settings.model_folders


@pytest.mark.parametrize("page", ["chat", "settings", "models", "welcome"])
def test_a_model_let_go_over_any_page_is_opened(
    program: Program, tmp_path: Path, page: str
) -> None:
    path = model_outside(tmp_path)
    running = program.start_ready()
    running.window.show_page(page)
    target = running.window.parts.chat if page == "chat" else running.window
    assert drop(target, path)
    program.qtbot.waitUntil(lambda: is_loaded(running, path))


def test_other_files_let_go_over_the_window_are_not_taken(program: Program, tmp_path: Path) -> None:
    running = program.start_ready()
    assert not drop(running.window, tmp_path / "a.pdf")
    assert not drop(running.window, tmp_path / "a.gguf", tmp_path / "b.gguf")


def child(code: str, *arguments: str, platform: str = "offscreen") -> str:
    ran = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=ROOT, capture_output=True, text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT), "QT_QPA_PLATFORM": platform}, timeout=60,
        check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip()


def test_files_that_the_system_opens_before_and_after_the_window_arrive() -> None:
    child(OPEN_EVENT)


@pytest.mark.parametrize(
    "left",
    [
        [TWO_SCREENS[0]],
        [{"name": "small", "x": 0, "y": 0, "width": 1024, "height": 600}],
        [{"name": "left", "x": -1920, "y": 0, "width": 1920, "height": 1080}, TWO_SCREENS[0]],
    ],
)
def test_a_window_from_a_screen_that_is_gone_comes_up_on_one_that_is_there(
    tmp_path: Path, left: list[dict[str, object]]
) -> None:
    platforms = []
    for name, screens in (("before", TWO_SCREENS), ("after", left)):
        config = tmp_path / f"{name}.json"
        config.write_text(json.dumps({"screens": screens}))
        platforms.append(f"offscreen:configfile={config}")
    place = child(PLACE, platform=platforms[0])
    shown, top, width = map(int, child(PLACE, place, platform=platforms[1]).split())
    assert shown >= min(600, width)
    assert top >= 0
