"""The small painted meters of the status line: nine bars of live speed, the fill of the context."""

from __future__ import annotations

from collections import deque

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.ui.theme import Theme

_BARS, _BAR, _GAP, _TALLEST = 9, 3, 2, 12


class SpeedBars(QWidget):
    """The last nine speeds, half a second each; decoration beside the figure that says it."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._speeds: deque[float] = deque(maxlen=_BARS)
        self.setFixedSize(_BARS * _BAR + (_BARS - 1) * _GAP, _TALLEST)
        theme.changed.connect(self.update)

    def push(self, tokens_per_second: float) -> None:
        """Add a speed; the oldest falls out at the left."""
        self._speeds.append(tokens_per_second)
        self.update()

    def clear(self) -> None:
        """Forget the speeds: another reply begins."""
        self._speeds.clear()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint bars in proportion to the fastest of them; those to come are stubs of stone."""
        painter = QPainter(self)
        fastest = max(self._speeds, default=0.0)
        missing = _BARS - len(self._speeds)
        for number in range(_BARS):
            known = number >= missing and fastest > 0
            share = self._speeds[number - missing] / fastest if known else 0.0
            height = max(2, round(_TALLEST * share))
            color = self._theme.color("accent" if known else "stone3")
            painter.fillRect(number * (_BAR + _GAP), _TALLEST - height, _BAR, height, color)


class FillBar(QWidget):
    """How much of something is used: a thin bar, in ochre when nearly full."""

    def __init__(self, theme: Theme, width: int, height: int = 6) -> None:
        super().__init__()
        self._theme = theme
        self._share = 0.0
        self._token = "accent"
        if width:
            self.setFixedWidth(width)
        self.setFixedHeight(height)
        theme.changed.connect(self.update)

    def show_share(self, share: float, token: str = "accent") -> None:
        """Fill to a share between 0 and 1, in a colour of the palette."""
        self._share, self._token = min(1.0, max(0.0, share)), token
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the track, then the filled part over it."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.color("stone3"))
        painter.drawRoundedRect(QRectF(self.rect()), 2, 2)
        if self._share > 0:
            painter.setBrush(self._theme.color(self._token))
            filled = QRectF(0, 0, max(4.0, self.width() * self._share), self.height())
            painter.drawRoundedRect(filled, 2, 2)
