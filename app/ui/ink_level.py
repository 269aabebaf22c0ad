"""The ink level: how much of the context is used, what the draft would add, what is left."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.ui.look import Look

NEARLY_FULL = 0.9  # of the context: from here on the colour warns


class InkLevel(QWidget):
    """Three pixels at the foot of the message box, told in words to screen readers."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._used = self._draft = self._size = 0
        self.setFixedHeight(3)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        look.follow(self._on_look_changed)

    def show_tokens(self, used: int, draft: int, size: int) -> None:
        """Show tokens in use and in the draft, of the context's size (0: nothing loaded)."""
        if (used, draft, size) != (self._used, self._draft, self._size):
            self._used, self._draft, self._size = used, draft, size
            self._on_look_changed()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint used ink, the draft, and the stone that is left."""
        painter = QPainter(self)
        theme, width = self._look.theme, self.width()
        painter.fillRect(self.rect(), theme.color("stone3"))
        if self._size <= 0:
            return
        used = min(1.0, self._used / self._size)
        draft = min(1.0 - used, self._draft / self._size)
        full = used + draft >= NEARLY_FULL
        painter.fillRect(QRectF(0, 0, width * used, 3), theme.color("ochre" if full else "ink"))
        painter.fillRect(
            QRectF(width * used, 0, width * draft, 3), theme.color("ochre" if full else "accent")
        )

    def _on_look_changed(self) -> None:
        self.setAccessibleName(
            self._look.language.text(
                "ink-level", used=self._used, draft=self._draft, size=self._size
            )
        )
        self.update()
