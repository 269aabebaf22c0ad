"""The real window with the real engine and the real starter model, in a home of its own."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.application import Application, Outside
from app.chat.model_session import ModelPhase
from app.chat.options import ChatOptions
from app.chat.turn import Turn, TurnState
from engine.contract import Role, Sampling

LOAD_MS = 180_000  # kernels are compiled in the first load on a machine
REPLY_MS = 180_000  # on two busy cores; a reply is a few seconds on an idle machine


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every journey; the offscreen platform's size hint says nothing here."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.journey)
            item.add_marker(pytest.mark.qt_log_ignore("propagateSizeHints"))


@pytest.fixture(autouse=True)
def other_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without Ollama, LM Studio and the others, whatever this computer has."""
    home = tmp_path / "another home"
    home.mkdir()
    monkeypatch.setattr(Path, "home", lambda: home)
    for name in ("OLLAMA_MODELS", "HF_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        monkeypatch.delenv(name, raising=False)
    return home


@pytest.fixture
def shelf(starter_model: Path) -> Path:
    """The home's model folder, the starter model in it as a hard link or a copy."""
    target = Path(os.environ["INKSTONE_HOME"], "models", *starter_model.parts[-2:])
    target.parent.mkdir(parents=True)
    try:
        os.link(starter_model, target)
    except OSError:
        shutil.copyfile(starter_model, target)
    return target


class Person:
    """Sits before the window: starts it, types, reads, and waits for what it shows."""

    def __init__(self, qapp: QApplication, qtbot: QtBot) -> None:
        self._qapp, self._qtbot = qapp, qtbot
        self.program: Application | None = None
        self.measures = False  # this computer, which takes two seconds of all cores

    @property
    def window(self) -> Application:
        """The running program."""
        assert self.program is not None
        return self.program

    def start(self, model: Path | None = None) -> Application:
        """Double-click: the window is on screen."""
        self.program = Application(self._qapp, Outside(measures=self.measures), model=model)
        self.program.start()
        self._qtbot.waitExposed(self.program.window)
        return self.program

    def start_ready(self, model: Path) -> Application:
        """Start and wait until the model is loaded."""
        program = self.start(model)
        self.wait(lambda: program.model.state.phase is ModelPhase.READY, LOAD_MS)
        self.settle()
        return program

    def settle(self, max_tokens: int = 1500) -> None:
        """Make the open chat repeatable: the likeliest word always, and an end.

        Left to chance, a model of this size may ramble until its context is full.
        """
        session = self.window.window.parts.chat.session
        assert session is not None
        greedy = Sampling(temperature=0, repetition_penalty=1.1)
        session.set_options(ChatOptions(sampling=greedy, max_tokens=max_tokens))

    def ask(self, text: str) -> None:
        """Type a message and press Enter."""
        field = self.window.window.parts.chat.box.field
        field.setFocus()
        field.insertPlainText(text)
        QTest.keyClick(field, Qt.Key.Key_Return)

    def turns(self) -> list[Turn]:
        """What the open chat shows."""
        session = self.window.window.parts.chat.session
        return list(session.path()) if session is not None else []

    def reply(self) -> Turn | None:
        """The last turn, when it is the model's."""
        turns = self.turns()
        return turns[-1] if turns and turns[-1].role is Role.ASSISTANT else None

    def wait(self, claim: Callable[[], bool], timeout: int = REPLY_MS) -> None:
        """Wait until the window shows it."""
        self._qtbot.waitUntil(claim, timeout=timeout)

    def wait_for_words(self, characters: int = 20) -> None:
        """Wait until a reply has begun."""
        self.wait(
            lambda: (
                (r := self.reply()) is not None
                and len(r.content) > characters
                and r.state is TurnState.STREAMING
            )
        )

    def wait_for_reply(self) -> Turn:
        """Wait until the reply is over, and return it."""
        self.wait(
            lambda: (
                (r := self.reply()) is not None
                and r.state is not TurnState.STREAMING
                and not self._is_busy()
            )
        )
        reply = self.reply()
        assert reply is not None
        return reply

    def _is_busy(self) -> bool:
        session = self.window.window.parts.chat.session
        return session is not None and session.state.busy

    def leave(self) -> None:
        """Close the window as a person does."""
        if self.program is not None:
            self.program.window.close()
            self.program.close()
            self.program.window.deleteLater()
            self.program.deleteLater()
            self.program = None


@pytest.fixture
def person(qapp: QApplication, qtbot: QtBot) -> Iterator[Person]:
    person = Person(qapp, qtbot)
    yield person
    person.leave()
