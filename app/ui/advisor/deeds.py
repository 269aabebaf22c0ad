"""What the advisor's buttons do, each by the verb that the window has for it anyway."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject

from app.chat.model_session import ModelSession
from app.chat.options import ChatOptions
from app.language import Language
from app.ui.deeds import Deeds
from app.ui.faults import FaultText
from app.ui.main_window import MainWindow
from app.ui.model_detail import open_folder_of
from app.ui.model_rows import FITTING
from app.ui.model_settings.on_screen import ModelSettingsOnScreen
from app.ui.notices import Announcement, Tone
from app.ui.smaller.on_screen import SmallerOnScreen
from engine.contract import ModelFacts, Thinking
from engine.contract.presets import PRESETS
from engine.contract.setting import Value
from engine.library.advice.findings import Action, Remedy

_SAID_MS = 8000


class AdviceDeeds(QObject):
    """Acts on the model and on the open chat.

    Args:
        model: loads, unloads, and knows what each is loaded with.
        smaller: makes smaller copies.
        settings: of one model, as a dialog.
        window: its pages, and the options of the open chat.
        deeds: loading, new chats, notices.
    """

    def __init__(
        self,
        model: ModelSession,
        smaller: SmallerOnScreen,
        settings: ModelSettingsOnScreen,
        window: MainWindow,
        deeds: Deeds,
    ) -> None:
        super().__init__(window)
        self._model, self._smaller, self._settings = model, smaller, settings
        self._window, self._deeds = window, deeds

    def act(self, action: Action, model: ModelFacts) -> None:
        """Do what a button says; ``model`` is the one that was asked about."""
        match action.remedy:
            case Remedy.THREADS_AUTO:
                self._load_with(model, threads=0)
            case Remedy.CONTEXT:
                self._load_with(model, context=int(action.value))
            case Remedy.CACHE_BITS:
                self._load_with(model, cache_bits=int(action.value))
            case Remedy.GPU_AUTO | Remedy.DEVICE_AUTO:
                self._load_with(model, device="", gpu_layers=-1)
            case Remedy.KEEP_LOADED:
                self._model.settings_of.change(model.path, "keep_loaded_minutes", 0)
                self._settings.changed.emit()
                self._say()
            case Remedy.UNLOAD:
                self._model.unload()
            case Remedy.LOAD:
                self._deeds.load(Path(str(action.value)))
            case Remedy.LOAD_AGAIN:
                self._deeds.load(model.path)
            case Remedy.NEW_CHAT:
                self._deeds.new_chat_wanted.emit()
            case Remedy.LOOK_AGAIN:
                pass  # the sheet's own
            case _:
                self._lead(action.remedy, model)

    def _lead(self, remedy: Remedy, model: ModelFacts) -> None:
        """Open what a button promises, or change the chat."""
        match remedy:
            case Remedy.MAKE_SMALLER:
                self._smaller.open(model.path)
            case Remedy.MODELS:
                self._window.show_page("models")
                self._window.parts.models.show_only(FITTING)
            case Remedy.MODEL_SETTINGS:
                self._settings.open(model)
            case Remedy.TEMPLATE:
                self._window.show_page("chat")
                self._window.parts.chat.box.options.adjust_wanted.emit()
            case Remedy.SHOW_FILE:
                open_folder_of(model)
            case Remedy.MONITOR | Remedy.BENCHMARK:
                self._window.show_page(remedy.value)
            case _:
                self._change_chat(remedy)

    def _change_chat(self, remedy: Remedy) -> None:
        bar = self._window.parts.chat.box.options
        bar.take(_CHANGES[remedy](bar.options))
        self._say()

    def _load_with(self, model: ModelFacts, **values: Value) -> None:
        """Give a model values of its own, and load it with them."""
        for key, value in values.items():
            self._model.settings_of.change(model.path, key, value)
        self._settings.changed.emit()
        self._deeds.load(model.path)

    def _say(self) -> None:
        def phrase(language: Language) -> FaultText:
            text = language.text
            return FaultText(text("advisor-changed"), text("advisor-changed-reply"))

        self._deeds.announce(Announcement("advisor", Tone.INFO, phrase, lasts_ms=_SAID_MS))


_CHANGES: dict[Remedy, Callable[[ChatOptions], ChatOptions]] = {
    Remedy.USUAL_SAMPLING: lambda options: replace(options, sampling=None),
    Remedy.PENALISE: lambda options: replace(options, sampling=PRESETS["chat"]),
    Remedy.THINKING_OFF: lambda options: replace(options, thinking=Thinking.OFF),
    Remedy.THINKING_AUTO: lambda options: replace(options, thinking=Thinking.ON),
    Remedy.OWN_TEMPLATE: lambda options: replace(options, template=""),
    Remedy.NO_SCHEMA: lambda options: replace(options, schema=""),
    Remedy.NO_STOPS: lambda options: replace(options, stop=()),
    Remedy.NO_LIMIT: lambda options: replace(options, max_tokens=None),
}
