"""A remote model in the whole window, at a server of ours on loopback, with the real engine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import keyring
import pytest
from keyring.errors import NoKeyringError
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from app.application import Application, Outside
from app.chat.model_session import ModelPhase
from app.chat.turn import TurnState
from app.model_sources import library_sources
from app.ui.faults import fault_text
from app.ui.remote.dialog import RemoteDialog
from app.ui.transcript.checked import Checked
from engine.contract import FaultKind, Role, Sampling
from engine.library.secrets import Secrets
from engine.library.servers.card import (
    RemoteCard,
    card_facts,
    key_account,
    read_card,
    write_card,
)
from engine.library.servers.known import ServerKind
from engine.library.servers.proxy import proxy_account
from engine.service import EngineService, real_engine
from tests.app.legible import troubles
from tests.doubles import servers
from tests.doubles.certificates import own_authority
from tests.doubles.servers import HANG, Answer, Server, delta, reply, serving, stream
from tests.scenes_remote import open_form

CHAT = "/v1/chat/completions"
KEY = "sk-very-secret-0123"


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as state:
        state.answers = {
            "/v1/models": [servers.models("far-model", owned_by="vllm", max_model_len=4096)],
            CHAT: [reply("Ice ", "is ", "lighter ", "than ", "water.")],
        }
        yield state


@pytest.fixture
def ring(monkeypatch: pytest.MonkeyPatch) -> dict[tuple[str, str], str]:
    """A keyring of this test."""
    kept: dict[tuple[str, str], str] = {}
    monkeypatch.setattr(keyring, "get_password", lambda s, a: kept.get((s, a)))
    monkeypatch.setattr(keyring, "set_password", lambda s, a, k: kept.update({(s, a): k}))
    monkeypatch.setattr(keyring, "delete_password", lambda s, a: kept.pop((s, a)))
    return kept


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("INKSTONE_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def window(qapp: QApplication, qtbot: QtBot, home: Path) -> Iterator[Application]:
    outside = Outside(
        lambda sink: EngineService(sink, real_engine), library_sources(), measures=False
    )
    running = Application(qapp, outside)
    running.start()
    qtbot.waitExposed(running.window)
    qtbot.waitUntil(lambda: running.shelf.is_known)
    yield running
    running.window.close()
    running.close()
    running.window.deleteLater()
    running.deleteLater()


def opened(window: Application) -> RemoteDialog:
    window.window.show_page("chat")
    window.window.parts.chat.header.picker.remote_requested.emit()
    assert window.remote.dialog is not None
    return window.remote.dialog


def answered(window: Application, qtbot: QtBot) -> None:
    session = window.window.parts.chat.session
    assert session is not None
    qtbot.waitUntil(lambda: not session.state.busy and len(session.path()) >= 2, timeout=60_000)


@pytest.mark.usefixtures("ring")
def test_add_test_chat_stop_and_figures(
    window: Application, qtbot: QtBot, server: Server, home: Path
) -> None:
    parts = window.window.parts
    dialog = opened(window)
    assert not dialog.save.isEnabled()
    dialog.address.setText(f"localhost:{server.port}")
    dialog.key.setText(KEY)
    assert "On this computer" in dialog.mark.text()
    dialog.ask.click()
    qtbot.waitUntil(lambda: dialog.model.text() == "far-model", timeout=60_000)
    assert "4K" in dialog.list.item(0).text()
    dialog.name.setText("Far away")
    dialog.test.click()
    qtbot.waitUntil(lambda: "It works" in dialog.said.text(), timeout=60_000)
    dialog.save.click()
    qtbot.waitUntil(lambda: window.model.state.phase is ModelPhase.READY, timeout=60_000)
    parts.models._on_look_changed()
    assert parts.models._count.text() == "0 on this computer, 1 of servers"
    assert {each.headers["authorization"] for each in server.asked} == {f"Bearer {KEY}"}
    assert "Far away" in parts.chat.header.picker.accessibleName()
    assert "another program" in parts.chat.header.picker.accessibleName()
    assert str(server.port) in parts.chat.box.mark.accessibleName()
    parts.chat.box.field.setPlainText("Why does ice float?")
    parts.chat.box._on_send_requested()
    answered(window, qtbot)
    session = parts.chat.session
    assert session is not None
    turn = session.path()[-1]
    assert turn.content == "Ice is lighter than water."
    assert turn.figures is not None
    assert turn.figures.beside_server
    assert (turn.figures.prompt_tokens, turn.figures.generated_tokens) == (7, 5)
    assert turn.figures.time_to_first_token_s > 0
    server.answers[CHAT] = [stream(delta(content="Half "), HANG)]
    parts.chat.answer_again()
    qtbot.waitUntil(lambda: "Half" in session.path()[-1].content, timeout=60_000)
    parts.chat.stop()
    qtbot.waitUntil(lambda: session.path()[-1].state is TurnState.STOPPED, timeout=60_000)
    assert server.hung_up.wait(60)
    window.close()
    for path in home.rglob("*"):
        if path.is_file():
            assert KEY.encode() not in path.read_bytes(), path


@pytest.mark.usefixtures("ring")
def test_the_focus_comes_back_to_what_asked_and_another_server_has_no_list_yet(
    window: Application, qtbot: QtBot, server: Server
) -> None:
    dialog = opened(window)
    qtbot.waitUntil(lambda: dialog.focusWidget() is dialog.address)
    dialog.address.setText(server.address)
    dialog.ask.setFocus()
    dialog.ask.click()
    qtbot.waitUntil(lambda: dialog.model.text() == "far-model", timeout=60_000)
    assert dialog.focusWidget() is dialog.ask
    server.answers[CHAT] = [
        servers.status(429, {"error": {"message": "slow"}}, "Retry-After: 30\r\n")
    ]
    dialog.test.setFocus()
    dialog.test.click()
    qtbot.waitUntil(lambda: "in 30 seconds" in dialog.said.text(), timeout=60_000)
    assert dialog.said.property("kind") == "wrong"
    assert dialog.focusWidget() is dialog.test
    known = dialog.card()
    dialog.address.setText("http://localhost:1/v1")
    other = dialog.card()
    assert known is not None
    assert other is not None
    assert (known.context, other.context) == (4096, 0)
    assert not dialog.list.isVisible()
    dialog.reject()


@pytest.mark.usefixtures("ring")
def test_a_server_that_fails_says_so_in_the_chat_and_keeps_the_text(
    window: Application, qtbot: QtBot, server: Server
) -> None:
    path = write_card(window.shelf.folders[0], RemoteCard(server.address, "far-model", "Far"))
    window.deeds.load(path)
    qtbot.waitUntil(lambda: window.model.state.phase is ModelPhase.READY, timeout=60_000)
    server.answers[CHAT] = [stream(delta(content="Half an"))]
    chat = window.window.parts.chat
    chat.box.field.setPlainText("Why?")
    chat.box._on_send_requested()
    answered(window, qtbot)
    assert chat.session is not None
    turn = chat.session.path()[-1]
    assert (turn.content, turn.state) == ("Half an", TurnState.FAILED)
    assert turn.fault is not None
    assert turn.fault.kind is FaultKind.SERVER_BROKE_OFF


def asked(window: Application, qtbot: QtBot, question: str) -> None:
    chat = window.window.parts.chat
    chat.box.field.setPlainText(question)
    chat.box._on_send_requested()
    answered(window, qtbot)


@pytest.mark.usefixtures("ring")
@pytest.mark.parametrize(
    ("answer", "field"),
    [
        (servers.status(401, {}), "key"),
        (servers.status(404, {"error": {"message": "no such model"}}), "model"),
        (servers.status(307, {}), "address"),
        (servers.status(407, {}), "proxy"),
    ],
)
def test_a_fault_of_key_or_address_opens_the_form_at_its_field(
    window: Application, qtbot: QtBot, server: Server, answer: Answer, field: str
) -> None:
    path = write_card(window.shelf.folders[0], RemoteCard(server.address, "far-model", "Far"))
    window.deeds.load(path)
    qtbot.waitUntil(lambda: window.model.state.phase is ModelPhase.READY, timeout=60_000)
    server.answers[CHAT] = [answer]
    asked(window, qtbot, "Why?")
    chat = window.window.parts.chat
    assert chat.session is not None
    chat.verbs._on_fault_action(chat.session.path()[-1].id, False)
    dialog = window.remote.dialog
    assert dialog is not None
    assert dialog.model.text() == "far-model"
    qtbot.waitUntil(lambda: dialog.focusWidget() is getattr(dialog, field))
    dialog.reject()


@pytest.mark.usefixtures("ring")
def test_a_certificate_that_is_not_trusted_opens_the_form_at_its_field(
    window: Application, qtbot: QtBot, tmp_path: Path
) -> None:
    authority, context = own_authority(tmp_path)
    with servers.serving(context) as safe:
        safe.answers = {"/v1/models": [servers.models("far-model")]}
        path = write_card(window.shelf.folders[0], RemoteCard(safe.address, "far-model", "Far"))
        window.deeds.load(path)
        qtbot.waitUntil(lambda: window.model.state.fault is not None, timeout=60_000)
        fault = window.model.state.fault
        assert fault is not None
        text = fault_text(fault, window.look.language)
        assert "certificate" in text.lead
        window.deeds.act(text.action, fault)
        dialog = window.remote.dialog
        assert dialog is not None
        qtbot.waitUntil(lambda: dialog.focusWidget() is dialog.certificate)
        dialog.certificate.setText(str(tmp_path / "none.pem"))
        dialog.ask.click()
        qtbot.waitUntil(lambda: "none.pem" in dialog.said.text(), timeout=60_000)
        assert dialog.focusWidget() is dialog.certificate
        dialog.certificate.setText(str(authority))
        dialog.save.click()
        qtbot.waitUntil(lambda: window.model.state.phase is ModelPhase.READY, timeout=60_000)


@pytest.mark.usefixtures("ring")
def test_a_proxys_password_goes_to_the_keyring_and_into_no_file(
    window: Application, qtbot: QtBot, server: Server, home: Path
) -> None:
    dialog = opened(window)
    dialog.address.setText(server.address)
    dialog.model.setText("far-model")
    dialog.proxy.setText("http://ann:pass%40word@127.0.0.1:9")
    dialog.save.click()
    qtbot.waitUntil(lambda: window.model.state.phase is ModelPhase.READY, timeout=60_000)
    path = window.model.state.path
    assert path is not None
    assert read_card(path).proxy == "http://ann@127.0.0.1:9"
    assert window.remotes.keys_for(path).proxy_password == "pass@word"
    for each in home.rglob("*"):
        if each.is_file():
            assert b"word@127" not in each.read_bytes(), each


@pytest.mark.usefixtures("ring")
def test_what_a_server_does_not_take_is_said_under_the_reply(
    window: Application, qtbot: QtBot, server: Server
) -> None:
    server.answers["/v1/models"] = [servers.models("far-model")]
    path = write_card(window.shelf.folders[0], RemoteCard(server.address, "far-model", "Far"))
    window.deeds.load(path)
    qtbot.waitUntil(lambda: window.model.state.phase is ModelPhase.READY, timeout=60_000)
    asked(window, qtbot, "Why?")
    assert not window.window.findChildren(Checked)  # nothing was chosen, nothing is missed
    session = window.window.parts.chat.session
    assert session is not None
    session.set_options(replace(session.options, sampling=Sampling(top_k=7)))
    asked(window, qtbot, "And why?")
    qtbot.waitUntil(lambda: bool(window.window.findChildren(Checked)))
    [said] = window.window.findChildren(Checked)
    assert said.accessibleName().endswith("does not take all your settings. Left out: top_k.")


@pytest.mark.usefixtures("ring")
def test_from_one_model_to_another_within_a_chat(
    window: Application, qtbot: QtBot, server: Server
) -> None:
    first = write_card(window.shelf.folders[0], RemoteCard(server.address, "far-model", "First"))
    second = write_card(window.shelf.folders[0], RemoteCard(server.address, "other", "Second"))
    chat = window.window.parts.chat
    for path, question in ((first, "One?"), (second, "Two?")):
        window.deeds.load(path)
        qtbot.waitUntil(
            lambda path=path: (
                window.model.state.phase is ModelPhase.READY  # type: ignore[misc]
                and window.model.state.path == path
            ),
            timeout=60_000,
        )
        chat.box.field.setPlainText(question)
        chat.box._on_send_requested()
        answered(window, qtbot)
    assert chat.session is not None
    turns = [turn for turn in chat.session.path() if turn.role is Role.ASSISTANT]
    assert [turn.model for turn in turns] == ["First", "Second"]
    asked = [each.json() for each in server.of(CHAT)]
    assert [body["model"] for body in asked] == ["far-model", "other"]
    assert [m["content"] for m in asked[1]["messages"]] == [
        "One?", "Ice is lighter than water.", "Two?",
    ]  # fmt: skip


def test_a_kept_key_goes_only_to_its_own_server(
    window: Application, qtbot: QtBot, server: Server, ring: dict[tuple[str, str], str]
) -> None:
    ring["Inkstone", key_account("https://other.example/v1")] = "sk-of-another"
    ring["Inkstone", key_account(server.address)] = KEY
    path = write_card(window.shelf.folders[0], RemoteCard(server.address, "far-model", "Far"))
    window.deeds.load(path)
    qtbot.waitUntil(lambda: window.model.state.phase is ModelPhase.READY, timeout=60_000)
    assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"
    with serving() as stranger:
        stranger.answers = {"/v1/models": [servers.models("m")]}
        dialog = opened(window)
        dialog.address.setText(stranger.address)
        dialog.ask.click()
        qtbot.waitUntil(lambda: dialog.model.text() == "m", timeout=60_000)
        assert "authorization" not in stranger.asked[0].headers
        dialog.reject()


def test_the_last_card_behind_a_proxy_takes_its_password_along(
    window: Application, qtbot: QtBot, ring: dict[tuple[str, str], str]
) -> None:
    """A password that is left would be given to whoever names this proxy next."""
    folder, proxy = window.shelf.folders[0], "http://ann@127.0.0.1:9"
    account = ("Inkstone", proxy_account(proxy))
    ring[account] = "pass"
    paths = [
        write_card(folder, RemoteCard(f"https://{name}.example/v1", name, name, proxy=proxy))
        for name in ("one", "two")
    ]
    window.models_on_screen.remove(card_facts(paths[0]))
    qtbot.waitUntil(lambda: not paths[0].exists(), timeout=60_000)
    window.remotes.forget_unused("", proxy)
    assert account in ring
    window.models_on_screen.remove(card_facts(paths[1]))
    qtbot.waitUntil(lambda: account not in ring, timeout=60_000)


def test_the_last_card_of_a_server_takes_its_key_along(
    window: Application, qtbot: QtBot, ring: dict[tuple[str, str], str]
) -> None:
    folder = window.shelf.folders[0]
    account = ("Inkstone", key_account("https://one.example/v1"))
    other = ("Inkstone", key_account("https://two.example/v1"))
    ring[account], ring[other] = KEY, "sk-of-another"
    paths = [
        write_card(folder, RemoteCard(f"https://one.example/{end}", name, name))
        for end, name in (("v1", "first"), ("v1/", "second"))
    ]
    for left, path in enumerate(reversed(paths)):
        window.models_on_screen.remove(card_facts(path))
        qtbot.waitUntil(lambda path=path: not path.exists(), timeout=10_000)
        if not left:  # the first still needs it
            qtbot.wait(50)
            assert ring[account] == KEY
    qtbot.waitUntil(lambda: account not in ring, timeout=10_000)
    assert ring[other] == "sk-of-another"


def test_a_card_that_moves_to_another_server_leaves_no_key_behind(
    window: Application, ring: dict[tuple[str, str], str]
) -> None:
    card = RemoteCard("https://one.example/v1", "m")
    path, kept = window.remotes.save(card, KEY)
    assert kept
    window.remotes.save(replace(card, address="https://two.example/v1"), "sk-2", path)
    assert ring == {("Inkstone", key_account("https://two.example/v1")): "sk-2"}


@pytest.mark.usefixtures("ring")
def test_a_card_is_edited_in_place_and_loaded_again(
    window: Application, qtbot: QtBot, server: Server
) -> None:
    path = write_card(window.shelf.folders[0], RemoteCard(server.address, "old", "Far"))
    window.deeds.load(path)
    qtbot.waitUntil(lambda: window.model.state.phase is ModelPhase.READY, timeout=60_000)
    loaded = window.model.state.loaded
    assert loaded is not None
    window.remote.edit(loaded.model)
    dialog = window.remote.dialog
    assert dialog is not None
    assert dialog.model.text() == "old"
    dialog.model.setText("new")
    dialog.name.setText("Newer")
    dialog.save.click()
    qtbot.waitUntil(
        lambda: (
            window.model.state.loaded is not None
            and window.model.state.loaded.model.name == "Newer"
        ),
        timeout=60_000,
    )
    assert window.model.state.path == path


@pytest.mark.usefixtures("ring")
def test_a_question_to_a_server_that_is_not_there_ends_in_a_sentence(
    window: Application, qtbot: QtBot
) -> None:
    with serving() as gone:
        address = gone.address
    dialog = opened(window)
    dialog.address.setText(address)
    dialog.ask.click()
    qtbot.waitUntil(lambda: "does not answer" in dialog.said.text(), timeout=60_000)
    assert dialog.ask.isEnabled()
    dialog.address.setText("not an address!")
    assert not dialog.ask.isEnabled()
    dialog.reject()


def test_without_a_keyring_the_key_lives_as_long_as_the_program(
    monkeypatch: pytest.MonkeyPatch, window: Application, qtbot: QtBot, server: Server
) -> None:
    def refuse(*_: str) -> None:
        raise NoKeyringError

    for name in ("get_password", "set_password", "delete_password"):
        monkeypatch.setattr(keyring, name, refuse)
    dialog = opened(window)
    dialog.address.setText(server.address)
    dialog.key.setText(KEY)
    dialog.model.setText("far-model")
    dialog.save.click()
    qtbot.waitUntil(lambda: window.model.state.phase is ModelPhase.READY, timeout=60_000)
    assert server.asked[-1].headers["authorization"] == f"Bearer {KEY}"
    assert Secrets().read(key_account(server.address)) == ""


@pytest.mark.usefixtures("ring")
def test_s14_offline_a_server_elsewhere_is_not_asked(window: Application, qtbot: QtBot) -> None:
    window.settings.change(offline=True)
    dialog = opened(window)
    dialog.address.setText("https://192.0.2.1:8000/v1")
    dialog.ask.click()
    qtbot.waitUntil(lambda: "is not on this computer" in dialog.said.text(), timeout=60_000)
    dialog.reject()
    path = write_card(window.shelf.folders[0], RemoteCard("http://192.0.2.1:8000/v1", "m"))
    window.deeds.load(path)
    qtbot.waitUntil(lambda: window.model.state.phase is ModelPhase.FAILED, timeout=60_000)
    fault = window.model.state.fault
    assert fault is not None
    assert fault.kind is FaultKind.OFFLINE


@pytest.mark.usefixtures("ring")
def test_presets_fill_the_address_and_away_is_marked(window: Application) -> None:
    dialog = opened(window)
    dialog.preset.chosen.emit(ServerKind.OLLAMA.value)
    assert dialog.address.text() == "http://localhost:11434/v1"
    assert "On this computer" in dialog.mark.text()
    dialog.preset.chosen.emit(ServerKind.DEEPSEEK.value)
    assert "Text leaves this computer: api.deepseek.com" in dialog.mark.text()
    dialog.reject()


@pytest.mark.usefixtures("ring")
@pytest.mark.parametrize("code", ["en", "zh_CN"])
@pytest.mark.parametrize("scale", [0.8, 1.6])
def test_the_form_is_legible_named_and_reached_by_tab(
    window: Application, code: str, scale: float
) -> None:
    window.settings.change(language=code, text_scale=scale)
    for name in ("language", "text_scale"):
        window.settings_on_screen._on_changed(name)
    open_form(window)
    dialog = window.remote.dialog
    assert dialog is not None
    QTest.qWait(60)
    assert list(troubles(dialog)) == []
    fields = [w for w in dialog.findChildren(QLineEdit) if w.isVisible()]
    assert len(fields) == 6
    assert all(field.accessibleName() for field in fields)
    seen, now = set(), dialog.focusWidget()
    while now is not None and now not in seen:
        seen.add(now)
        QTest.keyClick(now, Qt.Key.Key_Tab)
        now = dialog.focusWidget()
    assert {*fields, dialog.ask, dialog.test, dialog.save, dialog.cancel, dialog.preset} <= seen
    dialog.reject()
