"""What holds for one chat, at the foot of the message box: preset, thinking, instructions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from app.chat.options import ChatOptions
from app.chat.presets import Preset
from app.ui.buttons import Button
from app.ui.chat_settings.preset_choice import ADJUST, MANAGE, PresetChoice
from app.ui.choice_button import ChoiceButton
from app.ui.look import Look
from app.ui.plain_field import PlainField
from app.ui.words import Words, wrapped
from engine.contract import Sampling, Thinking

THINKING = {
    "": "thinking-auto",
    Thinking.ON.value: "thinking-on",
    Thinking.OFF.value: "thinking-off",
}


class ChatOptionsBar(QWidget):
    """Two choices and a button; says how the chat's options are to be, and keeps none."""

    changed = Signal(object)  # ChatOptions, by a person
    shown = Signal(object)  # ChatOptions, however they came
    adjust_wanted = Signal()
    presets_wanted = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._options = ChatOptions()
        self.preset = PresetChoice(look, (ADJUST, MANAGE), "sliders-horizontal", "quiet")
        self.preset.picked.connect(self._on_preset_picked)
        self.preset.verb_chosen.connect(self._on_verb_chosen)
        self.thinking = ChoiceButton(look, "thinking", THINKING, "lightbulb", "quiet")
        self.thinking.chosen.connect(self._on_thinking_chosen)
        self.instructions = Button(look, "instructions", "quiet", icon="note")
        self.instructions.clicked.connect(self.edit_instructions)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        for part in (self.preset, self.thinking, self.instructions):
            row.addWidget(part)
        self.show_can_think(False)
        self.show_options(ChatOptions())

    @property
    def options(self) -> ChatOptions:
        """What holds for the chat that is shown."""
        return self._options

    def show_presets(self, own: Sequence[Preset]) -> None:
        """Offer these presets of one's own besides the program's."""
        self.preset.show_presets(own)

    def show_options(self, options: ChatOptions) -> None:
        """Show another chat's options."""
        self._options = options
        self.preset.show_sampling(options.sampling)
        thinking = options.thinking
        self.thinking.show_value(thinking.value if thinking in {Thinking.ON, Thinking.OFF} else "")
        self.instructions.setVisible(bool(options.system))
        self.shown.emit(options)

    def show_can_think(self, can_think: bool) -> None:
        """Offer the choice of thinking only for a model that can."""
        self.thinking.setVisible(can_think)

    @Slot()
    def edit_instructions(self) -> None:
        """Open the chat's own instructions to be written."""
        dialog = InstructionsDialog(self._look, self._options.system, self.window())
        dialog.written.connect(self._on_instructions_written)
        dialog.open()

    @Slot(object)
    def _on_preset_picked(self, sampling: Sampling | None) -> None:
        self.take(replace(self._options, sampling=sampling))

    @Slot(str)
    def _on_verb_chosen(self, verb: str) -> None:
        (self.adjust_wanted if verb == ADJUST else self.presets_wanted).emit()

    @Slot(str)
    def _on_thinking_chosen(self, value: str) -> None:
        self.take(replace(self._options, thinking=Thinking(value) if value else None))

    @Slot(str)
    def _on_instructions_written(self, text: str) -> None:
        self.take(replace(self._options, system=text))

    @Slot(object)
    def take(self, options: ChatOptions) -> None:
        """Show options and tell of them."""
        self.show_options(options)
        self.changed.emit(options)


class InstructionsDialog(QDialog):
    """A field for what the model reads before the first question of this chat."""

    written = Signal(str)

    def __init__(self, look: Look, text: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(look.language.text("instructions-title"))
        self.field = PlainField(text)
        self.field.setObjectName("form-field")
        self.field.setTabChangesFocus(True)
        self.field.setAccessibleName(look.language.text("instructions-title"))
        self.field.setPlaceholderText(look.language.text("setting-system-prompt-empty"))
        self.keep, cancel = Button(look, "save", "main"), Button(look, "cancel", "quiet")
        self.keep.clicked.connect(self._on_kept)
        cancel.clicked.connect(self.reject)
        buttons = QHBoxLayout()
        buttons.addStretch()
        buttons.addWidget(cancel)
        buttons.addWidget(self.keep)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 20)
        column.setSpacing(10)
        column.addWidget(Words(look, "instructions-title", "title"))
        column.addWidget(wrapped(Words(look, "instructions-about", "caption2")))
        column.addWidget(self.field, 1)
        column.addLayout(buttons)
        self.resize(520, 320)
        QTimer.singleShot(0, self.field, self.field.setFocus)

    @Slot()
    def _on_kept(self) -> None:
        self.written.emit(self.field.toPlainText().strip())
        self.accept()
