"""What must not be lost while the view moves: the place that is read, and what is being used."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtWidgets import QApplication

from app.ui.transcript.still_text import StillText
from app.ui.transcript.turn_widget import TurnWidget


@dataclass(frozen=True, slots=True)
class Anchor:
    """A block of a turn, and how far below its top the view begins."""

    turn: int
    block: int
    below: int


def is_in_use(widget: TurnWidget) -> bool:
    """Tell whether letting a turn go would lose something: the focus, a selection, an edit."""
    focus = QApplication.focusWidget()
    if widget.edit_box is not None or (focus is not None and widget.isAncestorOf(focus)):
        return True
    return any(text.has_selection() for text in widget.findChildren(StillText))
