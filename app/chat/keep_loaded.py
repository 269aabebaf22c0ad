"""A model that nobody asked anything for a while gives its memory back, and comes when needed."""

from __future__ import annotations

import time
from math import ceil
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Slot

from app.chat.model_session import ModelPhase, ModelSession
from app.engine_bridge import EngineBridge
from engine.contract import Event, Failed, Finished

_MINUTE_MS = 60_000


class KeepLoaded(QObject):
    """Frees a model after the minutes of rest that are set; ``wake`` loads it again.

    Args:
        bridge: what the engine says: every event is work.
        model: what is loaded, and for how many minutes; 0 keeps a model for good.
        minute_ms: the length of a minute, for tests.
    """

    def __init__(
        self,
        bridge: EngineBridge,
        model: ModelSession,
        parent: QObject | None = None,
        minute_ms: int = _MINUTE_MS,
    ) -> None:
        super().__init__(parent)
        self._bridge, self._model, self._minute_ms = bridge, model, minute_ms
        self._running: set[int] = set()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._on_rested)
        bridge.received.connect(self._on_received)
        model.state_changed.connect(self._on_state_changed)

    @property
    def resting(self) -> Path | None:
        """The model whose memory was given back for now."""
        state = self._model.state
        return state.path if state.phase is ModelPhase.RESTING else None

    @Slot()
    def wake(self) -> None:
        """Load the model that rests; without one, begin to count anew."""
        if not self._model.wake():
            self.count_anew()

    @Slot()
    def count_anew(self) -> None:
        """Begin the rest from now on, with the minutes that are set now.

        A server's model holds no memory here, and never rests.
        """
        state, minutes = self._model.state, 0
        is_here = state.loaded is not None and not state.loaded.model.server
        if is_here and state.path is not None and not self._running:
            minutes = self._model.settings_of.whole(state.path, "keep_loaded_minutes")
        if minutes:
            self._timer.start(minutes * self._minute_ms)
        else:
            self._timer.stop()

    @Slot(object)
    def _on_received(self, event: Event) -> None:
        if isinstance(event, Finished | Failed):
            self._running.discard(event.request)
        elif event.request in self._running:
            return  # of what is said many times a second the first is enough
        else:
            self._running.add(event.request)
        self.count_anew()

    @Slot(object)
    def _on_state_changed(self, _: object) -> None:
        self.count_anew()

    @Slot()
    def _on_rested(self) -> None:
        state = self._model.state
        if state.phase is not ModelPhase.READY or state.path is None:
            return
        # requests of the local server do not come by here, and are work all the same
        length_ms = (
            self._model.settings_of.whole(state.path, "keep_loaded_minutes") * self._minute_ms
        )
        left_ms = length_ms - (time.monotonic() - self._bridge.shared_at) * 1000
        if left_ms > 0:
            self._timer.start(ceil(left_ms))
        else:
            self._model.rest()
