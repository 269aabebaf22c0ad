"""Contrast of what is really painted: every visible text and row, from a picture at twice the size.

The ground is the colour that most of a rectangle has; the ink is the pixel that differs most from
it. At twice the size, strokes have pixels that are covered wholly.
"""

from __future__ import annotations

from collections import Counter

import pytest
from PySide6.QtCore import QAbstractAnimation, QPoint, QRect, QSize
from PySide6.QtGui import QColor, QImage, QRegion
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QLabel, QWidget

from app.application import Application
from app.chat.shrinking import ShrinkPhase
from app.ui.transcript.actions import Quiet
from tests.app.conftest import Program
from tests.app.test_application import ask, await_reply
from tests.doubles.engines import Reply, ScriptedRunner
from tests.scenes_smaller import REPORT, alone, at_work, open_page
from tests.ui.test_theme import contrast

ANSWER = "## A heading\n\nWords.\n\n```python\nprint(1)\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |"


def picture_of(window: QWidget) -> QImage:
    picture = QImage(window.size() * 2, QImage.Format.Format_RGB32)
    picture.setDevicePixelRatio(2)
    window.render(picture)
    picture.setDevicePixelRatio(1)
    return picture


def places(window: QWidget) -> list[tuple[str, QRect]]:
    """Return what has text, by name, with where it stands in the window."""
    found: list[tuple[str, QRect]] = []
    for widget in window.findChildren(QWidget):
        if not widget.isVisible() or not widget.isEnabled() or isinstance(widget, Quiet):
            continue  # what is quiet shows while the mouse is over it
        if isinstance(widget, QLabel | QAbstractButton) and widget.text().strip():
            seen = widget.visibleRegion().boundingRect()
            if seen.size() == widget.size():
                found.append((widget.text(), QRect(widget.mapTo(window, QPoint()), seen.size())))
        if isinstance(widget, QAbstractItemView):
            corner = widget.viewport().mapTo(window, QPoint())
            for number in range(widget.model().rowCount()):
                row = widget.visualRect(widget.model().index(number, 0))
                if widget.viewport().rect().contains(row):
                    name = str(widget.model().index(number, 0).data())
                    found.append((name, row.translated(corner)))
    return [(name, rect) for name, rect in found if not QRegion(rect).isEmpty()]


def strongest(picture: QImage, rect: QRect) -> float:
    """Return the highest contrast of any pixel against the ground of a rectangle."""
    area = picture.copy(QRect(rect.topLeft() * 2, QSize(rect.width() * 2, rect.height() * 2)))
    data = bytes(area.constBits())
    line = area.bytesPerLine()
    pixels = Counter(
        data[at : at + 3]
        for y in range(0, area.height(), 2)
        for at in range(y * line, y * line + area.width() * 4, 4)
    )
    colors = {value: QColor(value[2], value[1], value[0]) for value in pixels}
    ground = colors[pixels.most_common(1)[0][0]]
    return max(contrast(color, ground) for color in colors.values())


@pytest.fixture
def running(program: Program) -> Application:
    running = program.start_ready(ScriptedRunner([Reply(ANSWER)]))
    ask(running, "question")
    await_reply(program, running, 2)
    return running


@pytest.mark.parametrize(("name", "strong"), [("light", False), ("dark", False), ("dark", True)])
def test_every_text_on_the_screen_can_be_read(
    program: Program, running: Application, name: str, strong: bool
) -> None:
    running.look.theme.strong = strong
    running.look.theme.use(name, 1.0)  # type: ignore[arg-type]
    window = running.window
    running.inspector_on_screen.toggle()
    motion = window.parts.sidebar._animation
    program.qtbot.waitUntil(lambda: motion.state() == QAbstractAnimation.State.Stopped)
    low: set[tuple[str, str, float]] = set()
    seen = 0
    open_page(running)
    at_work(running, phase=ShrinkPhase.DONE, report=REPORT)
    pages = ("chat", "models", "add_model", "benchmark", "server", "monitor", "settings", "smaller")
    window.parts.settings.open_section("general")
    for page in (*pages, "open chat", "report alone"):
        if page == "open chat":
            window.parts.settings.open_section("open-chat")
        if page == "report alone":
            alone(running)
        beside = {"open chat": "settings", "report alone": "smaller"}
        window.show_page(beside.get(page, page))
        QTest.qWait(80)
        picture = picture_of(window)
        for text, rect in places(window):
            seen += 1
            measured = strongest(picture, rect)
            if measured < 4.5:
                low.add((page, text, round(measured, 2)))
    assert low == set()
    assert seen > 60
