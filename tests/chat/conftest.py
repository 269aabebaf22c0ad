"""A chat over a store in a temporary folder and an engine that a test moves by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from app.chat.library import ChatLibrary
from app.chat.model_session import ModelSession
from app.chat.saving import Saving
from app.chat.services import Services
from app.engine_bridge import EngineBridge
from app.store.opening import OpenedStore, open_store
from app.store.settings import SettingsFile
from app.store.worker import InlineWorker
from engine.contract import (
    Channel,
    Command,
    Event,
    Failed,
    Fault,
    Finished,
    FinishReason,
    Generate,
    Load,
    Loaded,
    Memory,
    ModelFacts,
    Sampling,
    Support,
    TextDelta,
    Timings,
    Usage,
)

FACTS = ModelFacts(
    path=Path("model.gguf"),
    name="Tiny",
    format="gguf",
    architecture="llama",
    support=Support.FAST,
    size_bytes=1,
    parameters=1,
    active_parameters=1,
    bits_per_weight=4.5,
    quantization="Q4_1",
    context_length=2048,
    layers=1,
    vocabulary=256,
    cache_bytes_per_token=1,
    has_template=True,
)


@dataclass
class HandEngine:
    """An engine service that answers only what a test tells it to."""

    sink: Callable[[Event], None]
    commands: list[Command] = field(default_factory=list)
    cancelled: list[int] = field(default_factory=list)
    closed: bool = False

    def submit(self, command: Command) -> None:
        self.commands.append(command)

    def cancel(self, request: int) -> None:
        self.cancelled.append(request)

    def close(self, timeout_s: float = 5.0) -> bool:
        self.closed = True
        return True

    @property
    def last(self) -> Generate:
        command = self.commands[-1]
        assert isinstance(command, Generate)
        return command

    def say(self, text: str, channel: Channel = Channel.ANSWER, request: int = 0) -> None:
        self.sink(TextDelta(request or self.last.request, channel, text))

    def finish(
        self,
        reason: FinishReason = FinishReason.END_OF_TURN,
        ids: tuple[int, ...] = (1, 2, 3),
        request: int = 0,
    ) -> None:
        usage = Usage(prompt_tokens=7, generated_tokens=len(ids))
        timings = Timings(decode_s=1.0, tokens_per_second=20.0)
        self.sink(Finished(request or self.last.request, reason, usage, timings, ids))

    def fail(self, fault: Fault, request: int = 0) -> None:
        self.sink(Failed(request or self.last.request, fault))

    def load(self) -> None:
        command = self.commands[-1]
        assert isinstance(command, Load)
        memory = Memory(1, 1, 1, 1)
        self.sink(
            Loaded(command.request, FACTS, 2048, "cpu", 2, memory, Sampling(), False, load_s=0.1)
        )
        self.sink(Finished(command.request, FinishReason.DONE))


@dataclass
class Desk:
    """Everything of the program below its widgets."""

    folder: Path
    opened: OpenedStore
    engine: HandEngine
    services: Services
    library: ChatLibrary

    def close(self) -> None:
        self.library.close()
        self.services.bridge.close()
        self.services.saving.close()
        self.opened.close()


def make_desk(folder: Path, model: bool = True) -> Desk:
    opened = open_store(folder, InlineWorker())
    engines: list[HandEngine] = []

    def make_service(sink: Callable[[Event], None]) -> HandEngine:
        engines.append(HandEngine(sink))
        return engines[0]

    bridge = EngineBridge(make_service)
    settings = SettingsFile(folder / "settings.json", InlineWorker())
    session = ModelSession(bridge, settings)
    services = Services(Saving(opened.store), bridge, session, settings)
    desk = Desk(folder, opened, engines[0], services, ChatLibrary(services))
    if model:
        session.load(Path("model.gguf"))
        engines[0].load()
    return desk


@pytest.fixture
def desk(qapp: object, tmp_path: Path) -> Iterator[Desk]:
    made = make_desk(tmp_path)
    yield made
    made.close()
