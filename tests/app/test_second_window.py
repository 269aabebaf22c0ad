"""A second window over the same home: it says so where notices stand, and offers to close."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QPushButton, QWidget

from app.chat.model_session import ModelPhase
from app.store.folders import chats_path, data_folder
from app.store.instance_lock import InstanceLock
from tests.app.conftest import Program


@pytest.fixture
def first_window() -> Iterator[None]:
    """Hold the home as another program would."""
    path = chats_path(data_folder())
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = InstanceLock(path.with_name(path.name + ".lock"))
    yield
    lock.release()


def area(widget: QWidget) -> QRect:
    return QRect(widget.mapTo(widget.window(), QPoint(0, 0)), widget.size())


@pytest.mark.usefixtures("first_window")
@pytest.mark.parametrize("code", ["en", "zh_CN"])
def test_it_says_above_the_message_box_that_nothing_is_kept(
    program: Program, tmp_path: Path, code: str
) -> None:
    running = program.start(model=tmp_path / "a.gguf")  # no first page: the chat shows at once
    running.look.language.use(code)
    notices, box = running.window.notices, running.window.parts.chat.box
    program.qtbot.waitUntil(lambda: "store-in_use" in notices.keys())  # noqa: SIM118
    assert notices.window() is running.window
    assert area(notices).bottom() < area(box).top()
    assert (area(notices).left(), notices.width()) == (area(box).left(), box.width())
    said = notices._bars["store-in_use"].accessibleName()
    assert (
        said
        == {
            "en": "Inkstone is already open. What is written in this second window is not kept.",
            "zh_CN": "Inkstone 已经打开了。在这第二个窗口里写的内容不会保存。",
        }[code]
    )


@pytest.mark.usefixtures("first_window")
def test_two_notices_are_both_readable_in_the_smallest_window(
    program: Program, tmp_path: Path
) -> None:
    running = program.start(model=tmp_path / "a.gguf")
    running.window.resize(720, 560)
    notices = running.window.notices
    program.qtbot.waitUntil(lambda: running.model.state.phase is ModelPhase.READY)
    running.deeds.refuse()
    program.qtbot.wait(100)  # until everything has its place
    assert len(notices.keys()) == 2
    for bar in notices._bars.values():
        words = bar._words
        assert words.height() >= words.heightForWidth(words.width())
        assert notices.rect().contains(bar.geometry())


@pytest.mark.usefixtures("first_window")
def test_its_remedy_closes_the_second_window(program: Program, tmp_path: Path) -> None:
    running = program.start(model=tmp_path / "a.gguf")
    notices = running.window.notices
    program.qtbot.waitUntil(lambda: "store-in_use" in notices.keys())  # noqa: SIM118
    button = notices._bars["store-in_use"].findChild(QPushButton)
    assert isinstance(button, QPushButton)
    assert button.text() == "Close this window"
    button.click()
    assert not running.window.isVisible()
