"""Where one is on the way to a model: this computer, the choice, the download."""

from __future__ import annotations

from enum import Enum, auto

from PySide6.QtCore import QRectF, QSize, Qt, Slot
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.ui.look import Look
from app.ui.words import Plain

_STEPS = ("step-computer", "step-choose", "step-download")
_SIDE = 22  # px


class StepState(Enum):
    """What is to be said of a step."""

    DONE = auto()
    NOW = auto()
    TO_COME = auto()


class _Mark(QWidget):
    """A number in a circle of ink (now), of stone (to come), or a tick."""

    def __init__(self, look: Look, number: int) -> None:
        super().__init__()
        self._look, self._number = look, number
        self.state = StepState.TO_COME
        self.setFixedSize(QSize(_SIDE, _SIDE))
        look.follow(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the circle, then what stands in it."""
        theme, now = self._look.theme, self.state is StepState.NOW
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = {StepState.DONE: "accentWash", StepState.NOW: "ink", StepState.TO_COME: "paper"}
        to_come = self.state is StepState.TO_COME
        painter.setPen(theme.color("edge") if to_come else Qt.PenStyle.NoPen)
        painter.setBrush(theme.color(ground[self.state]))
        painter.drawEllipse(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))
        if self.state is StepState.DONE:
            icon = theme.pixmap("check", "accent", 12, self.devicePixelRatioF())
            painter.drawPixmap((_SIDE - 12) // 2, (_SIDE - 12) // 2, icon)
            return
        font = theme.font("caption")
        font.setBold(now)
        painter.setFont(font)
        painter.setPen(theme.color("onInk" if now else "ink2"))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, str(self._number))


class Steps(QWidget):
    """The three steps beside each other."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._marks = [_Mark(look, number) for number in range(1, len(_STEPS) + 1)]
        self._names = [Plain("", "small2") for _ in _STEPS]
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 8, 0)
        row.setSpacing(8)
        for mark, name in zip(self._marks, self._names, strict=True):
            row.addWidget(mark)
            row.addWidget(name)
            row.addSpacing(12 if mark is not self._marks[-1] else 0)
        look.follow(self._on_look_changed)

    def show_states(self, *states: StepState) -> None:
        """Show what is done, what is on, and what is to come."""
        for mark, state in zip(self._marks, states, strict=True):
            mark.state = state
            mark.update()
        self._on_look_changed()

    @Slot()
    def _on_look_changed(self) -> None:
        text = self._look.language.text
        said = []
        for mark, name, text_id in zip(self._marks, self._names, _STEPS, strict=True):
            name.setText(text(text_id))
            name.set_kind("small-bold" if mark.state is StepState.NOW else "small2")
            said.append(text(f"step-{mark.state.name.lower().replace('_', '-')}", step=name.text()))
        self.setAccessibleName(" · ".join(said))
