"""The template of one chat: the model's, a known one, or a text of one's own, and its prompt."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtWidgets import QPlainTextEdit, QVBoxLayout, QWidget

from app.ui.choice_button import ChoiceButton
from app.ui.faults import fault_text
from app.ui.look import Look
from app.ui.settings.rows import SettingRow
from app.ui.template_words import template_words
from app.ui.words import Plain, Words, wrapped
from engine.contract import Fault, FaultKind, PromptRendered
from engine.contract.templates import TEMPLATES, template_source

OWN = "own"
_CHOICES = {
    "": "chat-template-model",
    "chatml": "=ChatML",
    "llama3": "=Llama 3",
    "gemma": "=Gemma",
    "mistral": "=Mistral",
    "plain": "chat-template-plain",
    OWN: "chat-template-own",
}
_TYPED_MS = 400


class TemplateSection(QWidget):
    """A text of one's own is kept as soon as it makes a prompt; until then the one before holds.

    Args:
        look: theme and language.
        template: what the chat keeps: a name, a text, or nothing.
    """

    chosen = Signal(str)
    preview_wanted = Signal(str)  # Jinja text; empty is the model's own

    def __init__(self, look: Look, template: str) -> None:
        super().__init__()
        self._look, self._asked = look, ""
        self.choice = ChoiceButton(look, "chat-template", _CHOICES)
        self.choice.chosen.connect(self._on_chosen)
        self.field = self._text_field("chat-template-own", 150)
        self.preview = self._text_field("chat-template-preview", 130)
        self.preview.setReadOnly(True)
        self.said = Plain("", "wrong")
        wrapped(self.said).hide()  # until it says something
        self._timer = QTimer(self, singleShot=True, interval=_TYPED_MS)
        self._timer.timeout.connect(self._ask)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        row = SettingRow(look, "chat-template", "chat-template-about", self.choice)
        column.addWidget(row)
        column.addWidget(self.field)
        column.addWidget(self.said)
        column.addWidget(wrapped(Words(look, "chat-template-preview", "caption2")))
        column.addWidget(self.preview)
        self.show_value(template)
        self.field.textChanged.connect(self._timer.start)

    def show_value(self, template: str) -> None:
        """Show what a chat keeps."""
        is_own = bool(template) and template not in TEMPLATES
        self.choice.show_value(OWN if is_own else template)
        self.field.setVisible(is_own)
        if is_own:
            self.field.setPlainText(template)

    def ask(self) -> None:
        """Ask for the prompt of what is chosen."""
        self._ask()

    @Slot(object)
    def show_rendered(self, rendered: PromptRendered) -> None:
        """Show a prompt; a text of one's own is kept from now on."""
        self.preview.setPlainText(rendered.text)
        marks = " ".join(rendered.marks)
        text = self._look.language.text
        self._say("caption2", text("chat-template-marks", marks=marks) if marks else "")
        if self.choice.value == OWN:
            self.chosen.emit(self._asked)

    @Slot(object)
    def show_refused(self, fault: Fault) -> None:
        """Say why a template makes no prompt; the one before stays in force."""
        self.preview.setPlainText("")
        detail = template_words(fault, self._look.language)
        text = self._look.language.text
        if fault.kind in {FaultKind.TEMPLATE_INVALID, FaultKind.TEMPLATE_REFUSED} and detail:
            said = text("chat-template-wrong", detail=detail)
        elif fault.kind is FaultKind.ONLY_LOCALLY:
            said = text("chat-template-remote", host=str(fault.figures.get("host", "")))
        else:
            said = fault_text(fault, self._look.language).sentence
        self._say("wrong", said)

    def show_no_model(self) -> None:
        """Say that nobody can tell without a model; a text of one's own is not kept yet."""
        self.preview.setPlainText("")
        self._say("caption2", self._look.language.text("chat-template-unchecked"))

    def _say(self, kind: str, said: str) -> None:
        self.said.set_kind(kind)
        self.said.setText(said)
        self.said.setVisible(bool(said))

    def _text_field(self, name_id: str, tall: int) -> QPlainTextEdit:
        field = QPlainTextEdit()
        field.setObjectName("form-field")
        field.setFont(self._look.theme.font("code"))
        field.setTabChangesFocus(True)
        field.setFixedHeight(self._look.theme.px(tall))
        field.setAccessibleName(self._look.language.text(name_id))
        return field

    @Slot(str)
    def _on_chosen(self, value: str) -> None:
        before = self.choice.value
        self.choice.show_value(value)
        self.field.setVisible(value == OWN)
        if value == OWN:
            if not self.field.toPlainText().strip():
                known = before if before in TEMPLATES else "chatml"
                self.field.setPlainText(TEMPLATES[known])
        else:
            self.chosen.emit(value)
        self._ask()

    @Slot()
    def _ask(self) -> None:
        self._timer.stop()
        value = self.choice.value
        self._asked = self.field.toPlainText() if value == OWN else template_source(value)
        if value == OWN and not self._asked.strip():
            return
        self.preview_wanted.emit(self._asked)
