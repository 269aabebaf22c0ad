"""The rows of the settings page for the chat that is open, or the one that begins next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Signal, Slot

from app.chat.options import ChatOptions
from app.chat.presets import Preset
from app.ui.buttons import Button
from app.ui.chat_settings.bar import THINKING
from app.ui.chat_settings.preset_tiles import TEXTS, PresetTiles
from app.ui.chat_settings.sampling_rows import SamplingRows
from app.ui.chat_settings.try_strip import TryStrip
from app.ui.choice_button import ChoiceButton
from app.ui.look import Look
from app.ui.settings.rows import FindableRow, SettingRow
from app.ui.words import Plain, wrapped
from engine.contract import Sampling, Thinking


class OpenChatRows(QObject):
    """Everything that holds for one chat; what is longer than a row opens where it is written.

    Args:
        look: theme and language.
        parent: the page.
    """

    changed = Signal(object)  # ChatOptions, by a person
    reordered = Signal()
    instructions_wanted = Signal()
    field_wanted = Signal(str)  # "schema", "template": of the chat's own sheet

    def __init__(self, look: Look, parent: QObject) -> None:
        super().__init__(parent)
        self._options, self._usual = ChatOptions(), Sampling()
        self.title = wrapped(Plain("", "body-bold"))
        self.preset = PresetTiles(look)
        self.new_preset = Button(look, "preset-new", icon="plus")
        self.preset.picked.connect(self._on_preset_picked)
        self.tried = TryStrip(look)
        self.thinking = ChoiceButton(look, "thinking", THINKING)
        self.thinking.chosen.connect(self._on_thinking_chosen)
        self.instructions = Button(look, "instructions-menu")
        self.instructions.clicked.connect(self.instructions_wanted)
        self.sampling = SamplingRows(look, self)
        self.sampling.changed.connect(self._change)
        self.sampling.reordered.connect(self.reordered)
        self._thinking_row = SettingRow(look, "thinking", "open-chat-thinking", self.thinking)
        self._head: list[FindableRow] = [
            SettingRow(look, "open-chat", "open-chat-about", below=self.title),
            SettingRow(
                look,
                "preset",
                "open-chat-preset",
                self.new_preset,
                below=self.preset,
                more_ids=TEXTS,
            ),
            SettingRow(look, "instructions-title", "instructions-about", self.instructions),
            self._thinking_row,
        ]
        self.fields = {name: Button(look, f"open-chat-{name}") for name in ("schema", "template")}
        for name, button in self.fields.items():
            button.clicked.connect(partial(self.field_wanted.emit, name))
        self._long: list[FindableRow] = [
            SettingRow(look, f"chat-{name}", f"chat-{name}-about", button)
            for name, button in self.fields.items()
        ]
        self._order = SettingRow(look, "chat-steps", "chat-steps-about")

    @property
    def rows(self) -> list[FindableRow]:
        """All rows, the sampler's steps in the order in which they act."""
        ends, drawn = self.sampling.ends, self.sampling.steps
        return [*self._head, *ends, *self._long, self._order, *drawn]

    def show_chat(self, title: str, options: ChatOptions, usual: Sampling) -> None:
        """Show a chat: what it is called, its options, and what its model samples with."""
        self._options, self._usual = options, usual
        self.title.setText(title)
        self.preset.show_sampling(options.sampling)
        thinking = options.thinking
        self.thinking.show_value(thinking.value if thinking in {Thinking.ON, Thinking.OFF} else "")
        self.sampling.show_options(options, usual)

    def show_presets(self, own: Sequence[Preset]) -> None:
        """Offer these presets of one's own."""
        self.preset.show_presets(own)

    def show_can_think(self, can_think: bool) -> None:
        """Let thinking be chosen where the model can."""
        self._thinking_row.setEnabled(can_think)

    @Slot(object)
    def _on_preset_picked(self, sampling: Sampling | None) -> None:
        self._change(replace(self._options, sampling=sampling))

    @Slot(str)
    def _on_thinking_chosen(self, value: str) -> None:
        self._change(replace(self._options, thinking=Thinking(value) if value else None))

    @Slot(object)
    def _change(self, options: ChatOptions) -> None:
        self.show_chat(self.title.text(), options, self._usual)
        self.changed.emit(options)
