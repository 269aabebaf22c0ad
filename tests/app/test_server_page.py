"""The local server beside the chat: one engine, two askers, in the whole window."""

from __future__ import annotations

import json
import socket
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import keyring
import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel

from app.application import Application
from app.chat.serving import KeyTaker
from engine.contract import Generate, Priority
from engine.server import Phase
from tests.app.conftest import Program
from tests.app.test_application import ask, await_reply
from tests.doubles.engines import Reply
from tests.doubles.keyrings import MemoryKeyring
from tests.server.serving import ForegroundScript

BODY = {"messages": [{"role": "user", "content": "Hi"}], "temperature": 0}


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as pool:
        yield pool


def post(address: str, key: str) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {key}"}
    body = json.dumps(BODY).encode()
    request = urllib.request.Request(f"{address}/chat/completions", body, headers)
    with urllib.request.urlopen(request, timeout=20) as answer:
        made: dict[str, Any] = json.loads(answer.read())
        return made


def running(program: Program, window: Application) -> None:
    window.settings.change(server_port=0)
    window.serving.start()
    program.qtbot.waitUntil(lambda: window.serving.state.phase is Phase.RUNNING)


def shown(window: Application) -> list[str]:
    labels = window.window.parts.server.findChildren(QLabel)
    return [label.text() for label in labels if label.isVisible()]


def test_a_program_is_answered_by_the_engine_of_the_chat_and_both_are_right(
    program: Program, threads: ThreadPoolExecutor
) -> None:
    runner = ForegroundScript([Reply("To the program."), Reply("To the person.")])
    window = program.start_ready(runner)
    window.window.show_page("server")
    running(program, window)
    serving = window.serving
    asked = threads.submit(post, serving.state.address, serving.key)
    program.qtbot.waitUntil(asked.done, timeout=20_000)
    assert asked.result()["choices"][0]["message"]["content"] == "To the program."
    program.qtbot.waitUntil(lambda: "/v1/chat/completions" in shown(window))
    assert len(serving.records) == 1
    window.window.show_page("chat")
    ask(window, "first")
    await_reply(program, window, 2)
    session = window.window.parts.chat.session
    assert session is not None
    assert session.path()[-1].content == "To the person."
    generated = [c for c in runner.commands if isinstance(c, Generate)]
    assert generated[0].request < 0
    assert generated[0].settings.priority is Priority.BACKGROUND
    assert generated[1].settings.priority is Priority.FOREGROUND


def test_address_key_model_and_examples_are_there_to_be_copied(program: Program) -> None:
    window = program.start_ready()
    window.window.show_page("server")
    page = window.window.parts.server
    assert not page.address.isVisible()
    running(program, window)
    texts = shown(window)
    assert window.serving.state.address in texts
    assert "SmolLM2-135M-Instruct" in texts
    page.key.copy.click()
    assert QGuiApplication.clipboard().text() == window.serving.key
    for language, begin in (("curl", "curl http://127.0.0.1:"), ("python", "from openai import")):
        page.language.show_value(language)
        page.language.chosen.emit(language)
        assert page.example.text.startswith(begin)
        assert window.serving.key in page.example.text
    page.run.click()
    program.qtbot.waitUntil(lambda: window.serving.state.phase is Phase.STOPPED)
    assert not page.address.isVisible()


def test_a_taken_port_is_said_and_another_one_is_a_click_away(program: Program) -> None:
    window = program.start_ready()
    window.window.show_page("server")
    page = window.window.parts.server
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        window.settings.change(server_port=port)
        page.run.click()
        program.qtbot.waitUntil(lambda: window.serving.state.phase is Phase.FAILED)
        assert any(f"Port {port} is taken" in text for text in shown(window))
        free = window.serving.state.free_port
        assert free > port
        assert str(free) in page.another.text()
        page.another.click()
        program.qtbot.waitUntil(lambda: window.serving.state.phase is Phase.RUNNING)
    assert window.settings.settings.server_port == free
    assert f":{free}/" in window.serving.state.address


@pytest.fixture
def keyring_here(monkeypatch: pytest.MonkeyPatch) -> MemoryKeyring:
    """A keyring that outlives the program."""
    ring = MemoryKeyring()
    for name in ("get_password", "set_password", "delete_password"):
        monkeypatch.setattr(keyring, name, getattr(ring, name))
    return ring


def test_the_key_is_the_same_after_a_restart_where_there_is_a_keyring(
    program: Program, keyring_here: MemoryKeyring
) -> None:
    window = program.start_ready()
    assert not keyring_here.kept  # nothing is asked before the server is wanted
    window.window.show_page("server")
    running(program, window)
    key = window.serving.key
    assert list(keyring_here.kept.values()) == [key]
    assert any("keyring and stays the same" in text for text in shown(window))
    program.end()
    again = program.start_ready()
    running(program, again)
    assert again.serving.key == key


def test_without_a_keyring_the_page_says_that_the_key_ends_with_the_program(
    program: Program,
) -> None:
    window = program.start_ready()
    window.window.show_page("server")
    running(program, window)
    key = window.serving.key
    assert any("no keyring" in text for text in shown(window))
    window.serving.stop()
    program.qtbot.waitUntil(lambda: window.serving.state.phase is Phase.STOPPED)
    running(program, window)
    assert window.serving.key == key
    program.end()
    again = program.start_ready()
    running(program, again)
    assert again.serving.key != key


def test_a_new_key_is_asked_for_at_once_at_the_same_address(
    program: Program, keyring_here: MemoryKeyring, threads: ThreadPoolExecutor
) -> None:
    window = program.start_ready(ForegroundScript([Reply("Yes.")]))
    window.window.show_page("server")
    running(program, window)
    serving, old, address = window.serving, window.serving.key, window.serving.state.address
    window.window.parts.server.new_key.click()
    program.qtbot.waitUntil(lambda: serving.key != old and serving.state.phase is Phase.RUNNING)
    assert serving.state.address == address
    assert list(keyring_here.kept.values()) == [serving.key]
    refused = threads.submit(post, address, old)
    program.qtbot.waitUntil(refused.done, timeout=20_000)
    with pytest.raises(urllib.error.HTTPError, match="401") as error:
        refused.result()
    error.value.close()
    answered = threads.submit(post, address, serving.key)
    program.qtbot.waitUntil(answered.done, timeout=20_000)
    assert answered.result()["choices"][0]["message"]["content"] == "Yes."


class SlowKeys:
    """A keyring that waits for a person's password."""

    def __init__(self) -> None:
        self.asked: list[KeyTaker] = []

    def find(self, then: KeyTaker) -> None:
        self.asked.append(then)

    def renew(self, then: KeyTaker, key: str = "") -> None:
        self.asked.append(then)


def test_stopping_while_the_keyring_is_asked_starts_nothing(program: Program) -> None:
    window, keys = program.start_ready(), SlowKeys()
    window.settings.change(server_port=0)
    serving = window.serving
    serving._keys = keys
    serving.start()
    assert serving.state.phase is Phase.STARTING
    serving.stop()
    assert serving.state.phase is Phase.STOPPED
    serving.start()
    serving.stop()
    for told in keys.asked:
        told("late", True)
    assert serving._server is None
    serving.start()  # the key is known now
    program.qtbot.waitUntil(lambda: serving.state.phase is Phase.RUNNING)


def test_nothing_listens_until_it_is_started_and_closing_the_window_ends_it(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[object] = []
    create: Callable[..., socket.socket] = socket.create_server

    def counted(*values: Any, **more: Any) -> socket.socket:
        opened.append(values)
        return create(*values, **more)

    monkeypatch.setattr(socket, "create_server", counted)
    window = program.start_ready()
    window.window.show_page("server")
    assert opened == []
    running(program, window)
    address = window.serving.state.address
    program.end()
    with pytest.raises(OSError, match="refused"):
        post(address, "x")
