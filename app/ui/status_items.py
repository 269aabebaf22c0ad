"""The pieces of the status line: an icon, words and figures in a row, a hairline between two."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QWidget

from app.ui.look import Look
from app.ui.words import Plain
from engine.contract import Memory


class StatusIcon(QLabel):
    """A 14 px icon in a colour of the palette, following the theme and the text size."""

    def __init__(
        self, look: Look, icon: str, color: str = "ink2", size: int = 14, *, tall: int = 0
    ) -> None:
        super().__init__()
        self._look, self._icon, self._color, self._size = look, icon, color, size
        self._tall = tall  # px that it is at least, beside a taller line
        look.follow(self._on_look_changed)

    def show_icon(self, icon: str, color: str) -> None:
        """Show another icon."""
        if (icon, color) != (self._icon, self._color):
            self._icon, self._color = icon, color
            self._on_look_changed()

    def _on_look_changed(self) -> None:
        ratio, side = self.devicePixelRatioF(), self._look.theme.px(self._size)
        self.setFixedSize(side, max(side, self._tall))
        self.setPixmap(self._look.theme.pixmap(self._icon, self._color, side, ratio))


class StatusItem(QWidget):
    """One thing that the status line says; after every item but the last stands a hairline."""

    def __init__(self, *parts: QWidget, gap: int = 6) -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(gap)
        for part in parts:
            row.addWidget(part)
        row.addSpacing(12 - gap)
        self._rule = QFrame()
        self._rule.setObjectName("rule")
        self._rule.setFixedSize(1, 14)
        row.addWidget(self._rule)

    def set_last(self, last: bool) -> None:
        """Leave the hairline out after the last item."""
        self._rule.setVisible(not last)


class Phrase(QWidget):
    """Words around one bold figure: ``before``, figure, ``after``; empty parts take no room."""

    def __init__(self) -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        self._before, self._figure, self._after = Plain(), Plain(kind="figure"), Plain()
        for part in (self._before, self._figure, self._after):
            row.addWidget(part)

    def say(self, before: str = "", figure: str = "", after: str = "") -> None:
        """Show the three parts."""
        parts = ((self._before, before), (self._figure, figure), (self._after, after))
        for label, text in parts:
            if label.text() != text:
                label.setText(text)
            label.setVisible(bool(text))
        self.setAccessibleName(" ".join(text for _, text in parts if text))


def held(memory: Memory) -> int:
    """Return how much memory a model takes in all, in bytes."""
    return memory.weights + memory.cache + memory.workspace
