"""The model between session, shelf and screen: loading, the choice, the first page, the figures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from app.chat.library import ChatLibrary
from app.chat.model_session import ModelPhase, ModelSession, ModelState
from app.store.settings import SettingsFile
from app.ui.computer import Computer, read_computer
from app.ui.deeds import Deeds
from app.ui.faults import FaultAction, notice_text
from app.ui.main_window import MainWindow
from app.ui.model_shelf import FetchPhase, FetchState, ModelShelf
from app.ui.notices import Announcement, Tone
from engine.contract import EngineError, Memory, Notice, Progress, Support
from engine.library.servers.card import is_card, read_card

if TYPE_CHECKING:
    from app.ui.models_page import ModelsPage
    from app.ui.welcome_page import WelcomePage


class ModelOnScreen(QObject):
    """Answers the signals of model session, shelf, picker, models page and first page."""

    def __init__(
        self,
        model: ModelSession,
        shelf: ModelShelf,
        chats: ChatLibrary,
        settings: SettingsFile,
        window: MainWindow,
        deeds: Deeds,
    ) -> None:
        super().__init__(window)
        self._model, self._shelf, self._chats, self._settings = model, shelf, chats, settings
        self._window, self._deeds = window, deeds
        self._computer: Computer | None = None
        self._noted: set[str] = set()  # keys of what was said of the loaded model
        self._waits_for_scan = False  # nothing is loaded yet: the first scan decides
        self._connect()
        self._on_state_changed(model.state)

    def open_first_page(self, path: Path | None, first: Path | None = None) -> None:
        """Open the first page, which says what to do, where no model is known and no chat is.

        Args: as of ``begin``; a ``first`` model that is not there yet is none.
        """
        wanted = path is not None or (first is not None and first.exists())
        if not (wanted or self._settings.settings.last_model or self._chats.chats()):
            self._show_welcome()

    def begin(self, path: Path | None, first: Path | None = None) -> None:
        """Load the model that was asked for, or the last one, or the only one there is.

        Args:
            path: a model that was asked for.
            first: a model to begin with where none was loaded before.
        """
        if path is not None:
            self._model.load(path)
        elif self._model.broken_off is not None or self._model.load_last():
            pass  # what broke off the last time is offered, not loaded
        elif first is not None and first.exists():
            self._model.load(first)
        else:
            self._waits_for_scan = True
        self._shelf.scan()

    def read_computer(self) -> None:
        """Read this computer's memory and say it where it is said."""
        self._computer = computer = read_computer()
        self._window.parts.status.show_memory_total(computer.memory)
        welcome = self._window.parts.built_welcome
        if welcome is not None:
            welcome.show_memory(computer.memory, computer.free)

    # --- inside -------------------------------------------------------------------------------

    def _connect(self) -> None:
        parts, deeds = self._window.parts, self._deeds
        self._model.state_changed.connect(self._on_state_changed)
        self._model.progressed.connect(self._on_progressed)
        self._shelf.changed.connect(self._on_shelf_changed)
        self._shelf.fetch_changed.connect(self._on_fetch_changed)
        self._shelf.fetched.connect(deeds.load)
        picker = parts.chat.header.picker
        picker.model_chosen.connect(deeds.load)
        picker.file_requested.connect(deeds.choose_file)
        picker.folder_requested.connect(deeds.choose_folder)
        picker.models_requested.connect(self._on_models_requested)
        picker.unload_requested.connect(self._model.unload)
        picker.cancel_requested.connect(self._model.cancel)
        parts.models_built.connect(self._on_models_built)
        parts.add_model_built.connect(lambda page: page.show_loaded(*self._loaded()))
        parts.welcome_built.connect(self._on_welcome_built)
        parts.chat.refused.connect(deeds.refuse)
        parts.chat.verbs.fault_acted.connect(deeds.act)

    @Slot(object)
    def _on_models_built(self, page: ModelsPage) -> None:
        page.load_requested.connect(self._on_load_requested)
        page.file_requested.connect(self._deeds.choose_file)
        page.folder_requested.connect(self._deeds.choose_folder)
        page.show_loaded(*self._loaded())
        page.show_resting(self._resting())

    def _resting(self) -> Path | None:
        state = self._model.state
        return state.path if state.phase is ModelPhase.RESTING else None

    def _loaded(self) -> tuple[Path | None, Memory | None]:
        """Return the loaded model, and the memory that it would give back."""
        state = self._model.state
        if state.phase is not ModelPhase.READY:
            return None, None
        return state.path, state.loaded.memory if state.loaded else None

    @Slot(object)
    def _on_welcome_built(self, page: WelcomePage) -> None:
        page.starter.start_requested.connect(self._deeds.start_with_starter)
        page.starter.acted.connect(self._deeds.act)
        page.files.file_requested.connect(self._deeds.choose_file)
        page.files.folder_requested.connect(self._deeds.choose_folder)
        page.files.models_requested.connect(self._on_models_requested)
        if self._computer is not None:
            page.show_memory(self._computer.memory, self._computer.free)

    def _show_welcome(self) -> None:
        self._window.show_page("welcome")

    @Slot(object)
    def _on_state_changed(self, state: ModelState) -> None:
        parts = self._window.parts
        parts.chat.show_model(state)
        ready = state.phase is ModelPhase.READY
        parts.status.show_model(state.loaded if ready else None)
        self._say_name()
        for page in (parts.built_models, parts.built_add_model):
            if page is not None:
                page.show_loaded(*self._loaded())
        if parts.built_models is not None:
            parts.built_models.show_resting(self._resting())
        if not ready:  # what was said of "this model" is true of none, or of another
            while self._noted:
                self._deeds.dismiss(self._noted.pop())
        if state.phase in {ModelPhase.LOADING, ModelPhase.READY}:
            self._waits_for_scan = False
            self._deeds.dismiss("model")
        if state.phase is ModelPhase.FAILED and state.fault is not None:
            self._deeds.announce_fault("model", state.fault)
        parts.chat.show_context(state.known.context if state.known is not None else 0)
        for notice in state.loaded.notices if ready and state.loaded is not None else ():
            self._announce(notice)

    def _say_name(self) -> None:
        """Say what the model's card calls it, as soon as that is known, and when it is renamed."""
        state, status = self._model.state, self._window.parts.status
        name = self._window.parts.chat.header.picker.name()
        loading, rests = state.phase is ModelPhase.LOADING, state.phase is ModelPhase.RESTING
        status.show_loading(name if loading else "", _server_of(state.path) if loading else "")
        status.show_resting(name if rests else "")
        status.show_name(name if state.phase is ModelPhase.READY else "")

    def _announce(self, notice: Notice) -> None:
        action = notice_text(notice, self._window.look.language).action
        settings, key = action is FaultAction.OPEN_SETTINGS, f"model-{notice.kind.value}"
        self._noted.add(key)
        self._deeds.announce(
            Announcement(
                key,
                Tone.INFO,
                lambda language: notice_text(notice, language),
                (lambda: self._window.show_page("settings")) if settings else None,
            )
        )

    @Slot(object)
    def _on_progressed(self, progress: Progress) -> None:
        self._window.parts.chat.header.picker.show_progress(progress)

    @Slot()
    def _on_shelf_changed(self) -> None:
        usable = tuple(m for m in self._shelf.models if m.support is not Support.UNSUPPORTED)
        self._window.parts.chat.header.picker.show_models(usable)
        self._say_name()
        if not self._waits_for_scan or self._shelf.is_scanning:
            return
        self._waits_for_scan = False
        if len(usable) == 1 and self._settings.settings.load_last_model:
            self._deeds.load(usable[0].path)
        elif not usable and self._window.page == "chat":  # who has gone elsewhere stays there
            self._show_welcome()

    @Slot(object)
    def _on_fetch_changed(self, state: FetchState) -> None:
        running = state.phase in {FetchPhase.RUNNING, FetchPhase.STOPPING}
        self._window.parts.status.network.show_downloads(1 if running else 0, "starter")

    @Slot(object)
    def _on_load_requested(self, path: Path) -> None:
        """Go back to the chat when the model is loaded already, else load it."""
        state = self._model.state
        if state.phase is ModelPhase.READY and state.path == path:
            self._window.show_page("chat")
        else:
            self._deeds.load(path)

    @Slot()
    def _on_models_requested(self) -> None:
        self._window.show_page("models")


def _server_of(path: Path | None) -> str:
    """Return the address that a model's card names; none for a model that lies here."""
    if path is None or not is_card(path):
        return ""
    try:
        return read_card(path).address
    except EngineError:  # loading it says what is wrong
        return ""
