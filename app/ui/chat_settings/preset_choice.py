"""The choice of a preset: the program's, one's own, and what leads to their steps."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal, Slot

from app.chat.presets import OTHER, Preset, name_of
from app.ui.choice_button import ChoiceButton
from app.ui.look import Look
from engine.contract import Sampling
from engine.contract.presets import PRESETS

ADJUST, MANAGE = "adjust", "manage"


class PresetChoice(ChoiceButton):
    """Shows by which name a chat samples.

    Args:
        look: theme and language.
        verbs: what the menu leads to besides, at its end: ``ADJUST``, ``MANAGE``.
        icon, kind: of the button.
    """

    picked = Signal(object)  # Sampling, or None for what the model has
    verb_chosen = Signal(str)

    def __init__(
        self, look: Look, verbs: Sequence[str] = (), icon: str = "", kind: str = ""
    ) -> None:
        names = {name: f"preset-{name}" for name in PRESETS}
        super().__init__(look, "preset", names, icon, kind)
        self._verbs = tuple(verbs)
        self._sampling: Sampling | None = None
        self._own: list[Preset] = []
        self.chosen.connect(self._on_preset_chosen)

    def show_presets(self, own: Sequence[Preset]) -> None:
        """Offer these presets of one's own besides the program's."""
        for each in self._own:
            self.add_option(f"={each.name}", "", shown=False)
        self._own = list(own)
        self.show_sampling(self._sampling)

    def show_sampling(self, sampling: Sampling | None) -> None:
        """Show the name of a sampling."""
        self._sampling = sampling
        name = name_of(sampling, self._own)
        for each in self._own:
            self.add_option(f"={each.name}", f"={each.name}", shown=True)
        for verb in (OTHER, *self._verbs):  # at the end of the menu, whatever was added
            self.add_option(verb, f"preset-{verb}", shown=False)
            self.add_option(verb, f"preset-{verb}", shown=verb != OTHER or name == OTHER)
        self.show_value(name)

    @Slot(str)
    def _on_preset_chosen(self, name: str) -> None:
        own = {f"={each.name}": each.sampling for each in self._own}
        if name in self._verbs:
            self.show_sampling(self._sampling)
            self.verb_chosen.emit(name)
        elif name in PRESETS or name in own:
            self.picked.emit(PRESETS[name] if name in PRESETS else own[name])
