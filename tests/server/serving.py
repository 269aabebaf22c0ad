"""A server on a free port of loopback, before an engine that is a double."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from queue import Queue
from typing import Any

from openai import OpenAI

from engine.answering import Answering
from engine.contract import CommandRunner, Event, Finished, Load, Loaded, Priority
from engine.engine import Engine
from engine.server import Phase, RequestRecord, ServerSettings, ServerState
from engine.server.local_server import LocalServer
from engine.service import EngineService
from tests.doubles.engines import Reply, ScriptedRunner
from tests.doubles.models import mock_loaded

KEY = "sk-test-key"
MODEL = Path("scripted.gguf")


class ForegroundScript(ScriptedRunner):
    """The double keeps titles for what runs in the background, as the server's requests do."""

    def _next_reply(self, priority: Priority) -> Reply:
        return super()._next_reply(Priority.FOREGROUND)


@dataclass
class Serving:
    """A running server with what it told."""

    server: LocalServer
    service: EngineService
    told: Queue[ServerState | RequestRecord]
    events: Queue[Event]
    address: str = ""
    kept: list[RequestRecord] = field(default_factory=list)

    @property
    def port(self) -> int:
        return int(self.address.rsplit(":", 1)[1].split("/")[0])

    def record(self) -> RequestRecord:
        """The next record."""
        found = self.told.get(timeout=120)
        assert isinstance(found, RequestRecord)
        return found

    @contextmanager
    def client(self, **more: Any) -> Iterator[OpenAI]:
        with OpenAI(base_url=self.address, api_key=KEY, max_retries=0, **more) as client:
            yield client


def mock_engine() -> CommandRunner:
    """The real engine, scheduler and all, over the mock model of single bytes."""

    def load(command: Load) -> Generator[Event, None, Answering]:
        yield from ()
        return Answering(mock_loaded())

    return Engine(load)


@contextmanager
def serving(
    make: Callable[[], CommandRunner] | None, model: Path = MODEL, **more: Any
) -> Iterator[Serving]:
    """A server before the runner that ``make`` makes, with a model loaded."""
    told: Queue[ServerState | RequestRecord] = Queue()
    events: Queue[Event] = Queue()
    servers: list[LocalServer] = []

    def sink(event: Event) -> None:
        events.put(event)
        for server in servers:
            server.hear(event)

    service = EngineService(sink, make)
    settings = ServerSettings(**{"port": 0, "key": KEY} | more)
    server = LocalServer(settings, service, told.put)
    servers.append(server)
    running = Serving(server, service, told, events)
    try:
        service.submit(Load(1, model))
        while not isinstance(event := events.get(timeout=120), Finished):
            if isinstance(event, Loaded):
                server.set_model(event)
        server.start()
        states = [told.get(timeout=120), told.get(timeout=120)]
        assert isinstance(states[1], ServerState)
        assert states[1].phase is Phase.RUNNING, states
        running.address = states[1].address
        yield running
    finally:
        server.ask_to_stop()
        assert server.join(60)
        service.close()


def scripted(*replies: Reply, **more: Any) -> tuple[ForegroundScript, Callable[[], CommandRunner]]:
    """A scripted runner, and what makes it."""
    runner = ForegroundScript(replies, **more)
    return runner, lambda: runner
