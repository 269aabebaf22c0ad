"""The settings of one model: made from the catalogue, each over the program's own."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from app.store.catalogue import PER_MODEL
from app.store.model_settings import ModelSettings
from app.ui.buttons import Button
from app.ui.look import Look
from app.ui.model_settings.rows import OwnRow, narrowed
from app.ui.page_frame import lay_out_dialog
from app.ui.settings.controls import ChoiceControl
from app.ui.settings.rows import rule
from app.ui.words import Words, wrapped
from engine.contract import ModelFacts
from engine.contract.setting import Value

_ORDER = ("device", "gpu_layers", "context", "cache_bits", "threads", "keep_loaded_minutes")
_ON_PROCESSOR = ("", "cpu")


class ModelSettingsDialog(QDialog):
    """Keeps each change at once; ``load_wanted`` asks for the model to be loaded with them.

    Args:
        look: theme and language.
        facts: of the model.
        settings: of all models.
        parent: the window.
    """

    changed = Signal()
    load_wanted = Signal()

    def __init__(
        self, look: Look, facts: ModelFacts, settings: ModelSettings, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(look.language.text("model-settings-of", name=facts.name))
        self._look, self._facts, self._settings = look, facts, settings
        self._devices: Sequence[str] | None = None
        by_key = {each.key: each for each in PER_MODEL}
        self.rows = {key: OwnRow(look, narrowed(by_key[key], facts)) for key in _ORDER}
        self.no_gpu = Words(look, "model-settings-asking", "caption2")
        wrapped(self.no_gpu)
        self.load = Button(look, "model-settings-load", "main", icon="arrow-clockwise")
        self.back = Button(look, "model-settings-reset", "quiet", icon="arrow-counter-clockwise")
        self._lay_out()
        self.show_loaded(is_loaded=False, is_outdated=False)
        self._show()
        for row in self.rows.values():
            row.chosen.connect(self._on_chosen)
        self.back.clicked.connect(self._on_back)
        self.load.clicked.connect(self.load_wanted)

    def show_devices(self, devices: Sequence[str]) -> None:
        """Offer what this computer can compute on, by the choices of the catalogue."""
        self._devices = devices
        self._show()

    def show_loaded(self, *, is_loaded: bool, is_outdated: bool) -> None:
        """Offer to load the model again where it was loaded with other values."""
        self.load.setVisible(is_loaded)
        self.load.setEnabled(is_outdated)

    def _lay_out(self) -> None:
        inside = QWidget()
        inside.setObjectName("paper")
        column = QVBoxLayout(inside)
        column.setContentsMargins(24, 0, 24, 8)
        column.setSpacing(0)
        for number, (key, row) in enumerate(self.rows.items()):
            if number and key != "gpu_layers":
                column.addWidget(rule())
            column.addWidget(row)
            if key == "gpu_layers":
                column.addWidget(self.no_gpu)
                column.addSpacing(8)
        column.addStretch(1)
        close = Button(self._look, "file-close")
        close.clicked.connect(self.accept)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addWidget(self.back)
        foot.addStretch()
        foot.addWidget(self.load)
        foot.addWidget(close)
        about = wrapped(Words(self._look, "model-settings-about", "caption2"))
        lay_out_dialog(self, about, inside, foot)
        scale = self._look.theme.scale
        self.resize(round(600 * min(scale, 1.2)), round(680 * min(scale, 1.1)))

    def _show(self) -> None:
        values, own = self._settings.of(self._facts.path), self._settings.own(self._facts.path)
        for key, row in self.rows.items():
            row.show_whose(values[key], is_own=key in own)
        self.back.setEnabled(bool(own))
        self._show_gpus(str(values["device"]))

    def _show_gpus(self, device: str) -> None:
        """Offer layers for a GPU where there is one, and is used; say so where not."""
        control, known = self.rows["device"].control, self._devices
        if isinstance(control, ChoiceControl):
            # what is chosen stays in sight, though the card may be gone
            control.offer({*(known or _ON_PROCESSOR), device})
        has_gpu = known is not None and any(each not in _ON_PROCESSOR for each in known)
        self.rows["gpu_layers"].setVisible(has_gpu and device != "cpu")
        self.no_gpu.setVisible(not has_gpu)
        self.no_gpu.say("model-settings-asking" if known is None else "model-settings-no-gpu")

    @Slot(str, object)
    def _on_chosen(self, key: str, value: Value | None) -> None:
        self._settings.change(self._facts.path, key, value)
        self._show()
        self.changed.emit()

    @Slot()
    def _on_back(self) -> None:
        self._settings.reset(self._facts.path)
        self._show()
        self.changed.emit()
