"""What of the local server can be set in the window, and that a server runs by it."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest
from PySide6.QtWidgets import QLabel, QLineEdit, QPlainTextEdit

from app.chat.model_session import ModelPhase
from app.ui.notices import NoticeBar
from app.ui.settings.controls import LineControl, TextControl
from engine.cli_window import window_settings
from engine.contract.ranges import SERVING
from engine.server import Phase, is_loopback
from tests.app.conftest import Program
from tests.app.test_server_page import post, running, shown
from tests.doubles.engines import Reply
from tests.server.serving import ForegroundScript


def test_every_setting_stands_on_the_page_with_the_way_back_to_its_default(
    program: Program,
) -> None:
    window = program.start_ready()
    window.window.show_page("server")
    card = window.window.parts.server.settings
    assert list(card.rows) == [each.key for each in SERVING]
    others = {
        "server_port": 9000, "server_reach": "network", "server_address": "127.0.0.2",
        "server_hosts": ("desk.example",), "server_asks_key": False,
        "server_origins": ("https://chat.example",), "server_queue": 7, "server_reply_cache": 50,
    }  # fmt: skip
    for setting in SERVING:
        window.settings.change(**{setting.key: others[setting.key]})
        row = card.rows[setting.key]
        assert not row.back.isHidden(), setting.key
        row.back.click()
        assert getattr(window.settings.settings, setting.key) == setting.default


def test_a_change_waits_for_the_next_start_and_a_button_makes_it(program: Program) -> None:
    window = program.start_ready()
    window.window.show_page("server")
    card, serving = window.window.parts.server.settings, window.serving
    assert not card.restart.isVisible()
    running(program, window)
    assert not card.restart.isVisible()
    card.rows["server_asks_key"].control.choose(False)
    assert card.restart.isVisible()
    assert serving.asks_key
    card.restart.click()
    assert serving.state.phase is Phase.STARTING
    program.qtbot.waitUntil(lambda: serving.state.phase is Phase.RUNNING)
    assert not serving.asks_key
    assert not card.restart.isVisible()
    assert any("No key is asked for" in text for text in shown(window))
    assert "Authorization" not in window.window.parts.server.example.text


def test_a_change_on_the_settings_page_offers_the_restart_until_it_is_made(
    program: Program,
) -> None:
    window = program.start_ready()
    running(program, window)
    window.window.show_page("settings")
    window.window.parts.settings.rows["server_queue"].control.choose(9)

    def said() -> list[str]:
        texts = [bar._words.text() for bar in window.window.findChildren(NoticeBar)]
        return [text for text in texts if "old settings" in text]

    program.qtbot.waitUntil(lambda: len(said()) == 1)
    window.serving.restart()
    program.qtbot.waitUntil(lambda: window.serving.state.phase is Phase.RUNNING)
    program.qtbot.waitUntil(lambda: not said())


def test_other_computers_always_need_the_key_and_the_page_says_what_it_means(
    program: Program,
) -> None:
    window = program.start_ready()
    window.window.show_page("server")
    card, serving = window.window.parts.server.settings, window.serving
    window.settings.change(server_asks_key=False, server_reach="network")
    assert not card.rows["server_asks_key"].isEnabled()
    assert "not encrypted" in card.meaning.text()
    running(program, window)
    assert serving.asks_key
    assert not serving.is_local
    assert "0.0.0.0" not in serving.state.address  # nobody can ask that
    badge = window.window.parts.status.network
    assert "other computers reach" in badge.words.text().casefold()
    window.settings.change(offline=True)  # and the door is closed at once
    program.qtbot.waitUntil(lambda: serving.state.phase is Phase.RUNNING and serving.is_local)
    assert "Offline is on" in card.meaning.text()
    assert is_loopback(serving.wishes.host)


@pytest.mark.parametrize(
    ("key", "wrong", "right", "kept"),
    [
        ("server_address", "my computer", "127.0.0.3", "127.0.0.3"),
        ("server_origins", "chat.example/path", "https://a.example\n https://b.example ",
         ("https://a.example", "https://b.example")),
        ("server_hosts", "two words", "desk.example", ("desk.example",)),
    ],
)  # fmt: skip
def test_what_is_no_address_name_or_origin_is_not_kept_and_the_row_says_how_one_looks(
    program: Program, key: str, wrong: str, right: str, kept: object
) -> None:
    window = program.start_ready()
    window.settings.change(server_reach="address")
    window.window.show_page("server")
    row = window.window.parts.server.settings.rows[key]
    control, before = row.control, getattr(window.settings.settings, key)
    assert isinstance(control, LineControl | TextControl)
    for text, is_wrong in ((wrong, True), (right, False)):
        if isinstance(control.field, QLineEdit):
            control.field.setText(text)
            control.field.editingFinished.emit()
        else:
            assert isinstance(control.field, QPlainTextEdit)
            control.field.setPlainText(text)
        wanted = before if is_wrong else kept
        program.qtbot.waitUntil(lambda bad=is_wrong: row.wrong.isVisible() == bad)
        program.qtbot.waitUntil(
            lambda wanted=wanted: getattr(window.settings.settings, key) == wanted
        )


def test_an_address_of_another_computer_is_said_and_this_one_is_a_click_away(
    program: Program,
) -> None:
    window = program.start_ready()
    window.settings.change(server_port=0, server_reach="address", server_address="192.0.2.7")
    window.window.show_page("server")
    page, serving = window.window.parts.server, window.serving
    page.run.click()
    program.qtbot.waitUntil(lambda: serving.state.phase is Phase.FAILED)
    assert any("192.0.2.7 is no address of this computer" in text for text in shown(window))
    page.another.click()
    program.qtbot.waitUntil(lambda: serving.state.phase is Phase.RUNNING)
    assert window.settings.settings.server_reach == ""


def test_a_key_of_ones_own_is_taken_and_a_weak_one_is_not(program: Program) -> None:
    window = program.start_ready()
    window.window.show_page("server")
    card, serving = window.window.parts.server.settings, window.serving
    running(program, window)
    for weak in ("short", "with a space in it", "日本語の鍵です。長い"):
        card.own_key.setText(weak)
        assert not card.use_key.isEnabled()
    card.own_key.setText("sk-my-own-key")
    card.use_key.click()
    program.qtbot.waitUntil(lambda: serving.key == "sk-my-own-key")
    program.qtbot.waitUntil(lambda: serving.state.phase is Phase.RUNNING)
    assert window.window.parts.server.key.text == "sk-my-own-key"


def test_a_page_that_may_call_is_answered_and_another_is_not(program: Program) -> None:
    window = program.start_ready()
    window.settings.change(server_origins=("https://chat.example",))
    running(program, window)
    address, key = window.serving.state.address, window.serving.key

    def ask(origin: str) -> int:
        headers = {"Authorization": f"Bearer {key}", "Origin": origin}
        request = urllib.request.Request(f"{address}/models", headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            error.close()
            return error.code

    with ThreadPoolExecutor(1) as threads:
        for origin, status in (("https://chat.example", 200), ("https://other.example", 403)):
            asked = threads.submit(ask, origin)
            program.qtbot.waitUntil(asked.done, timeout=20_000)
            assert asked.result() == status


def test_the_terminal_serves_as_the_window_is_set(program: Program) -> None:
    window = program.start_ready()
    window.settings.change(server_port=9123, server_queue=5, server_hosts=("desk.example",))
    program.end()
    serving = window_settings().serving
    assert (serving["server_port"], serving["server_queue"]) == (9123, 5)
    assert serving["server_hosts"] == ("desk.example",)


def test_a_model_that_rests_comes_back_for_a_program_and_does_not_rest_from_one(
    program: Program,
) -> None:
    window = program.start_ready(ForegroundScript([Reply("Awake.")]))
    running(program, window)
    serving, keep = window.serving, window.keep_loaded
    window.settings.change(keep_loaded_minutes=1)
    keep._on_rested()  # as after a minute
    assert window.model.state.phase is ModelPhase.RESTING
    assert serving.rests
    page = window.window.parts.server
    assert serving.model_name in {label.text() for label in page.model.findChildren(QLabel)}
    assert page.rests.isVisibleTo(page)
    with ThreadPoolExecutor(1) as threads:
        asked = threads.submit(post, serving.state.address, serving.key)
        program.qtbot.waitUntil(asked.done, timeout=20_000)
    assert asked.result()["choices"][0]["message"]["content"] == "Awake."
    assert window.model.state.phase is ModelPhase.READY
    keep._on_rested()  # a minute after the window's own last event, seconds after the program's
    assert window.model.state.phase is ModelPhase.READY


def test_the_settings_file_of_another_computer_brings_nothing_that_is_not_allowed(
    program: Program,
) -> None:
    window = program.start_ready()
    path = window.settings._path
    program.end()
    stored = json.loads(path.read_text()) if path.exists() else {}
    broken = {"server_port": 70_000, "server_reach": "moon", "server_origins": ["nonsense"]}
    path.write_text(json.dumps(stored | broken))
    settings = program.start_ready().settings.settings
    assert (settings.server_port, settings.server_reach, settings.server_origins) == (8420, "", ())
