"""Which model is loading, ready, or failed to load: a state made from the engine's events."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from app.engine_bridge import EngineBridge
from app.store.model_notes import ModelNotes
from app.store.model_settings import ModelSettings
from app.store.settings import SettingsFile
from engine.contract import (
    Event,
    Failed,
    Fault,
    FaultKind,
    Finished,
    FinishReason,
    Load,
    Loaded,
    LoadSettings,
    Progress,
    Unload,
)
from engine.library.servers.card import ServerKeys, is_card

FetchKeys = Callable[[Path, Callable[[ServerKeys], None]], None]
"""Reads the keys of a remote model elsewhere, and calls back on the window's thread."""

_log = logging.getLogger(__name__)


class ModelPhase(StrEnum):
    """What there is of a model."""

    NONE = "none"
    LOADING = "loading"
    READY = "ready"
    FAILED = "failed"
    RESTING = "resting"  # its memory was given back; whatever needs it wakes it
    UNLOADING = "unloading"


@dataclass(frozen=True, slots=True)
class ModelState:
    """The model's phase with what belongs to it."""

    phase: ModelPhase = ModelPhase.NONE
    path: Path | None = None
    loaded: Loaded | None = None  # in READY
    fault: Fault | None = None  # in FAILED
    rested: Loaded | None = None  # in RESTING: what it was when it was loaded

    @property
    def known(self) -> Loaded | None:
        """What is known of the model that answers next: one that rests is still the chosen one."""
        return self.loaded or self.rested


class ModelSession(QObject):
    """Loads, swaps and unloads; remembers the last model that loaded well.

    Args:
        bridge: the way to the engine.
        settings: where the last model's path is kept, and what models are loaded with.
        parent: whose it is.
        fetch_keys: brings the keys of a remote model; None: there are none.
        notes: what models have of their own; without, nothing.
    """

    state_changed = Signal(object)  # ModelState
    progressed = Signal(object)  # engine.contract.Progress of the load

    def __init__(
        self,
        bridge: EngineBridge,
        settings: SettingsFile,
        parent: QObject | None = None,
        fetch_keys: FetchKeys | None = None,
        notes: ModelNotes | None = None,
    ) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._settings = settings
        self.settings_of = ModelSettings(settings, notes or ModelNotes())
        self._told = ModelPhase.NONE
        self._fetch_keys = fetch_keys
        self._awaits_key = False
        self._request = 0  # of the newest load or unload; events of older ones are past
        self._state = ModelState()
        self._before = ModelState()  # what a load that is under way takes the place of
        self._loaded_with = LoadSettings()
        left = settings.settings.loading
        self.broken_off = Path(left) if left else None
        """The model whose load the last run did not survive."""
        bridge.received.connect(self.on_received)

    @property
    def state(self) -> ModelState:
        """What there is of a model now."""
        return self._state

    @property
    def bridge(self) -> EngineBridge:
        """The way to the engine that has the model."""
        return self._bridge

    @property
    def loaded_with(self) -> LoadSettings:
        """What the model was loaded with, or was to be."""
        return self._loaded_with

    @property
    def is_outdated(self) -> bool:
        """Whether the model would be loaded with other settings than it was."""
        path, ready = self._state.path, self._state.phase is ModelPhase.READY
        return (
            ready and path is not None and self.settings_of.load_settings(path) != self._loaded_with
        )

    def load(self, path: Path) -> None:
        """Load a model in place of the one there is."""
        if self._state.phase in {ModelPhase.READY, ModelPhase.RESTING}:
            self._before = self._state
        self._request = self._bridge.next_request()
        self._become(ModelState(ModelPhase.LOADING, path))
        self._loaded_with = self.settings_of.load_settings(path)
        self._awaits_key = self._fetch_keys is not None and is_card(path)
        if self._fetch_keys is not None and self._awaits_key:
            request = self._request
            self._fetch_keys(path, lambda keys: self._on_keys(request, path, keys))
        else:
            self._submit(path)

    def load_last(self) -> bool:
        """Load the model of the last time, if there was one and it is still there."""
        settings = self._settings.settings
        path = Path(settings.last_model)
        if not (settings.load_last_model and settings.last_model and path.exists()):
            return False
        self.load(path)
        return True

    def cancel(self) -> None:
        """End a load that is under way; the model of before is the chosen one again, and rests."""
        if self._awaits_key:
            self._awaits_key, self._request = False, 0
            self._become(self._given_up())
        elif self._state.phase is ModelPhase.LOADING:
            self._bridge.cancel(self._request)

    def rest(self) -> None:
        """Give the memory of the model back until it is needed; it stays the chosen one."""
        state = self._state
        if state.phase is ModelPhase.READY and state.loaded is not None:
            self._request = self._bridge.next_request()
            self._become(ModelState(ModelPhase.RESTING, state.path, rested=state.loaded))
            self._bridge.submit(Unload(self._request))

    def wake(self) -> bool:
        """Load the model that rests; False where none does."""
        path = self._state.path
        if self._state.phase is not ModelPhase.RESTING or path is None:
            return False
        self.load(path)
        return True

    def unload(self) -> None:
        """Free the model and its memory."""
        self._before = ModelState()
        if self._state.phase is ModelPhase.RESTING:
            self._become(ModelState())
        if self._state.phase in {ModelPhase.NONE, ModelPhase.UNLOADING}:
            return
        self._awaits_key = False
        self._request = self._bridge.next_request()
        self._become(ModelState(ModelPhase.UNLOADING, self._state.path))
        self._bridge.submit(Unload(self._request))

    def _on_keys(self, request: int, path: Path, keys: ServerKeys) -> None:
        """Load a remote model, unless something else was wanted meanwhile."""
        if self._awaits_key and request == self._request:
            self._awaits_key = False
            self._submit(path, keys)

    def _submit(self, path: Path, keys: ServerKeys | None = None) -> None:
        settings, is_offline = self._loaded_with, self._settings.settings.offline
        known = keys or ServerKeys()
        self._bridge.submit(
            Load(self._request, path, settings, known.key, is_offline, known.proxy_password)
        )

    @Slot(object)
    def on_received(self, event: Event) -> None:
        """Take the events of the newest load or unload, and of the engine's end."""
        if isinstance(event, Failed) and event.fault.kind is FaultKind.ENGINE_ENDED:
            self._on_engine_ended(event.request, event.fault)
            return
        if event.request != self._request or self._state.phase is ModelPhase.RESTING:
            return
        match event:
            case Progress():
                self.progressed.emit(event)
            case Loaded():
                self._before = ModelState()
                self._become(ModelState(ModelPhase.READY, self._state.path, loaded=event))
                self._settings.change(last_model=str(self._state.path))
            case Failed(fault=fault):
                self._before = ModelState()
                self._become(ModelState(ModelPhase.FAILED, self._state.path, fault=fault))
            case Finished(reason=reason):
                self._on_finished(reason)
            case _:  # text and metrics belong to replies
                pass

    def _on_engine_ended(self, request: int, fault: Fault) -> None:
        """Load the model again that went with the engine; one that was being loaded has failed."""
        if not request:  # once for all that it had
            _log.warning("engine ended with status %s", fault.figures.get("status"))
        path, phase = self._state.path, self._state.phase
        if phase is ModelPhase.READY and path is not None:
            self.load(path)
        elif phase is ModelPhase.UNLOADING:
            self._become(ModelState())
        elif phase is ModelPhase.LOADING and request == self._request:
            self._become(ModelState(ModelPhase.FAILED, path, fault=fault))

    def _on_finished(self, reason: FinishReason) -> None:
        cancelled = reason is FinishReason.CANCELLED and self._state.loaded is None
        if cancelled:
            self._become(self._given_up())
        elif self._state.phase is ModelPhase.UNLOADING:
            self._become(ModelState())

    def _given_up(self) -> ModelState:
        """What there is when a load was cancelled: the model of before, which was freed for it."""
        before, self._before = self._before, ModelState()
        if before.known is None:
            return ModelState()
        return ModelState(ModelPhase.RESTING, before.path, rested=before.known)

    def close(self) -> None:
        """Note that a load which is under way is not to blame for the program's end."""
        self._settings.change(loading="")

    def _become(self, state: ModelState) -> None:
        self._state = state
        loading = str(state.path) if state.phase is ModelPhase.LOADING else ""
        self._settings.change(loading=loading)
        if state.phase is not self._told:
            self._told = state.phase
            kind = f": {state.fault.kind}" if state.fault is not None else ""
            _log.info("model %s%s", state.phase, kind)
        self.state_changed.emit(state)
