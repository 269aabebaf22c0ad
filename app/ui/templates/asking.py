"""The variables of a prompt, asked for one after the other."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from app.chat.templates import Template, filled, variables
from app.ui.buttons import Button
from app.ui.look import Look
from app.ui.words import Elided, Plain


class VariablesDialog(QDialog):
    """Asks for each variable in turn; the last answer gives the text."""

    answered = Signal(str)  # the prompt with its variables filled in

    def __init__(self, look: Look, template: Template, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._look, self._template = look, template
        self._names = variables(template.text)
        self._values: dict[str, str] = {}
        self._at = 0
        self.setWindowTitle(template.name)
        self._name, self._place = Elided("", "title"), Plain("", "caption2")
        self.field = QPlainTextEdit()
        self.field.setObjectName("form-field")
        self.field.setTabChangesFocus(True)
        self.back = Button(look, "templates-back", "quiet")
        cancel = Button(look, "cancel", "quiet")
        self.go_on = Button(look, "templates-next", "main")
        self.back.clicked.connect(self._on_back)
        cancel.clicked.connect(self.reject)
        self.go_on.clicked.connect(self._on_next)
        QShortcut(QKeySequence("Ctrl+Return"), self, self._on_next)
        foot = QHBoxLayout()
        foot.addWidget(self.back)
        foot.addStretch()
        foot.addWidget(cancel)
        foot.addWidget(self.go_on)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 20)
        column.setSpacing(10)
        column.addWidget(self._name)
        column.addWidget(self._place)
        column.addWidget(self.field, 1)
        column.addLayout(foot)
        self.resize(520, 300)
        self._ask()

    def _ask(self) -> None:
        name, count = self._names[self._at], len(self._names)
        text = self._look.language.text
        self._name.setText(name)
        self._place.setText(
            text("templates-of", at=self._at + 1, count=count, name=self._template.name)
        )
        self.field.setPlainText(self._values.get(name, ""))
        self.field.setAccessibleName(name)
        self.back.setVisible(self._at > 0)
        self.go_on.say("templates-next" if self._at + 1 < count else "templates-insert")
        QTimer.singleShot(0, self.field, self.field.setFocus)

    def _keep(self) -> None:
        self._values[self._names[self._at]] = self.field.toPlainText().strip("\n")

    @Slot()
    def _on_back(self) -> None:
        self._keep()
        self._at -= 1
        self._ask()

    @Slot()
    def _on_next(self) -> None:
        self._keep()
        if self._at + 1 < len(self._names):
            self._at += 1
            self._ask()
        else:
            self.answered.emit(filled(self._template.text, self._values))
            self.accept()
