"""What the system is set to that the window follows: motion and contrast."""

from __future__ import annotations

import sys

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication


def wants_stillness() -> bool:
    """Return whether the system is set to show no animations; Qt 6.11 tells it on Windows alone.

    Elsewhere the effect counts as off always, so it says nothing there.
    """
    effect = Qt.UIEffect.UI_General
    return sys.platform == "win32" and not QApplication.isEffectEnabled(effect)


def wants_contrast() -> bool:
    """Return whether the system is set to high contrast."""
    hints = QGuiApplication.styleHints()  # held: PySide lets its child go with it
    return hints.accessibility().contrastPreference() == Qt.ContrastPreference.HighContrast
