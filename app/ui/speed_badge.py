"""A badge that says how fast a model will write, where that can be told."""

from __future__ import annotations

from PySide6.QtCore import Slot

from app.ui.look import Look
from app.ui.words import Plain
from engine.library.hubs.catalog import pace_of


class SpeedBadge(Plain):
    """What speed to expect; nothing before it is known.

    Args:
        compares: whether it is compared with reading.
    """

    def __init__(self, look: Look, *, compares: bool = False) -> None:
        super().__init__("", "badge")
        self._look, self._compares = look, compares
        self._speed, self._allowed = 0.0, True
        look.follow(self._on_look_changed)

    def show_speed(self, speed: float) -> None:
        """Say so many tokens a second; 0 is not known."""
        self._speed = speed
        self._on_look_changed()

    def allow(self, allowed: bool) -> None:
        """Make room for something else, or not."""
        self._allowed = allowed
        self._on_look_changed()

    @Slot()
    def _on_look_changed(self) -> None:
        text_id = f"welcome-speed-{pace_of(self._speed)}" if self._compares else "welcome-speed"
        language = self._look.language
        self.setText(language.text(text_id, speed=language.speed(self._speed)))
        self.setVisible(self._allowed and self._speed > 0)
