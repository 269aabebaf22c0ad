"""The settings of one chat: every step of the sampler in its order, and where answers end."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QDialog,
    QFrame,
    QHBoxLayout,
    QPlainTextEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.chat.options import ChatOptions
from app.chat.schemas import schema_fault
from app.ui.buttons import Button
from app.ui.chat_settings.template_section import TemplateSection
from app.ui.look import Look
from app.ui.settings.rows import CatalogueRow, SettingRow
from app.ui.words import Plain, Words, wrapped
from engine.contract import Sampling, SamplingOrder
from engine.contract.presets import sampling_of, values_of
from engine.contract.ranges import REPLY, SAMPLING
from engine.contract.setting import Value

_LAST = ("order", "seed")  # what is no step stands below the steps
_PENALTIES = (
    "repetition_penalty", "penalty_window", "frequency_penalty", "presence_penalty",
    "dry_multiplier", "dry_base", "dry_allowed_length",
)  # fmt: skip
_CUTS = ("top_n_sigma", "top_k", "typical_p", "top_p", "min_p", "xtc_probability", "xtc_threshold")
_WHOLE = ("mirostat_tau", "mirostat_eta", "min_tokens")


def steps(order: SamplingOrder) -> tuple[str, ...]:
    """Return the keys of the sampler's settings in the order in which they act."""
    last = order is SamplingOrder.TEMPERATURE_LAST
    chain = (*_CUTS, "temperature") if last else ("temperature", *_CUTS)
    return (*_LAST, *_PENALTIES, *chain, *_WHOLE)


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
        self.rows = {
            each.key: CatalogueRow(look, each, says_when=False) for each in (*SAMPLING, *REPLY)
        }
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
        self._show()
        for row in self.rows.values():
            row.chosen.connect(self._on_chosen)
        self.schema.textChanged.connect(self._on_schema_typed)

    def _lay_out(self) -> None:
        look = self._look
        inside = QWidget()
        inside.setObjectName("paper")
        rows = QVBoxLayout(inside)
        rows.setContentsMargins(24, 8, 24, 16)
        rows.setSpacing(0)
        rows.addWidget(Words(look, "chat-ends", "title"))
        for each in REPLY:
            rows.addWidget(self.rows[each.key])
        rows.addWidget(SettingRow(look, "chat-schema", "chat-schema-about", below=self.schema))
        rows.addWidget(self._wrong)
        rows.addWidget(self.template)
        rows.addSpacing(16)
        rows.addWidget(Words(look, "chat-steps", "title"))
        rows.addWidget(wrapped(Words(look, "chat-steps-about", "caption2")))
        rows.addLayout(self._steps)
        rows.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidget(inside)
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

    def _show(self) -> None:
        """Show the chat's values, the sampler's steps in the order in which they act."""
        sampling = self._options.sampling or self._usual
        shown: dict[str, Value] = values_of(sampling) | {
            "max_tokens": self._options.max_tokens or 0,
            "stop": self._options.stop,
        }
        for key, row in self.rows.items():
            row.show_value(shown[key])
        for key in steps(sampling.order):
            self._steps.removeWidget(self.rows[key])
            self._steps.addWidget(self.rows[key])

    @Slot(str, object)
    def _on_chosen(self, key: str, value: Value) -> None:
        options = self._options
        if key == "max_tokens" and isinstance(value, int):
            options = replace(options, max_tokens=value or None)
        elif key == "stop" and isinstance(value, tuple):
            options = replace(options, stop=value)
        else:
            old = options.sampling or self._usual
            made = sampling_of(values_of(old) | {key: value})
            kept = replace(made, dry_breakers=old.dry_breakers, logit_bias=old.logit_bias)
            options = replace(options, sampling=kept)
        self._change(options)

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

    def _change(self, options: ChatOptions) -> None:
        if options != self._options:
            self._options = options
            self._show()
            self.changed.emit(options)
