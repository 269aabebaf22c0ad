"""Pictures of the controls by themselves: each kind in each of its states, as picture 11 has them.

They are the program's own widgets under its own style sheet; only where they stand is made here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from app.ui.buttons import Button, Tool
from app.ui.faults import FaultAction, FaultText
from app.ui.focus_ring import FocusRing
from app.ui.form_controls import Slider, Switch
from app.ui.meters import FillBar
from app.ui.notices import Announcement, NoticeBar, Tone
from app.ui.segments import Segments
from app.ui.words import Plain
from tests.scenes_turns import LOOKS
from tests.studio import Scene, Studio

if TYPE_CHECKING:
    from app.application import Application
    from app.ui.look import Look

_KINDS = ("main", "", "quiet", "danger", "link")
_NOTICE = {
    "en": "Not enough memory for Qwen3 14B.| It needs 10.8 GB; 6.1 GB is free.",
    "zh_CN": "内存不够运行 Qwen3 14B。|需要 10.8 GB，现在空闲 6.1 GB。",
}


def controls(scene: Scene) -> None:
    """A page of them in both languages and both themes."""
    for code, theme in LOOKS:
        with scene.window(Studio(), [], theme=theme, language=code) as program:
            page = _page(program.look, code)
            page.resize(760, 700)
            page.show()
            ring = FocusRing(program.look.theme, page)
            ring.surround(page.findChildren(Button)[1])
            hovered = page.findChildren(Button)[2]
            QTest.mouseMove(hovered, QPoint(12, 12))
            page.findChildren(Button)[3].setDown(True)
            _picture(scene, program, page, f"controls-{code}-{theme}")
            page.close()
            page.deleteLater()
            QTest.qWait(20)


def _picture(scene: Scene, program: Application, page: QWidget, name: str) -> None:
    QTest.qWait(200)
    page.grab().save(str(scene._out / f"{name}.png"))
    print(scene._out / f"{name}.png")


def _page(look: Look, code: str) -> QWidget:
    page = QWidget()
    page.setObjectName("paper")
    column = QVBoxLayout(page)
    column.setContentsMargins(24, 20, 24, 20)
    column.setSpacing(14)
    column.addLayout(_buttons(look))
    column.addLayout(_fields(look))
    column.addLayout(_choices(look))
    badges = _row(
        *(Plain(f"{word} 10.8 GB", f"badge{kind}") for kind, word in
          (("", "4"), ("-fits", "✓"), ("-tight", "≈"), ("-big", "×"), ("-found", "Ollama")))
    )  # fmt: skip
    column.addLayout(badges)
    lead, rest = _NOTICE[code].split("|")
    label = look.language.text("undo")
    said = FaultText(lead, rest, label, FaultAction.UNDO)
    for tone in Tone:
        column.addWidget(NoticeBar(look, Announcement(tone.value, tone, lambda _: said, dict)))
    bars = [FillBar(look.theme, 220) for _ in range(3)]
    for bar, share, color in zip(
        bars, (0.62, 0.9, 0.3), ("accent", "ochre", "azurite"), strict=True
    ):
        bar.show_share(share, color)
    column.addLayout(_row(*bars))
    column.addStretch()
    return page


def _buttons(look: Look) -> QGridLayout:
    """Usual, focused, pointed at, pressed, disabled; a row a kind."""
    grid = QGridLayout()
    grid.setSpacing(10)
    for row, kind in enumerate(_KINDS):
        for place in range(5):
            button = Button(look, "chat-delete" if kind == "danger" else "chat-new", kind)
            button.setEnabled(place != 4)
            grid.addWidget(button, row, place)
    tools = [Tool(look, "copy", "transcript-copy"), Tool(look, "path", "inspector-open", side=36)]
    send, still = (Tool(look, "arrow-up", "send", side=36, kind="send") for _ in range(2))
    tools[1].setCheckable(True)
    tools[1].setChecked(True)
    still.setEnabled(False)
    for place, tool in enumerate((*tools, send, still)):
        grid.addWidget(tool, len(_KINDS), place, Qt.AlignmentFlag.AlignLeft)
    return grid


def _fields(look: Look) -> QHBoxLayout:
    fields = [QLineEdit() for _ in range(4)]
    text = look.language.text("chats-search")
    for field in fields[:2]:
        field.setPlaceholderText(text)
    fields[1].setProperty("kind", "soft")
    fields[2].setText("128,000")
    fields[3].setText("42")
    fields[3].setEnabled(False)
    return _row(*fields)


def _choices(look: Look) -> QHBoxLayout:
    switches = [Switch(look, "setting-reduce-motion") for _ in range(3)]
    switches[0].setChecked(True)
    switches[2].setEnabled(False)
    radio, other = (QRadioButton(look.language.text(name)) for name in ("tags", "models"))
    radio.setChecked(True)
    words = {name: (lambda name=name: look.language.text(name)) for name in ("models", "settings")}
    segments = Segments(look, "models-filter", words)
    segments.show_value("models")
    slider = Slider(look, "setting-reduce-motion", 0, 100, 40)
    slider.setValue(60)
    return _row(*switches, radio, other, segments, slider)


def _row(*widgets: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(10)
    for widget in widgets:
        row.addWidget(widget)
    row.addStretch()
    return row
