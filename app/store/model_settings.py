"""What a model is loaded with: its own values, and the program's where it has none.

A model's own values lie with its notes, by its path. Which settings there are is the catalogue's:
those whose scope is the model.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from app.store.catalogue import CATALOGUE, PER_MODEL
from app.store.model_notes import ModelNotes
from app.store.settings import SettingsFile
from engine.contract import LoadSettings
from engine.contract.setting import Value


class ModelSettings:
    """The settings of models over those of the program.

    Args:
        settings: the program's.
        notes: of the models, where their own values lie.
    """

    def __init__(self, settings: SettingsFile, notes: ModelNotes) -> None:
        self._settings, self._notes = settings, notes

    def own(self, path: Path) -> Mapping[str, Value]:
        """Return the values that a model has for itself; one that is not allowed is none."""
        stored = self._notes.of(path).settings
        return {
            key: value
            for each in PER_MODEL
            if (key := each.key) in stored and each.allows(value := stored[key])
        }

    def of(self, path: Path) -> dict[str, Value]:
        """Return what holds for a model, by the keys of the catalogue."""
        program = self._settings.settings
        values: dict[str, Value] = {each.key: getattr(program, each.key) for each in PER_MODEL}
        return {**values, **self.own(path)}

    def load_settings(self, path: Path) -> LoadSettings:
        """Return what a model is loaded with the next time."""
        device, layers = str(self.of(path)["device"]), self.whole(path, "gpu_layers")
        return LoadSettings(
            context=self.whole(path, "context") or None,
            device=device or None,
            threads=self.whole(path, "threads") or None,
            cache_bits=self.whole(path, "cache_bits"),
            gpu_layers=None if layers < 0 else layers,
        )

    def whole(self, path: Path, key: str) -> int:
        """Return a whole number that holds for a model.

        Raises:
            TypeError: this setting is none.
        """
        value = self.of(path)[key]
        if not isinstance(value, int):
            raise TypeError(key)
        return value

    def change(self, path: Path, key: str, value: Value | None) -> None:
        """Give a model a value of its own; None takes it away again.

        Raises:
            ValueError: the value is not allowed, or no model can have it; nothing is changed.
        """
        if value is not None and (
            CATALOGUE[key] not in PER_MODEL or not CATALOGUE[key].allows(value)
        ):
            raise ValueError(f"{key} cannot be {value!r}")
        own = {name: each for name, each in self.own(path).items() if name != key}
        self._notes.change(path, settings=own if value is None else own | {key: value})

    def reset(self, path: Path) -> None:
        """Let what the program has hold for a model in everything."""
        self._notes.change(path, settings={})
