"""What a screen reader says by itself: changes that move no focus and have no other sign."""

from __future__ import annotations

from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget


def speak(widget: QWidget, words: str, *, urgent: bool = False) -> None:
    """Let a screen reader say something, if one listens.

    Args:
        widget: where it happened.
        words: what to say; nothing is not said.
        urgent: whether to break off what is being said; for what went wrong.
    """
    if not words or not QAccessible.isActive():
        return
    event = QAccessibleAnnouncementEvent(widget, words)
    politeness = QAccessible.AnnouncementPoliteness
    event.setPoliteness(politeness.Assertive if urgent else politeness.Polite)
    QAccessible.updateAccessibility(event)
