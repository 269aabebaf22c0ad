"""The button that says new text has come below, while the reader is further up."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget

from app.ui.buttons import Button
from app.ui.look import Look

_ABOVE = 12  # px from the foot of the view


class NewTextButton(Button):
    """Floats over the view; a click leads to the end."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(look, "transcript-new-text", icon="arrow-down")
        self.setParent(parent)
        self.setStyleSheet("border-radius: 15px; padding: 0 14px")
        self.hide()

    def announce(self) -> None:
        """New text has come."""
        if self.isHidden():
            self.adjustSize()
            self.show()
            self.raise_()

    def follow(self, view: QSize, *, at_end: bool) -> None:
        """Stand above the foot of the view; at the end there is nothing to say."""
        if at_end:
            self.hide()
        size = self.sizeHint()
        left = (view.width() - size.width()) // 2
        self.setGeometry(left, view.height() - size.height() - _ABOVE, size.width(), size.height())
