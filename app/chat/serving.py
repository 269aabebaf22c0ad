"""The local server beside the chat: it asks the same engine, on a thread of its own."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

from PySide6.QtCore import QObject, Signal, Slot

from app.chat.model_session import ModelPhase, ModelSession
from app.engine_bridge import EngineBridge
from engine.server import (
    DEFAULT_PORT,
    Phase,
    RequestRecord,
    ServerSettings,
    ServerState,
)

if TYPE_CHECKING:
    from engine.server.local_server import LocalServer

MOST_RECORDS = 200

KeyTaker = Callable[[str, bool], None]
"""Takes a key, and whether it outlives this run of the program."""


class ServerKeys(Protocol):
    """Where the key comes from; either may take a while, and tells on the window's thread."""

    def find(self, then: KeyTaker) -> None:
        """Tell the key that there is, or a new one."""
        ...

    def renew(self, then: KeyTaker) -> None:
        """Tell a new key in the place of the old one."""
        ...


class Serving(QObject):
    """Starts and stops the server, and keeps the latest records.

    Args:
        bridge: the way to the engine, which the server shares.
        model: which model there is.
        keys: where the key is kept.
        port: where it listens; 0 takes a free one.
    """

    changed = Signal()  # the state, or the model that is served
    recorded = Signal()  # a request was answered
    _told = Signal(object)  # from the server's thread

    def __init__(
        self,
        bridge: EngineBridge,
        model: ModelSession,
        keys: ServerKeys,
        port: int = DEFAULT_PORT,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._bridge, self._model, self._port = bridge, model, port
        self._keys = keys
        self._server: LocalServer | None = None
        self._is_wanted = False  # since it was started, until it is stopped or fails
        self._is_renewed = False  # to listen again as soon as the server of the old key has ended
        self.key = ""  # until it is needed: a keyring may ask for its password
        self.key_is_kept = True
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
        self._is_wanted = True
        if any_port:
            self._port = 0
        self._become(ServerState(Phase.STARTING))
        if self.key:
            self._listen()
        else:
            self._keys.find(self._on_key_found)

    def renew_key(self) -> None:
        """Accept another key alone from now on; what is answered just now ends."""
        self._keys.renew(self._on_key_renewed)

    def stop(self) -> None:
        """End what is answered and stop listening, soon."""
        self._is_wanted = self._is_renewed = False
        if self._server is not None:
            self._server.ask_to_stop()
        elif self.is_on:
            self._become(ServerState())

    def close(self, timeout_s: float = 5.0) -> None:
        """Stop, and wait for it."""
        self.stop()
        if self._server is not None:
            self._server.join(timeout_s)
            self._server = None
            self._bridge.share(None)

    def _listen(self) -> None:
        from engine.server.local_server import LocalServer  # noqa: PLC0415 - with its event loop

        settings = ServerSettings(port=self._port, key=self.key)
        self._server = server = LocalServer(settings, self._bridge, self._told.emit)
        server.set_model(self._model.state.loaded)
        self._bridge.share(server.hear)
        server.start()

    def _on_key_found(self, key: str, is_kept: bool) -> None:
        self.key, self.key_is_kept = key, is_kept
        if self._is_wanted and self._server is None:
            self._listen()

    def _on_key_renewed(self, key: str, is_kept: bool) -> None:
        self.key, self.key_is_kept = key, is_kept
        self._is_renewed = self._is_wanted
        if self._is_renewed and self._server is not None:
            self._become(ServerState(Phase.STARTING))
            self._server.ask_to_stop()
        else:
            self.changed.emit()

    def _become(self, state: ServerState) -> None:
        self.state = state
        self.changed.emit()

    @Slot(object)
    def _on_told(self, told: ServerState | RequestRecord) -> None:
        if isinstance(told, RequestRecord):
            self.records.appendleft(told)
            self.recorded.emit()
            return
        if told.phase is Phase.RUNNING:
            self._port = urlsplit(told.address).port or self._port  # also after a new key
        if told.phase is Phase.STOPPED and self._is_renewed:
            self._is_renewed = False
            self._listen()
            return
        if told.phase is Phase.FAILED:
            self._is_wanted = False
        self._become(told)

    @Slot(object)
    def _on_model_changed(self) -> None:
        state = self._model.state
        if self._server is not None:
            self._server.set_model(state.loaded if state.phase is ModelPhase.READY else None)
        self.changed.emit()
