"""The local server beside the chat: it asks the same engine, on a thread of its own."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, Protocol
from urllib.parse import urlsplit

from PySide6.QtCore import QObject, Signal, Slot

from app.chat.keep_loaded import KeepLoaded
from app.chat.model_session import ModelPhase, ModelSession
from app.engine_bridge import EngineBridge
from app.store.settings import SettingsFile
from engine.contract.ranges import SERVING
from engine.server import (
    Phase,
    RequestRecord,
    ServerSettings,
    ServerState,
    is_loopback,
    wished,
)

if TYPE_CHECKING:
    from engine.server.local_server import LocalServer

MOST_RECORDS = 200

_NAMES = frozenset({"offline", *(each.key for each in SERVING)})

KeyTaker = Callable[[str, bool], None]
"""Takes a key, and whether it outlives this run of the program."""


class ServerKeys(Protocol):
    """Where the key comes from; either may take a while, and tells on the window's thread."""

    def find(self, then: KeyTaker) -> None:
        """Tell the key that there is, or a new one."""
        ...

    def renew(self, then: KeyTaker, key: str = "") -> None:
        """Tell a new key in the place of the old one: the one that is given, or any."""
        ...


class Serving(QObject):
    """Starts and stops the server, and keeps the latest records.

    Args:
        bridge: the way to the engine, which the server shares.
        model: which model there is.
        keys: where the key is kept.
        settings: where it listens, and whom it answers; read at each start.
        rest: of a model that comes back when it is asked.
    """

    changed = Signal()  # the state, the settings of a server, or the model that is served
    recorded = Signal()  # a request was answered
    model_wanted = Signal()  # a request waits for the model that rests; from the server's thread
    _told = Signal(object)  # from the server's thread

    def __init__(
        self,
        bridge: EngineBridge,
        model: ModelSession,
        keys: ServerKeys,
        settings: SettingsFile,
        rest: KeepLoaded,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._bridge, self._model = bridge, model
        self._keys, self._file = keys, settings
        self.model_wanted.connect(rest.wake)
        self._server: LocalServer | None = None
        self._listens_with: ServerSettings | None = None
        self._any_port = 0  # the one that a server of any port has got: its next one takes it again
        self._is_wanted = False  # since it was started, until it is stopped or fails
        self._starts_again = False  # as soon as the server of the old key or settings has ended
        self.key = ""  # until it is needed: a keyring may ask for its password
        self.key_is_kept = True
        self.state = ServerState()
        self.records: deque[RequestRecord] = deque(maxlen=MOST_RECORDS)
        self._told.connect(self._on_told)
        model.state_changed.connect(self._on_model_changed)
        settings.listen(self._on_settings_changed)

    @property
    def model_name(self) -> str:
        """The name under which clients ask; empty without a model."""
        known = self._model.state.known
        return known.model.name if known else ""

    @property
    def rests(self) -> bool:
        """Whether the model gave its memory back and comes with the next request."""
        return self._model.state.phase is ModelPhase.RESTING

    @property
    def is_on(self) -> bool:
        """Whether it runs, or is about to."""
        return self.state.phase in {Phase.STARTING, Phase.RUNNING}

    @property
    def wishes(self) -> ServerSettings:
        """What the settings ask for now."""
        settings = self._file.settings
        values = {each.key: getattr(settings, each.key) for each in SERVING}
        return wished(values, self.key, is_offline=settings.offline)

    @property
    def may_go_without_key(self) -> bool:
        """Whether a server may be asked by whoever reaches it: only from this computer."""
        return is_loopback(self.wishes.host)

    @property
    def meaning(self) -> Literal["local", "network", "offline"]:
        """Who reaches a server that starts now."""
        settings = self._file.settings
        if not is_loopback(self.wishes.host):
            return "network"
        online = {each.key: getattr(settings, each.key) for each in SERVING}
        is_held_back = settings.offline and not is_loopback(wished(online, "").host)
        return "offline" if is_held_back else "local"

    @property
    def is_outdated(self) -> bool:
        """Whether a server that runs would be another if it started now."""
        return self.is_on and self._listens_with not in {None, self.wishes}

    @property
    def asks_key(self) -> bool:
        """Whether the server that runs asks for its key."""
        return self._listens_with is None or bool(self._listens_with.key)

    @property
    def is_local(self) -> bool:
        """Whether only programs of this computer reach the server that runs."""
        return self._listens_with is None or is_loopback(self._listens_with.host)

    def start(self) -> None:
        """Begin to listen."""
        if self.is_on:
            return
        self._is_wanted = True
        self._become(ServerState(Phase.STARTING))
        if self.key:
            self._listen()
        else:
            self._keys.find(self._on_key_found)

    def renew_key(self, key: str = "") -> None:
        """Accept this key, or a new one, alone from now on; what is answered just now ends."""
        self._keys.renew(self._on_key_renewed, key)

    def restart(self) -> None:
        """Listen with what the settings ask for now; what is answered just now ends."""
        if self._server is not None and self.is_on:
            self._starts_again = True
            self._become(ServerState(Phase.STARTING))
            self._server.ask_to_stop()

    def stop(self) -> None:
        """End what is answered and stop listening, soon."""
        self._is_wanted = self._starts_again = False
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

        self._listens_with = settings = self.wishes
        if not settings.port:
            settings = replace(settings, port=self._any_port)
        told, wake = self._told.emit, self.model_wanted.emit
        self._server = server = LocalServer(settings, self._bridge, told, wake)
        self._tell_model(server)
        self._bridge.share(server.hear)
        server.start()

    def _on_key_found(self, key: str, is_kept: bool) -> None:
        self.key, self.key_is_kept = key, is_kept
        if self._is_wanted and self._server is None:
            self._listen()

    def _on_key_renewed(self, key: str, is_kept: bool) -> None:
        self.key, self.key_is_kept = key, is_kept
        if self._is_wanted and self._server is not None and self.asks_key:
            self.restart()
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
        if told.phase is Phase.RUNNING and self._listens_with is not None:
            is_any = not self._listens_with.port
            self._any_port = urlsplit(told.address).port or 0 if is_any else 0
        if told.phase is Phase.STOPPED and self._starts_again:
            self._starts_again = False
            self._listen()
            return
        if told.phase is Phase.FAILED:
            self._is_wanted = self._starts_again = False
            self._any_port = 0
        self._become(told)

    def _on_settings_changed(self, names: frozenset[str]) -> None:
        if "offline" in names and self.is_on and not self.is_local:
            self.restart()  # on this computer alone
        if names & _NAMES:
            self.changed.emit()

    @Slot(object)
    def _on_model_changed(self) -> None:
        if self._server is not None:
            self._tell_model(self._server)
        self.changed.emit()

    def _tell_model(self, server: LocalServer) -> None:
        state = self._model.state
        is_coming = state.phase is ModelPhase.LOADING or self.rests
        server.set_model(
            state.loaded if state.phase is ModelPhase.READY else None, is_coming=is_coming
        )
