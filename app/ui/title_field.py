"""The title in the head of a chat: read, and after a double click or F2 written in place."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QLineEdit, QStackedWidget

from app.ui.look import Look
from app.ui.words import Elided


class RenameField(QLineEdit):
    """A field that is left by Enter (kept) or Escape (not)."""

    ended = Signal(bool)  # whether the text is to be kept

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave on Escape."""
        if event.key() == Qt.Key.Key_Escape:
            self.ended.emit(False)
        else:
            super().keyPressEvent(event)


class TitleField(QStackedWidget):
    """An elided title that can be changed where it stands."""

    renamed = Signal(str)
    left = Signal()  # by Enter or Escape: the focus is to go elsewhere

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._label = Elided("", "body-bold")
        self._field = RenameField()
        self._field.setProperty("kind", "rename")
        self._field.setMaxLength(200)
        self._field.returnPressed.connect(lambda: self._leave(True))
        self._field.editingFinished.connect(lambda: self._end(True))
        self._field.ended.connect(self._leave)
        self.addWidget(self._label)
        self.addWidget(self._field)
        self.setFixedHeight(32)
        look.language.changed.connect(self._on_language_changed)
        self._on_language_changed()

    def setText(self, text: str) -> None:
        """Show another title; writing, if under way, ends."""
        self.setCurrentIndex(0)
        self._label.setText(text)

    def text(self) -> str:
        """Return the title."""
        return self._label.text()

    def edit(self) -> None:
        """Begin to write."""
        self._field.setText(self._label.text())
        self.setCurrentIndex(1)
        self._field.selectAll()
        self._field.setFocus(Qt.FocusReason.OtherFocusReason)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Begin to write."""
        self.edit()

    @Slot(bool)
    def _leave(self, keep: bool) -> None:
        self._end(keep)
        self.left.emit()

    def _end(self, keep: bool) -> None:
        if self.currentIndex() == 0:
            return
        self.setCurrentIndex(0)
        title = " ".join(self._field.text().split())
        if keep and title and title != self._label.text():
            self.renamed.emit(title)

    @Slot()
    def _on_language_changed(self) -> None:
        self._field.setAccessibleName(self._look.language.text("chat-rename"))
