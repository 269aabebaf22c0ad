"""A conversation at a terminal: its commands, what is kept, and where text goes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

import pytest

from engine import cli_terminal
from engine.answering import Answering
from engine.cli_conversation import Conversation
from engine.cli_options import add_conversation, add_generation, add_model
from engine.cli_terminal import EngineAtTerminal
from engine.contract import (
    Command,
    EngineError,
    Event,
    FaultKind,
    Generate,
    Load,
    Loaded,
    Role,
    TextDelta,
    Thinking,
)
from engine.engine import Engine
from tests.doubles.models import mock_loaded


class Screen:
    """Keeps what is shown."""

    def __init__(self) -> None:
        self.replies: list[str] = [""]

    def show(self, delta: TextDelta) -> None:
        self.replies[-1] += delta.text

    def end(self) -> None:
        self.replies.append("")


class Talk:
    """A conversation with the mock model; what is typed comes from a list."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, model: Path) -> None:
        self.asked: list[Generate] = []
        self.loads: list[Load] = []
        self.broken = False
        self.marks: list[str] = []

        def load(command: Load) -> Generator[Event, None, Answering]:
            self.loads.append(command)
            yield from ()
            return Answering(mock_loaded())

        class Heard(Engine):
            def run(
                here, command: Command, cancelled: Callable[[], bool]
            ) -> Iterator[Event | None]:
                if isinstance(command, Generate):
                    self.asked.append(command)
                    if self.broken:
                        raise EngineError(FaultKind.SERVER_BROKE_OFF, host="far")
                return super().run(command, cancelled)

        monkeypatch.setattr(cli_terminal, "Engine", lambda: Heard(load))
        self._monkeypatch = monkeypatch
        parser = argparse.ArgumentParser()
        add_model(parser)
        add_conversation(parser)
        add_generation(parser)
        options = parser.parse_args([str(model), "--max-tokens", "3", "--system", "Be brief."])
        terminal = EngineAtTerminal()
        command = Load(terminal.next_request(), model)
        loaded = next(e for e in list(terminal.run(command)) if isinstance(e, Loaded))
        self.screen = Screen()
        self.conversation = Conversation(terminal, options, loaded, self.screen)

    def type(self, *lines: str) -> int:
        """Type lines at a terminal, then Ctrl-D."""
        left = list(lines)

        def ask(mark: str) -> str:
            self.marks.append(mark)
            if not left:
                raise EOFError
            return left.pop(0)

        for stream in (sys.stdin, sys.stdout):
            self._monkeypatch.setattr(stream, "isatty", lambda: True)
        self._monkeypatch.setattr(self.conversation, "_editor", lambda: ask)
        return self.conversation.run()

    def contents(self, place: int = -1) -> list[str]:
        return [message.content for message in self.asked[place].messages]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "mock.gguf"
    path.touch()
    return path


@pytest.fixture
def talk(monkeypatch: pytest.MonkeyPatch, model: Path) -> Talk:
    return Talk(monkeypatch, model)


def test_a_conversation_grows_and_a_new_one_begins(talk: Talk) -> None:
    assert talk.type("One", "  ", "Two", "/new", "Three") == 0
    assert talk.contents(1)[::2] == ["Be brief.", talk.screen.replies[0]]
    assert talk.contents(1)[1::2] == ["One", "Two"]
    assert talk.contents() == ["Be brief.", "Three"]


def test_retry_asks_the_last_question_again(talk: Talk) -> None:
    talk.type("/retry", "One", "/retry", "Two")
    assert talk.contents(0) == talk.contents(1) == ["Be brief.", "One"]
    assert len(talk.contents(2)) == 4


def test_the_system_prompt_and_thinking_are_changed(
    talk: Talk, capsys: pytest.CaptureFixture[str]
) -> None:
    talk.type("/system Be long.", "/thinking off", "/thinking perhaps", "One", "/system", "Two")
    assert talk.contents(0) == ["Be long.", "One"]
    assert talk.asked[0].thinking is Thinking.OFF
    assert talk.asked[1].messages[0].role is Role.USER
    assert "auto, on, off" in capsys.readouterr().err


def test_another_model_goes_on_without_the_first_ones_ids(talk: Talk, model: Path) -> None:
    talk.type("One", f"/model {model}", "Two")
    assert len(talk.loads) == 2
    assert talk.contents()[1::2] == ["One", "Two"]
    assert not any(message.ids for message in talk.asked[-1].messages)


def test_it_is_saved_and_never_over_another_file(
    talk: Talk, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "talk.md"
    talk.type("One", f"/save {path}", f"/save {path}", "/save")
    assert path.read_text("utf-8").startswith("## You\n\nOne\n\n## Model\n\n")
    assert "is not written" in capsys.readouterr().err


def test_what_is_no_command_is_not_sent_and_a_slash_can_be(
    talk: Talk, capsys: pytest.CaptureFixture[str]
) -> None:
    talk.type("/helo", "//etc is a folder", "/help", "/quit", "never")
    assert [asked.messages[-1].content for asked in talk.asked] == ["/etc is a folder"]
    said = capsys.readouterr().err
    assert "/helo is no command" in said
    for word in ("/new", "/retry", "/system", "/model", "/save", "Ctrl-C"):
        assert word in said


def test_a_fault_is_a_sentence_and_keeps_neither_question_nor_answer(
    talk: Talk, capsys: pytest.CaptureFixture[str]
) -> None:
    talk.broken = True
    talk.type("One")
    talk.broken = False
    talk.type("Two")
    assert "broke off" in capsys.readouterr().err
    assert talk.contents() == ["Be brief.", "Two"]


def test_a_failed_retry_keeps_the_answer_that_was_there(talk: Talk) -> None:
    talk.type("One")
    talk.broken = True
    talk.type("/retry")
    talk.broken = False
    talk.type("Two")
    assert talk.contents()[1::2] == ["One", "Two"]


def test_the_mark_names_the_server_that_text_goes_to(talk: Talk) -> None:
    from dataclasses import replace

    model = replace(talk.conversation._loaded.model, server="https://api.example.com/v1")
    talk.conversation._loaded = replace(talk.conversation._loaded, model=model)
    assert talk.conversation.mark == "api.example.com> "
    here = replace(model, server="http://127.0.0.1:8000/v1")
    talk.conversation._loaded = replace(talk.conversation._loaded, model=here)
    assert talk.conversation.mark == "> "
