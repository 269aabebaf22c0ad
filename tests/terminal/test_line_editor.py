"""Writing at a terminal: keys go in, messages come out."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.input.base import PipeInput
from prompt_toolkit.input.defaults import create_pipe_input
from prompt_toolkit.output import DummyOutput

from engine.terminal.line_editor import LineEditor

UP, ALT_ENTER, CTRL_J = "\x1b[A", "\x1b\r", "\n"


@pytest.fixture
def keys() -> Iterator[PipeInput]:
    with create_pipe_input() as made:
        yield made


def editor(keys: PipeInput) -> LineEditor:
    return LineEditor(["/help", "/save", "/system"], keys, DummyOutput())


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("Why?\r", "Why?"),
        (f"One{ALT_ENTER}two\r", "One\ntwo"),
        (f"One{CTRL_J}two\r", "One\ntwo"),
        ("One\\\rtwo\r", "One\ntwo"),
        ("\x1b[200~pasted\nlines\x1b[201~\r", "pasted\nlines"),
        ("冰\r", "冰"),
    ],
)
def test_what_is_sent(keys: PipeInput, typed: str, message: str) -> None:
    keys.send_text(typed)
    assert editor(keys).ask("> ") == message


def test_what_was_written_is_found_again(keys: PipeInput) -> None:
    writing = editor(keys)
    keys.send_text("first\r")
    assert writing.ask("> ") == "first"
    keys.send_text(f"{UP}!\r")
    assert writing.ask("> ") == "first!"


def test_tab_offers_commands_at_the_beginning_alone(keys: PipeInput) -> None:
    completer = editor(keys)._session.completer
    assert completer is not None

    def offered(text: str) -> list[str]:
        found = completer.get_completions(Document(text), CompleteEvent())
        return [each.text for each in found]

    assert offered("/s") == ["/save", "/system"]
    assert offered("say /s") == []


@pytest.mark.parametrize(("typed", "ends"), [("\x03", KeyboardInterrupt), ("\x04", EOFError)])
def test_ctrl_c_drops_a_line_and_ctrl_d_ends(
    keys: PipeInput, typed: str, ends: type[BaseException]
) -> None:
    keys.send_text(typed)
    with pytest.raises(ends):
        editor(keys).ask("> ")
