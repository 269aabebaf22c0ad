"""The other ways to send: add without an answer, write as the model, begin the answer oneself."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, Signal, Slot
from PySide6.QtWidgets import QMenu

from app.ui.buttons import Tool
from app.ui.look import Look
from engine.contract import Role


class SendMenu(Tool):
    """A small button beside the one that sends, with a menu."""

    add_wanted = Signal(object)  # Role: whose words they are to be
    beginning_wanted = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__(look, "caret-up", "send-otherwise")
        self._can_add = self._can_be_models = False
        self.clicked.connect(self._open)

    def allow(self, *, adding: bool, as_model: bool) -> None:
        """Say what can be done with what is typed now."""
        self._can_add, self._can_be_models = adding, as_model

    def menu_now(self) -> QMenu:
        """Return the menu as it is now; it goes away when it closes."""
        text, icon = self._look.language.text, self._look.theme.icon
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for text_id, name, role, can in (
            ("send-add", "plus", Role.USER, self._can_add),
            ("send-as-model", "pen-nib", Role.ASSISTANT, self._can_be_models),
        ):
            add = menu.addAction(icon(name), text(text_id))
            add.setEnabled(can)
            add.triggered.connect(lambda _=False, role=role: self.add_wanted.emit(role))
        menu.addSeparator()
        begin = menu.addAction(icon("arrow-elbow-down-right"), text("send-begin"))
        begin.triggered.connect(self.beginning_wanted)
        return menu

    @Slot()
    def _open(self) -> None:
        menu = self.menu_now()
        menu.popup(self.mapToGlobal(QPoint(0, -menu.sizeHint().height() - 4)))
