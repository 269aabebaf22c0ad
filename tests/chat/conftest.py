"""Everything of the program below its widgets, with an engine that a test moves step by step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from app.chat.inspections import Inspections
from app.chat.library import ChatLibrary
from app.chat.model_session import ModelSession
from app.chat.saving import Saving
from app.chat.services import Services
from app.engine_bridge import EngineBridge
from app.store.opening import OpenedStore, open_store
from app.store.settings import SettingsFile
from app.store.worker import InlineWorker
from engine.contract import Event, Generate
from tests.doubles.engines import DirectService, LoadScript, Reply, ScriptedRunner


@dataclass
class Desk:
    """The program without a window; what happens on disk and in the engine happens at once."""

    folder: Path
    opened: OpenedStore
    service: DirectService
    runner: ScriptedRunner
    services: Services
    library: ChatLibrary

    def run(self) -> None:
        """Let the engine work until it has nothing to do."""
        self.service.run_all()

    def step(self, turns: int = 1) -> None:
        """Let the engine take some steps; a scripted reply yields one event a step."""
        self.service.step(turns)

    @property
    def asked(self) -> list[Generate]:
        """What the engine was asked to answer so far."""
        return [command for command in self.runner.commands if isinstance(command, Generate)]

    def close(self) -> None:
        self.library.close()
        self.services.bridge.close()
        self.services.saving.close()
        self.opened.close()


def make_desk(
    folder: Path, *replies: Reply, loads: tuple[LoadScript, ...] = (), model: bool = True
) -> Desk:
    runner = ScriptedRunner(replies, loads)
    services: list[DirectService] = []

    def make_service(sink: Callable[[Event], None]) -> DirectService:
        services.append(DirectService(sink, lambda: runner))
        return services[0]

    opened = open_store(folder, InlineWorker())
    bridge = EngineBridge(make_service)
    settings = SettingsFile(folder / "settings.json", InlineWorker())
    session = ModelSession(bridge, settings)
    bundle = Services(Saving(opened.store), bridge, session, settings, Inspections(bridge, session))
    desk = Desk(folder, opened, services[0], runner, bundle, ChatLibrary(bundle))
    if model:
        session.load(folder / "tiny.gguf")
        desk.run()
    return desk


@pytest.fixture
def desks(qapp: object, tmp_path: Path) -> Iterator[Callable[..., Desk]]:
    """Make desks in one folder, one after the other: the program started again and again."""
    made: list[Desk] = []

    def make(*replies: Reply, **values: Any) -> Desk:
        if made:
            made[-1].close()
        made.append(make_desk(tmp_path, *replies, **values))
        return made[-1]

    yield make
    if made:
        made[-1].close()


@dataclass
class Heard:
    """What a signal said, in order."""

    said: list[Any] = field(default_factory=list)

    def __call__(self, *values: Any) -> None:
        self.said.append(values[0] if len(values) == 1 else values)
