"""The list of prompts above the message box, while a slash and a name are typed."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from app.chat.templates import Template, matching
from app.ui.look import Look
from app.ui.message_field import MessageField
from app.ui.spoken import speak

_MOST, _WIDTH = 8, 420  # rows, px
_LONGEST = 40  # characters of a name that is typed
_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
_CHOOSE = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab)


class TemplatePopup(QFrame):
    """Follows the field: shows what matches, moves by its arrows, chooses by its Enter.

    The focus stays in the field, so that typing goes on and input methods keep working.
    """

    chosen = Signal(object)  # Template
    edit_wanted = Signal()

    def __init__(self, look: Look, page: QWidget, field: MessageField) -> None:
        super().__init__(page)
        self._look, self._page, self._field = look, page, field
        self._templates: list[Template] = []
        self._shown: list[Template] = []
        self._is_dismissed = False  # by Escape, until the slash is gone
        self.setObjectName("card")
        self.list = QListWidget()
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.itemClicked.connect(self._on_chosen)
        column = QVBoxLayout(self)
        column.setContentsMargins(5, 5, 5, 5)
        column.addWidget(self.list)
        self.hide()
        look.follow(self._on_look_changed)
        field.installEventFilter(self)
        field.textChanged.connect(self._on_text_changed)
        field.focus_changed.connect(self._on_focus_changed)

    @Slot()
    def _on_look_changed(self) -> None:
        self.list.setAccessibleName(self._look.language.text("templates-title"))

    def show_templates(self, templates: Sequence[Template]) -> None:
        """Take the templates there are now."""
        self._templates = list(templates)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take the keys that move through the list, unless an input method owns them."""
        if not self.isVisible() or not isinstance(event, QKeyEvent):
            return False
        if event.type() != QEvent.Type.KeyPress or self._field.is_composing:
            return False
        key = Qt.Key(event.key())
        if key in _STEPS:
            row = (self.list.currentRow() + _STEPS[key]) % self.list.count()
            self.list.setCurrentRow(row)
            self._field.setAccessibleDescription(self.list.currentItem().text())
            speak(self._field, self.list.currentItem().text())  # the focus stays in the field
        elif key in _CHOOSE and not event.modifiers():
            self._on_chosen()
        elif key == Qt.Key.Key_Escape:
            self._is_dismissed = True
            self._leave()
        else:
            return False
        return True

    @Slot()
    def _on_text_changed(self) -> None:
        document = self._field.document()
        typed = self._field.toPlainText() if document.characterCount() <= _LONGEST else ""
        if not typed.startswith("/") or "\n" in typed:
            self._is_dismissed = False
            self._leave()
        elif not self._is_dismissed:
            self._offer(typed[1:])

    @Slot(bool)
    def _on_focus_changed(self, focused: bool) -> None:
        if not focused:
            self._leave()

    def _offer(self, typed: str) -> None:
        self._shown = matching(self._templates, typed)
        self.list.clear()
        for template in self._shown:
            first = " ".join(template.text.split())[:80]
            QListWidgetItem(f"/{template.name}   {first}", self.list)
        if not typed.strip():
            QListWidgetItem(self._look.language.text("templates-edit"), self.list)
        if not self.list.count():
            self._leave()
            return
        self.list.setCurrentRow(0)
        self._place()
        self.show()
        self.raise_()

    def _place(self) -> None:
        rows = min(_MOST, self.list.count())
        height = rows * self.list.sizeHintForRow(0) + 12
        corner = self._field.mapTo(self._page, QPoint(0, 0))
        width = min(_WIDTH, self._field.width())
        top = max(4, corner.y() - height - 18)
        self.setGeometry(corner.x(), top, width, corner.y() - 18 - top)

    @Slot()
    def _on_chosen(self) -> None:
        row = self.list.currentRow()
        self._leave()
        if row < len(self._shown):
            self.chosen.emit(self._shown[row])
        else:
            self.edit_wanted.emit()

    def _leave(self) -> None:
        self.hide()
        self._field.setAccessibleDescription("")
