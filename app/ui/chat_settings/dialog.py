"""The settings of one chat: every step of the sampler in its order, and where answers end."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from app.chat.options import ChatOptions
from app.chat.schemas import schema_fault
from app.ui.buttons import Button
from app.ui.chat_settings.sampling_rows import SamplingRows
from app.ui.chat_settings.template_section import TemplateSection
from app.ui.look import Look
from app.ui.page_frame import Paper, scrolled
from app.ui.settings.rows import SettingRow
from app.ui.words import Plain, Words, wrapped
from engine.contract import Sampling

_AROUND = 80  # px in sight above and below a field that is jumped to


class ChatSettingsDialog(QDialog):
    """Changes act from the next answer on, each at once.

    Args:
        look: theme and language.
        options: of the chat.
        usual: what the model samples with where the chat has nothing of its own.
        parent: the window.
    """

    changed = Signal(object)  # ChatOptions

    def __init__(self, look: Look, options: ChatOptions, usual: Sampling, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(look.language.text("chat-settings"))
        self._look, self._options, self._usual = look, options, usual
        self._sampling = SamplingRows(look, self)
        self.rows = self._sampling.rows
        self.schema = QPlainTextEdit(options.schema)
        self.schema.setObjectName("form-field")
        self.schema.setTabChangesFocus(True)
        self.schema.setFixedHeight(110)
        self.schema.setAccessibleName(look.language.text("chat-schema"))
        self._wrong = Plain("", "wrong")
        self._wrong.hide()
        self.template = TemplateSection(look, options.template)
        self.template.chosen.connect(self._on_template_chosen)
        self._steps = QVBoxLayout()
        self._steps.setSpacing(0)
        self._lay_out()
        self._sampling.reordered.connect(self._on_reordered)
        self._sampling.show_options(options, usual)
        self._on_reordered()
        self._sampling.changed.connect(self._change)
        self.schema.textChanged.connect(self._on_schema_typed)

    def _lay_out(self) -> None:
        look = self._look
        inside = Paper()
        rows = QVBoxLayout(inside)
        rows.setContentsMargins(24, 8, 24, 16)
        rows.setSpacing(0)
        rows.addWidget(Words(look, "chat-ends", "title"))
        for row in self._sampling.ends:
            rows.addWidget(row)
        rows.addWidget(SettingRow(look, "chat-schema", "chat-schema-about", below=self.schema))
        rows.addWidget(self._wrong)
        rows.addWidget(self.template)
        rows.addSpacing(16)
        rows.addWidget(Words(look, "chat-steps", "title"))
        rows.addWidget(wrapped(Words(look, "chat-steps-about", "caption2")))
        rows.addLayout(self._steps)
        rows.addStretch(1)
        scroll = self._scroll = scrolled(inside)
        self.back, close = Button(look, "chat-settings-usual", "quiet"), Button(look, "file-close")
        self.back.clicked.connect(self._on_back)
        close.clicked.connect(self.accept)
        foot = QHBoxLayout()
        foot.setContentsMargins(24, 8, 24, 16)
        foot.addWidget(self.back)
        foot.addStretch()
        foot.addWidget(close)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 16, 0, 0)
        column.addWidget(scroll, 1)
        column.addLayout(foot)
        self.resize(640, 640)

    @Slot()
    def _on_reordered(self) -> None:
        """Show the sampler's steps in the order in which they act."""
        for row in self._sampling.steps:
            self._steps.removeWidget(row)
            self._steps.addWidget(row)

    @Slot()
    def _on_schema_typed(self) -> None:
        """Keep a schema as soon as it is one: half of it is no setting."""
        text = self.schema.toPlainText().strip()
        fault = schema_fault(text)
        self._wrong.setVisible(fault is not None)
        said = "chat-schema-refused" if fault else "chat-schema-wrong"
        self._wrong.setText("" if fault is None else self._look.language.text(said, detail=fault))
        if fault is None:
            self._change(replace(self._options, schema=text))

    @Slot(str)
    def _on_template_chosen(self, template: str) -> None:
        self._change(replace(self._options, template=template))

    @Slot()
    def _on_back(self) -> None:
        self._change(ChatOptions(system=self._options.system, thinking=self._options.thinking))
        self.schema.setPlainText("")
        self.template.show_value("")
        self.template.ask()

    @Slot(object)
    def _change(self, options: ChatOptions) -> None:
        if options != self._options:
            self._options = options
            self._sampling.show_options(options, self._usual)
            self.changed.emit(options)

    def show_field(self, name: str) -> None:
        """Bring a field into sight, the focus on it: "schema" or "template"."""
        field = self.schema if name == "schema" else self.template.choice
        QTimer.singleShot(0, field, lambda: self._show_field(field))

    def _show_field(self, field: QWidget) -> None:
        self._scroll.ensureWidgetVisible(field, 0, _AROUND)
        field.setFocus(Qt.FocusReason.ShortcutFocusReason)  # which rings what it comes to
