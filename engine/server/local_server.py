"""The server on a thread of its own: started, told of the model, stopped."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from threading import Thread

from engine.contract import Event, Loaded
from engine.server.asking import Asked, Asking
from engine.server.listening import address_of, free_port_after, listen, obstacle
from engine.server.records import Obstacle, Phase, RequestRecord, ServerState
from engine.server.settings import ServerSettings

Told = Callable[[ServerState | RequestRecord], None]

_MOST_CONNECTIONS = 256
_GRACE_S = 2


class LocalServer:
    """Answers other programs with the engine of whoever started it.

    Args:
        settings: where it listens, and whom it answers.
        service: the engine; it may be somebody else's, who passes its events to ``hear``.
        told: receives every change of state and a record of every request, on the server's thread.
        wake: asks for a model that rests, on the server's thread; None: none ever does.

    Raises:
        EngineError: SETTING_INVALID.
    """

    def __init__(
        self,
        settings: ServerSettings,
        service: Asked,
        told: Told,
        wake: Callable[[], None] | None = None,
    ) -> None:
        settings.check()
        self._settings = settings
        self._told = told
        self._asking = Asking(service, settings.most_open, settings.cached_replies, wake)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping: asyncio.Event | None = None
        self._is_stopped = False
        self._thread = Thread(target=self._main, name="inkstone-server", daemon=True)

    def start(self) -> None:
        """Begin to listen, soon; what comes of it is told."""
        self._thread.start()

    def set_model(self, loaded: Loaded | None, *, is_coming: bool = False) -> None:
        """Tell which model there is, or whether one comes when it is needed; from any thread."""
        self._asking.set_model(loaded, is_coming=is_coming)

    def hear(self, event: Event) -> None:
        """Take any event of the engine; from any thread."""
        self._asking.hear(event)

    def ask_to_stop(self) -> None:
        """End what is answered and stop listening, soon; from any thread."""
        self._is_stopped = True
        loop, stopping = self._loop, self._stopping
        if loop is not None and stopping is not None and not loop.is_closed():
            loop.call_soon_threadsafe(stopping.set)

    def join(self, timeout_s: float | None = None) -> bool:
        """Wait until it has stopped; False if that takes longer."""
        if self._thread.ident is not None:
            self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _main(self) -> None:
        self._told(ServerState(Phase.STARTING))
        try:
            listening = listen(self._settings.host, self._settings.port)
        except OSError as error:
            self._told(self._failure(error))
            return
        with listening:
            asyncio.run(self._serve(listening))
        self._told(ServerState(Phase.STOPPED))

    def _failure(self, error: OSError) -> ServerState:
        """The state of a server whose address cannot be listened on."""
        why, settings = obstacle(error), self._settings
        port = (
            free_port_after(settings.host, settings.port)
            if why in {Obstacle.TAKEN, Obstacle.FORBIDDEN}
            else 0
        )
        reason = str(error.strerror or error)
        return ServerState(Phase.FAILED, obstacle=why, reason=reason, free_port=port)

    async def _serve(self, listening: socket.socket) -> None:
        """Answer until it is asked to stop."""
        import uvicorn  # noqa: PLC0415 (a window that does not serve does not load it)

        from engine.server.guard import HEADER_BYTES  # noqa: PLC0415
        from engine.server.protocol import protocol_with  # noqa: PLC0415
        from engine.server.web import application  # noqa: PLC0415

        self._asking.begin()
        self._stopping, self._loop = asyncio.Event(), asyncio.get_running_loop()
        config = uvicorn.Config(
            application(self._settings, self._asking, self._told),
            http=protocol_with(self._settings.patience_s, _MOST_CONNECTIONS),
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=_GRACE_S,
            h11_max_incomplete_event_size=HEADER_BYTES,
        )
        server = uvicorn.Server(config)
        self._told(ServerState(Phase.RUNNING, address_of(listening)))
        serving = asyncio.ensure_future(server.serve(sockets=[listening]))
        if not self._is_stopped:
            stopping = asyncio.ensure_future(self._stopping.wait())
            await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
            stopping.cancel()
        self._asking.end_all()
        server.should_exit = True
        await serving
