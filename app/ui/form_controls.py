"""Painted controls of forms: a switch, and a slider with a tick at its default."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSlider

from app.ui.look import Look

_SWITCH = QSize(34, 20)
_KNOB = 16  # px: the slider's knob, its edge included


class Switch(QAbstractButton):
    """On or off, at once; named by ``text_id`` for screen readers."""

    def __init__(self, look: Look, text_id: str) -> None:
        super().__init__()
        self._look, self._id = look, text_id
        self.setCheckable(True)
        self.setFixedSize(_SWITCH)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        look.follow(self._on_look_changed)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the track, then the knob at its end."""
        theme, on = self._look.theme, self.isChecked()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        track = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        edge, fill, knob = ("accent", "accent", "paper") if on else ("edge", "stone2", "edge")
        if not self.isEnabled():
            edge, fill, knob = ("line", "stone3", "paper") if on else ("line", "paper", "stone3")
        painter.setPen(theme.color(edge))
        painter.setBrush(theme.color(fill))
        painter.drawRoundedRect(track, 10, 10)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color(knob))
        left = self.width() - 17 if on else 3
        painter.drawEllipse(QRectF(left, 3, 14, 14))

    def sizeHint(self) -> QSize:
        """Return the fixed size."""
        return _SWITCH

    def _on_look_changed(self) -> None:
        self.setAccessibleName(self._look.language.text(self._id))
        self.update()


class Slider(QSlider):
    """A value on a line; the small tick is the default, a double click returns to it."""

    def __init__(self, look: Look, text_id: str, low: int, high: int, default: int) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._look, self._id, self._default = look, text_id, default
        self.setRange(low, high)
        self.setValue(default)
        self.setFixedHeight(28)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        look.follow(self._on_look_changed)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to where the mouse is, rather than a page towards it."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.setSliderDown(True)
            self._go_to(event.position().x())
            event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Follow the mouse."""
        if self.isSliderDown():
            self._go_to(event.position().x())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go."""
        self.setSliderDown(False)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Return to the default."""
        self.setValue(self._default)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the line, the part up to the knob, the tick of the default, the knob."""
        theme = self._look.theme
        color = theme.color("accent" if self.isEnabled() else "dis")
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        middle, knob = self.height() / 2, self._place(self.value())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("stone3"))
        painter.drawRoundedRect(QRectF(0, middle - 2, self.width(), 4), 2, 2)
        painter.setBrush(color)
        painter.drawRoundedRect(QRectF(0, middle - 2, knob, 4), 2, 2)
        painter.fillRect(
            QRectF(self._place(self._default) - 0.5, middle + 8, 1, 5), theme.color("ink3")
        )
        self._paint_knob(painter, knob, middle, color)

    def _paint_knob(self, painter: QPainter, x: float, middle: float, color: QColor) -> None:
        painter.setPen(QPen(color, 2))
        painter.setBrush(self._look.theme.color("paper"))
        size = _KNOB - 2
        painter.drawEllipse(QRectF(x - size / 2, middle - size / 2, size, size))

    def _place(self, value: int) -> float:
        """Return the middle of the knob for a value, in pixels."""
        share = (value - self.minimum()) / max(1, self.maximum() - self.minimum())
        return _KNOB / 2 + share * (self.width() - _KNOB)

    def _go_to(self, x: float) -> None:
        share = (x - _KNOB / 2) / max(1, self.width() - _KNOB)
        span = self.maximum() - self.minimum()
        self.setValue(round(self.minimum() + min(1.0, max(0.0, share)) * span))

    def _on_look_changed(self) -> None:
        self.setAccessibleName(self._look.language.text(self._id))
        self.update()
