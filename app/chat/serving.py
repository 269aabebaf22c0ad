"""The local server beside the chat: it asks the same engine, on a thread of its own."""

from __future__ import annotations

from collections import deque

from PySide6.QtCore import QObject, Signal, Slot

from app.chat.model_session import ModelPhase, ModelSession
from app.engine_bridge import EngineBridge
from engine.server import (
    DEFAULT_PORT,
    LocalServer,
    Phase,
    RequestRecord,
    ServerSettings,
    ServerState,
    new_key,
)

MOST_RECORDS = 200


class Serving(QObject):
    """Starts and stops the server, and keeps the latest records.

    Args:
        bridge: the way to the engine, which the server shares.
        model: which model there is.
        port: where it listens; 0 takes a free one.
    """

    changed = Signal()  # the state, or the model that is served
    recorded = Signal()  # a request was answered
    _told = Signal(object)  # from the server's thread

    def __init__(
        self,
        bridge: EngineBridge,
        model: ModelSession,
        port: int = DEFAULT_PORT,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._bridge, self._model, self._port = bridge, model, port
        self._server: LocalServer | None = None
        self.key = new_key()  # of this run of the program
        self.state = ServerState()
        self.records: deque[RequestRecord] = deque(maxlen=MOST_RECORDS)
        self._told.connect(self._on_told)
        model.state_changed.connect(self._on_model_changed)

    @property
    def model_name(self) -> str:
        """The name under which clients ask; empty without a model."""
        loaded = self._model.state.loaded
        return loaded.model.name if loaded else ""

    @property
    def is_on(self) -> bool:
        """Whether it runs, or is about to."""
        return self.state.phase in {Phase.STARTING, Phase.RUNNING}

    def start(self, *, any_port: bool = False) -> None:
        """Begin to listen, on a free port if the usual one is taken."""
        if self.is_on:
            return
        settings = ServerSettings(port=0 if any_port else self._port, key=self.key)
        self._server = server = LocalServer(settings, self._bridge, self._told.emit)
        server.set_model(self._model.state.loaded)
        self._bridge.share(server.hear)
        self._become(ServerState(Phase.STARTING))
        server.start()

    def stop(self) -> None:
        """End what is answered and stop listening, soon."""
        if self._server is not None:
            self._server.ask_to_stop()

    def close(self, timeout_s: float = 5.0) -> None:
        """Stop, and wait for it."""
        self.stop()
        if self._server is not None:
            self._server.join(timeout_s)
            self._server = None
            self._bridge.share(None)

    def _become(self, state: ServerState) -> None:
        self.state = state
        self.changed.emit()

    @Slot(object)
    def _on_told(self, told: ServerState | RequestRecord) -> None:
        if isinstance(told, RequestRecord):
            self.records.appendleft(told)
            self.recorded.emit()
        else:
            self._become(told)

    @Slot(object)
    def _on_model_changed(self) -> None:
        state = self._model.state
        if self._server is not None:
            self._server.set_model(state.loaded if state.phase is ModelPhase.READY else None)
        self.changed.emit()
