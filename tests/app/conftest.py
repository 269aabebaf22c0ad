"""The whole window around a scripted engine, in a home of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.application import Application, Outside
from app.chat.model_session import ModelPhase
from app.ui.model_shelf import ModelSources
from engine.contract import EngineError, Fault, ModelFacts
from engine.library.downloads.pace import RateLimit
from engine.library.scan import Found
from engine.service import EngineService
from tests.doubles.engines import ScriptedRunner
from tests.doubles.scripts import model_facts


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The offscreen platform says this of every window that is shown; it means nothing here."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(
                pytest.mark.qt_log_ignore(
                    "propagateSizeHints", "not support raise", "systemTrayWindowChanged"
                )
            )


@dataclass
class Shelves:
    """A double of ``engine.library``: which models there are, and how a fetch goes."""

    folder: Path
    models: list[ModelFacts] = field(default_factory=list)
    broken: list[Found] = field(default_factory=list)
    fetch_fault: Fault | None = None
    fetch_waits: bool = False  # until it is stopped
    looked_into: list[tuple[Path, ...]] = field(default_factory=list)
    limit: RateLimit | None = None  # that the last fetch was given

    def add(self, name: str, **values: object) -> Path:
        """Put a model on the shelf and return its path; the file exists, and is empty."""
        path = self.folder / f"{name}.gguf"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        self.models.append(replace(model_facts(path), name=name, **values))  # type: ignore[arg-type]
        return path

    def scan(self, folders: Sequence[Path]) -> list[Found]:
        self.looked_into.append(tuple(folders))
        return [*(Found(facts.path, facts) for facts in self.models), *self.broken]

    def identify(self, path: Path) -> ModelFacts:
        for found in self.broken:
            if found.path == path and found.fault is not None:
                raise EngineError(found.fault.kind, **found.fault.figures)
        return next((m for m in self.models if m.path == path), model_facts(path))

    def fetch(
        self,
        progress: Callable[[int, int], None],
        cancelled: Callable[[], bool],
        limit: RateLimit,
    ) -> Path | None:
        self.limit = limit
        progress(31_000_000, 98_362_432)
        while self.fetch_waits and not cancelled():
            pass
        if cancelled():
            return None
        if self.fetch_fault is not None:
            raise EngineError(self.fetch_fault.kind, **self.fetch_fault.figures)
        return self.add("SmolLM2-135M-Instruct")

    def sources(self) -> ModelSources:
        return ModelSources(self.folder, self.scan, self.identify, self.fetch, 98_362_432)


class Program:
    """Starts the window as often as a test wants, over the same home."""

    def __init__(self, qapp: QApplication, qtbot: QtBot, shelves: Shelves) -> None:
        self._qapp, self.qtbot, self.shelves = qapp, qtbot, shelves
        self.runner = ScriptedRunner()
        self.measures = False  # the child that measures this computer takes seconds and cores
        self.running: Application | None = None

    def start(
        self,
        runner: ScriptedRunner | None = None,
        model: Path | None = None,
        first_model: Path | None = None,
        *,
        is_known: bool = True,
    ) -> Application:
        """Start the window and wait until it is on screen and, mostly, the shelf is known."""
        self.runner = runner or ScriptedRunner()
        chosen = self.runner
        outside = Outside(
            lambda sink: EngineService(sink, lambda: chosen), self.shelves.sources(), self.measures
        )
        self.running = Application(self._qapp, outside, model, first_model)
        self.running.start()
        if not is_known:
            return self.running
        self.qtbot.waitExposed(self.running.window)
        self.qtbot.waitUntil(lambda: self.running is not None and self.running.shelf.is_known)
        return self.running

    def start_ready(self, runner: ScriptedRunner | None = None) -> Application:
        """Start with one model, and wait until it is loaded."""
        path = self.shelves.add("SmolLM2-135M-Instruct")
        program = self.start(runner, path)
        self.qtbot.waitUntil(lambda: program.model.state.phase is ModelPhase.READY)
        return program

    def end(self) -> None:
        """Close the window as a person does."""
        if self.running is not None:
            self.running.window.close()
            self.running.close()
            self.running.window.deleteLater()
            self.running.deleteLater()
            self.running = None
            self._undress()

    def _undress(self) -> None:
        """Take the style sheet off, as it is when a program starts.

        Each widget of the next window would be polished as it is put into another, and again when
        the window is dressed: that was a third of the time of these tests.
        """
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        self._qapp.setStyleSheet("")


@pytest.fixture
def shelves(tmp_path: Path) -> Shelves:
    return Shelves(tmp_path / "models")


@pytest.fixture
def program(qapp: QApplication, qtbot: QtBot, shelves: Shelves) -> Iterator[Program]:
    program = Program(qapp, qtbot, shelves)
    yield program
    program.end()
