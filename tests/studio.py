"""The window before a camera: the program's own, around a scripted engine, in a home of its own."""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.application import Application, Outside
from app.chat.model_session import ModelPhase
from app.store.opening import open_store
from app.store.rows import ChatRow, TurnRow
from app.store.worker import InlineWorker
from app.ui.model_shelf import ModelSources
from engine.contract import Command, Event, Loaded, Memory, Metrics, ModelFacts, Progress, Stage
from engine.library.downloads.pace import RateLimit
from engine.library.scan import Found
from engine.service import EngineService
from tests.doubles.engines import ScriptedRunner
from tests.doubles.scripts import model_facts

SIZE = (1280, 832)
DAY_US = 86_400_000_000
GB = 10**9


class Studio(ScriptedRunner):
    """A scripted engine that tells the figures of the pictures, and can stand still."""

    held = threading.Event()  # set: go on
    speed, context_used = 13.2, 1746
    memory = Memory(2_500_000_000, 1_210_000_000, 300_000_000, 0)

    def run(self, command: Command, cancelled: Callable[[], bool]) -> Iterator[Event | None]:
        for event in super().run(command, cancelled):
            match event:
                case Loaded(model=facts):
                    known = next((m for m in MODELS if m.path == facts.path), facts)
                    yield replace(event, model=known, context=8192, threads=8, memory=self.memory)
                case Metrics():
                    yield replace(
                        event,
                        tokens_per_second=self.speed * (0.92 + 0.02 * (event.generated_tokens % 5)),
                        time_to_first_token_s=0.84,
                        context_used=self.context_used,
                        context_size=8192,
                        memory=self.memory,
                    )
                case Progress(stage=Stage.READING, done=done, total=total) if 0 < done < total:
                    yield event
                    while not self.held.is_set() and not cancelled():
                        time.sleep(0.01)
                        yield None
                case _:
                    yield event


def model(name: str, size: int, **values: object) -> ModelFacts:
    path = Path("/home/user/.local/share/Inkstone/models") / name / f"{name}.gguf"
    facts = replace(model_facts(path), name=name, size_bytes=size, weight_bytes=size)
    return replace(facts, **values)  # type: ignore[arg-type]


MODELS = [
    model("Qwen3 4B", 2_500_000_000, parameters=4_020_000_000, context_length=40_960, layers=36,
          quantization="Q4_K_M", bits_per_weight=4.97, publisher="Qwen",
          cache_bytes_per_token=147_456, vocabulary=151_936),
    model("Gemma 3 4B", 2_490_000_000, parameters=3_880_000_000, context_length=131_072, layers=34,
          quantization="Q4_K_M", bits_per_weight=5.1, publisher="Google",
          cache_bytes_per_token=139_264, vocabulary=262_144, license="gemma"),
    model("Qwen3 14B", 19_800_000_000, parameters=14_800_000_000, context_length=40_960, layers=40,
          quantization="Q8_0", bits_per_weight=8.5, publisher="Qwen",
          cache_bytes_per_token=163_840, vocabulary=151_936),
    model("SmolLM2-135M-Instruct", 98_362_432, publisher="HuggingFaceTB", context_length=8192),
]  # fmt: skip


def seed(home: Path, chats: list[tuple[str, int, bool]]) -> None:
    """Put chats with a question each into a home."""
    opened = open_store(home, InlineWorker())
    now = time.time_ns() // 1000
    for title, days, pinned in chats:
        chat, turn = opened.store.new_chat_id(), opened.store.new_turn_id()
        when = now - days * DAY_US - 3_600_000_000 * (days == 0) // 60
        opened.store.put_chat(
            ChatRow(chat, title, "user", created=when, updated=when, pinned=pinned, turns=1)
        )
        opened.store.add_turns(TurnRow(turn, chat, None, "user", "?", created=when))
    opened.close()


class Scene:
    """The window in a home of its own, and the camera before it."""

    def __init__(self, app: QApplication, out: Path, models: list[ModelFacts]) -> None:
        self._app, self._out = app, out
        self.models = models
        self.found: list[Found] = []  # where each was found, for scenes that tell it
        self.fetching = threading.Event()

    @contextmanager
    def window(
        self,
        runner: Studio,
        chats: list[tuple[str, int, bool]],
        before: Callable[[Path], None] = lambda home: None,
        **settings: object,
    ) -> Iterator[Application]:
        with tempfile.TemporaryDirectory() as home:
            os.environ["INKSTONE_HOME"] = home
            seed(Path(home), chats)
            before(Path(home))
            sources = ModelSources(
                Path(home) / "models",
                lambda _: self.found or [Found(facts.path, facts) for facts in self.models],
                lambda path: next(m for m in self.models if m.path == path),
                self._fetch,
                98_362_432,
            )
            outside = Outside(
                lambda sink: EngineService(sink, lambda: runner), sources, measures=False
            )
            program = Application(self._app, outside)
            program.settings.change(load_last_model=False, **settings)
            for name in settings:
                program.settings_on_screen._on_changed(name)
            program.window.move(0, 0)
            program.window.resize(*SIZE)
            program.start()
            program.window.activateWindow()
            self.wait(lambda: program.shelf.is_known)
            QCursor.setPos(1590, 990)
            try:
                yield program
            finally:
                self.fetching.set()
                program.window.close()
                program.close()
                program.window.deleteLater()
                program.deleteLater()
                QTest.qWait(20)

    def _fetch(
        self,
        progress: Callable[[int, int], None],
        cancelled: Callable[[], bool],
        limit: RateLimit,
    ) -> Path | None:
        for part in range(1, 32):
            progress(part * 1_000_000, 98_362_432)
            time.sleep(0.02)
        while not cancelled() and not self.fetching.is_set():
            time.sleep(0.02)
        return None

    def wait(self, until: Callable[[], bool], seconds: float = 60) -> None:
        end = time.monotonic() + seconds
        while not until():
            if time.monotonic() > end:
                raise TimeoutError
            QTest.qWait(10)

    def load(self, program: Application, name: str) -> None:
        Studio.held.set()
        program.deeds.load(next(m.path for m in self.models if m.name == name))
        self.wait(lambda: program.model.state.phase is ModelPhase.READY)

    def ask(self, program: Application, text: str) -> None:
        field = program.window.parts.chat.box.field
        field.setPlainText(text)
        QTest.keyClick(field, Qt.Key.Key_Return)

    def settle(self, program: Application) -> None:
        self.wait(lambda: not is_busy(program))

    def shoot(self, program: Application, name: str, *, screen: bool = False) -> None:
        """Take the picture: of the window, or of the screen where menus and tooltips lie."""
        QTest.qWait(240)  # longer than any motion
        window = program.window
        area = window.geometry()
        picture = (
            window.screen().grabWindow(0, area.x(), area.y(), area.width(), area.height())
            if screen
            else window.grab()
        )
        picture.save(str(self._out / f"{name}.png"))
        print(self._out / f"{name}.png")


def is_busy(program: Application) -> bool:
    session = program.window.parts.chat.session
    return session is not None and session.state.busy
