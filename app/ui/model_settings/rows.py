"""A setting of one model: its control, whose value it is, and the way back to the program's."""

from __future__ import annotations

from dataclasses import replace

from app.ui.look import Look
from app.ui.settings.rows import CatalogueRow
from app.ui.words import Words, wrapped
from engine.contract import ModelFacts
from engine.contract.setting import Setting, Value


class OwnRow(CatalogueRow):
    """``chosen`` tells of a value of the model's own, or of None for the program's."""

    def __init__(self, look: Look, setting: Setting) -> None:
        super().__init__(look, setting, says_when=False)
        self.back.show_as("arrow-counter-clockwise", "model-settings-back")
        self.whose = Words(look, "model-settings-programs", "caption2")
        self.words.addWidget(wrapped(self.whose))

    def show_whose(self, value: Value, *, is_own: bool) -> None:
        """Show what holds, and whether the model has it for itself."""
        self.show_value(value)
        self.back.setVisible(is_own)
        self.whose.say("model-settings-own" if is_own else "model-settings-programs")

    def _go_back(self) -> None:
        self.chosen.emit(self.setting.key, None)


def narrowed(setting: Setting, facts: ModelFacts) -> Setting:
    """Return a setting in the range that a model has: no more layers or context than its own."""
    most = {"gpu_layers": facts.layers, "context": facts.context_length}.get(setting.key, 0)
    within = setting.low <= most < setting.high and most > 0
    return replace(setting, high=most) if within else setting
