"""A field for plain text over several lines, with a hint while nothing is in it."""

from __future__ import annotations

from PySide6.QtGui import QInputMethodEvent
from PySide6.QtWidgets import QPlainTextEdit


class PlainField(QPlainTextEdit):
    """Its hint makes way for what an input method composes: Qt 6.11 draws one over the other."""

    def __init__(self, text: str = "") -> None:
        super().__init__(text)
        self._hint = ""
        self._hides_hint = False

    def setPlaceholderText(self, text: str) -> None:
        """Say what the field is for while nothing is in it."""
        self._hint = text
        super().setPlaceholderText("" if self._hides_hint else text)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Show what is composed, without the hint."""
        self._hides_hint = bool(event.preeditString())
        self.setPlaceholderText(self._hint)
        super().inputMethodEvent(event)
