"""Adding a model in the whole window, from a hub on loopback."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QMenu, QWidget

from app.application import Application
from app.chat.measuring import Machine
from app.ui.add_model.page import AddModelPage
from app.ui.choice_button import ChoiceButton
from app.ui.computer import Computer
from app.ui.downloads.list import DownloadList
from app.ui.model_shelf import FetchPhase
from app.ui.settings.controls import LineControl
from engine.contract import Support
from engine.library.downloads.order import DownloadState, Order, Phase, WantedFile
from engine.library.downloads.record import UNFINISHED
from tests.app.conftest import Program, Shelves
from tests.doubles.hub import Hub, Mischief, serve

UNUSED = "On this computer · the network is not used"
OFFLINE = "Offline · nothing leaves this computer"

CONTENT = bytes(range(256)) * 2000  # 512 kB
FILES = {"m-Q4_K_M.gguf": CONTENT, "m-Q8_0.gguf": CONTENT * 2}


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with serve(Hub({"me/m-GGUF": FILES})) as served:
        monkeypatch.setenv("HF_ENDPOINT", served.address)
        yield served


def opened(program: Program) -> tuple[Application, AddModelPage]:
    running = program.start()
    running.window.show_page("add_model")
    return running, running.window.parts.add_model


def test_a_search_leads_to_files_and_a_download_that_can_be_loaded(
    program: Program, hub: Hub
) -> None:
    running, page = opened(program)
    page.finder.field.setText("m-gguf")
    badge = running.window.parts.status.network
    assert badge.accessibleName() == UNUSED
    page.finder.search.click()
    assert badge.accessibleName() == "Network used for a search only"
    program.qtbot.waitUntil(lambda: len(page.finder.results.rows) == 1, timeout=10_000)
    assert badge.accessibleName() == UNUSED
    page.finder.results.rows[0].files.click()
    program.qtbot.waitUntil(lambda: len(page.finder.results.choices) == 2)
    page.finder.results.choices[0].fetch.click()
    program.qtbot.waitUntil(
        lambda: [s.phase for s in running.downloads.states()] == [Phase.FINISHED], timeout=10_000
    )
    (state,) = running.downloads.states()
    assert state.verified
    assert Path(state.path).read_bytes() == CONTENT
    rows = page.list.rows
    program.qtbot.waitUntil(lambda: "matches" in page.list.rows[0].words)
    assert len(rows) == 1
    assert [each.path.partition("?")[0] for each in hub.asked][:2] == [
        "/api/models", "/api/models/me/m-GGUF",
    ]  # fmt: skip


def test_three_interruptions_do_not_lose_a_byte(program: Program, hub: Hub) -> None:
    hub.mischief = Mischief(cuts=[100_000, 90_000, 1])
    running, page = opened(program)
    page.finder.field.setText("me/m-GGUF")
    page.finder.search.click()
    program.qtbot.waitUntil(lambda: len(page.finder.results.choices) == 2, timeout=10_000)
    page.finder.results.choices[0].fetch.click()
    program.qtbot.waitUntil(
        lambda: [s.phase for s in running.downloads.states()] == [Phase.FINISHED], timeout=10_000
    )
    assert Path(running.downloads.states()[0].path).read_bytes() == CONTENT
    assert len(hub.files_asked) == 4


def test_a_download_is_paused_in_its_row_and_goes_on_after_a_restart(
    program: Program, hub: Hub
) -> None:
    running, page = opened(program)
    running.settings.change(download_limit=100)
    page.finder.field.setText("me/m-GGUF")
    page.finder.search.click()
    program.qtbot.waitUntil(lambda: len(page.finder.results.choices) == 2, timeout=10_000)
    page.finder.results.choices[0].fetch.click()
    program.qtbot.waitUntil(
        lambda: bool(page.list.rows) and running.downloads.states()[0].done > 0, timeout=10_000
    )
    page.list.rows[0].pause.click()
    program.qtbot.waitUntil(lambda: "Paused" in page.list.rows[0].words)
    program.end()
    running = program.start()
    program.qtbot.waitUntil(lambda: len(running.downloads.states()) == 1, timeout=10_000)
    assert running.downloads.states()[0].phase is Phase.PAUSED
    running.settings.change(download_limit=0)
    running.window.show_page("models")
    (found,) = running.window.parts.models.findChildren(DownloadList)
    program.qtbot.waitUntil(lambda: len(found.rows) == 1)
    found.rows[0].resume.click()
    program.qtbot.waitUntil(
        lambda: running.downloads.states()[0].phase is Phase.FINISHED, timeout=10_000
    )


@pytest.mark.parametrize("first", ["welcome", "models"])
def test_a_smaller_copy_is_a_way_of_the_page_and_leads_back_to_it(
    program: Program, first: str
) -> None:
    running = program.start()
    window = running.window
    window.show_page(first)
    window.show_page("add_model")
    window.parts.add_model.smaller.click()
    assert window.page == "smaller"
    window.parts.smaller.back.click()
    assert window.page == "add_model"
    window.parts.add_model.back.click()
    assert window.page == first
    window.show_page("models")
    window.parts.models.smaller_requested.emit()
    window.parts.smaller.back.click()
    assert window.page == "models"


def test_S14_the_offline_switch_pauses_what_runs_whoever_turns_it_on(
    program: Program, hub: Hub
) -> None:
    """The settings page was never built: the switch is followed from the settings themselves."""
    running, page = opened(program)
    running.settings.change(download_limit=100)
    page.finder.field.setText("me/m-GGUF")
    page.finder.search.click()
    program.qtbot.waitUntil(lambda: len(page.finder.results.choices) == 2, timeout=10_000)
    page.finder.results.choices[0].fetch.click()
    program.qtbot.waitUntil(
        lambda: bool(page.list.rows) and running.downloads.states()[0].done > 0, timeout=10_000
    )
    badge = running.window.parts.status.network
    program.qtbot.waitUntil(
        lambda: badge.accessibleName() == "Network used for 1 download only", timeout=10_000
    )
    running.settings.change(offline=True)
    assert running.window.parts.built_settings is None
    program.qtbot.waitUntil(
        lambda: running.downloads.states()[0].phase is Phase.PAUSED, timeout=10_000
    )
    program.qtbot.waitUntil(lambda: badge.accessibleName() == OFFLINE)
    asked = len(hub.asked)
    page.list.rows[0].resume.click()
    page.finder.search.click()
    program.end()
    running = program.start()  # with the switch on, what is left waits
    badge = running.window.parts.status.network
    assert badge.accessibleName() == OFFLINE
    assert len(hub.asked) == asked
    running.settings.change(offline=False)
    assert badge.accessibleName() == UNUSED


def test_S14_the_starter_model_is_let_go_by_the_switch(program: Program) -> None:
    program.shelves.fetch_waits = True
    running = program.start()
    running.shelf.fetch_starter()
    program.qtbot.waitUntil(lambda: running.shelf.fetch.done > 0)
    running.settings.change(offline=True)
    program.qtbot.waitUntil(lambda: running.shelf.fetch.phase is FetchPhase.NONE)
    assert running.shelf.found == ()


def test_without_a_network_the_page_stands_and_says_what_failed(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    running, page = opened(program)
    assert page.cards.cards[1].fetch.isEnabled()
    page.cards.cards[1].fetch.click()
    program.qtbot.waitUntil(lambda: "127.0.0.1" in page.finder.said.text(), timeout=10_000)
    page.finder.field.setText("https://example.org/m.bin")
    page.finder.search.click()
    program.qtbot.waitUntil(lambda: "GGUF" in page.finder.said.text())
    assert running.downloads.states() == []
    page.back.click()
    assert running.window.page == "welcome"


def test_the_first_page_leads_to_suggestions_and_back_again(program: Program) -> None:
    running = program.start()
    program.qtbot.waitUntil(lambda: running.window.page == "welcome")
    better = running.window.parts.welcome.better
    program.qtbot.waitUntil(lambda: "GB" in better.about.text())
    better.suggestions.click()
    assert running.window.page == "add_model"
    running.window.parts.add_model.back.click()
    assert running.window.page == "welcome"


@pytest.mark.parametrize(
    ("given", "status", "said", "button"),
    [
        ("me/m-GGUF", 401, "there is none of this name", "Open settings"),
        ("me/m-GGUF", 403, "accept its terms", "Open its page"),
        ("me/m-GGUF", 500, "refused", "Try again"),
        ("me/none-GGUF", 0, "Check the name", ""),
    ],
)
def test_every_fault_of_a_hub_has_its_next_step(
    program: Program, hub: Hub, given: str, status: int, said: str, button: str
) -> None:
    hub.mischief = Mischief(about_status=status)
    _, page = opened(program)
    page.finder.field.setText(given)
    page.finder.search.click()
    program.qtbot.waitUntil(
        lambda: page.finder.said.isVisible() and "Asking" not in page.finder.said.text(),
        timeout=10_000,
    )
    assert said in page.finder.said.text()
    assert page.finder.remedy.text() == button


def test_what_failed_is_tried_again_by_its_button(program: Program, hub: Hub) -> None:
    hub.mischief = Mischief(about_status=500)
    _, page = opened(program)
    page.finder.field.setText("me/m-GGUF")
    page.finder.search.click()
    program.qtbot.waitUntil(lambda: page.finder.remedy.text() == "Try again", timeout=10_000)
    hub.mischief = Mischief()
    page.finder.remedy.click()
    program.qtbot.waitUntil(lambda: len(page.finder.results.choices) == 2, timeout=10_000)
    assert not page.finder.remedy.isVisible()


def test_what_was_found_for_other_words_does_not_stay_below_what_failed(
    program: Program, hub: Hub
) -> None:
    """It can do nothing while one asks, is gone where the question fails, and is not mixed."""
    _, page = opened(program)
    finder, results = page.finder, page.finder.results

    def find(words: str) -> None:
        finder.field.setText(words)
        finder.search.click()

    def found() -> None:
        find("m-gguf")
        program.qtbot.waitUntil(lambda: len(results.rows) == 1, timeout=10_000)
        assert results.isEnabled()

    for words, said in (
        ("me/none", "Nothing was found"),
        ("https://example.org/m.bin", "is not a model file"),
    ):
        found()
        find(words)
        program.qtbot.waitUntil(lambda said=said: said in finder.said.text(), timeout=10_000)
        assert results.rows == []
        assert not results.head.isVisible()
    found()
    hub.mischief = Mischief(about_status=500)
    results.rows[0].files.click()  # of what was found for these words
    program.qtbot.waitUntil(lambda: "status 500" in finder.said.text(), timeout=10_000)
    assert len(results.rows) == 1
    hub.mischief = Mischief()
    hub.repositories["me/m-GGUF-other"] = FILES
    find("m-gguf")
    program.qtbot.waitUntil(lambda: len(results.rows) == 2, timeout=10_000)
    find("me/m-GGUF")
    assert not results.isEnabled()
    program.qtbot.waitUntil(lambda: len(results.choices) == 2, timeout=10_000)
    assert [row.model.repository for row in results.rows] == ["me/m-GGUF"]
    assert results.isEnabled()


def shown(page: AddModelPage) -> list[str]:
    return [row.model.name for row in page.finder.results.rows]


def test_without_a_word_the_popular_ones_are_shown_sorted_and_those_that_fit(
    program: Program, hub: Hub
) -> None:
    hub.repositories = {"a/Old-4B-GGUF": {}, "b/Liked-1B-GGUF": {}, "c/Huge-900B-GGUF": {}}
    hub.facts = {
        "a/Old-4B-GGUF": {"downloads": 1_204_000, "likes": 1, "createdAt": "2025-01-01"},
        "b/Liked-1B-GGUF": {"downloads": 20, "likes": 50, "createdAt": "2026-01-01", "gated": True},
        "c/Huge-900B-GGUF": {"downloads": 9_000_000, "likes": 9, "createdAt": "2024-01-01"},
    }
    _, page = opened(program)
    page._computer = Computer(16 << 30, 8 << 30)
    finder = page.finder
    finder.sorts.chosen.emit("likes")
    assert hub.asked == []  # a wish alone asks nobody
    finder.browse.click()
    program.qtbot.waitUntil(lambda: shown(page) == ["Old-4B-GGUF", "Liked-1B-GGUF"], timeout=10_000)
    assert finder.results.rows[0].facts == "a · 4.00 billion · 1,204,000 downloads · 1 like"
    assert finder.results.rows[1].facts.endswith("20 downloads · 50 likes · wants an agreement")
    assert finder.results.rows[0].figures == ["2.48 GB", "–", "1,204,000"]
    _choose(finder.sorts, "Likes")
    program.qtbot.waitUntil(lambda: shown(page) == ["Liked-1B-GGUF", "Old-4B-GGUF"], timeout=10_000)
    _choose(finder.sizes, "Any size")
    everything = ["Liked-1B-GGUF", "Huge-900B-GGUF", "Old-4B-GGUF"]
    program.qtbot.waitUntil(lambda: shown(page) == everything, timeout=10_000)
    _choose(finder.sorts, "Newest")
    newest = ["Liked-1B-GGUF", "Old-4B-GGUF", "Huge-900B-GGUF"]
    program.qtbot.waitUntil(lambda: shown(page) == newest, timeout=10_000)
    _choose(finder.sorts, "Downloads")
    loved = ["Huge-900B-GGUF", "Old-4B-GGUF", "Liked-1B-GGUF"]
    program.qtbot.waitUntil(lambda: shown(page) == loved, timeout=10_000)


def test_what_was_found_stands_in_columns_where_there_is_room(program: Program, hub: Hub) -> None:
    hub.repositories = {"a/Old-4B-GGUF": {}, "b/Unknown-GGUF": {}, "b/Liked-1B-GGUF": {}}
    hub.facts = {"b/Liked-1B-GGUF": {"downloads": 20, "likes": 50, "gated": True}}
    running, page = opened(program)
    page.show_machine(Machine(8, "AVX2", (), 40e9))
    _choose(page.finder.sizes, "Any size")
    page.finder.browse.click()
    program.qtbot.waitUntil(lambda: len(shown(page)) == 3, timeout=10_000)
    results = page.finder.results
    running.window.resize(1280, 900)
    program.qtbot.waitUntil(results.head.isVisible)
    heads = [label.text() for label in results.head.findChildren(QLabel)]
    assert heads[2:] == ["Size, 4 bits", "Expected", "Downloads", "On this computer"]
    by_name = {row.model.name: row for row in results.rows}
    assert by_name["Old-4B-GGUF"].figures[:2] == ["2.48 GB", "12.3 tok/s"]
    assert by_name["Unknown-GGUF"].figures[:2] == ["–", "–"]

    def places(row: QWidget) -> list[int]:
        """The right edge of each figure, the left one of the last column."""
        cells = row.findChildren(QLabel)
        figures = [cell for cell in cells if cell.alignment() & Qt.AlignmentFlag.AlignRight]
        return [cell.mapTo(page, cell.rect().topRight()).x() for cell in figures]

    program.qtbot.waitUntil(
        lambda: len({tuple(places(row)) for row in (results.head, *results.rows)}) == 1
    )
    assert len(places(results.head)) == 3
    gated = "wants an agreement"
    texts = {n: [x.text() for x in r.findChildren(QLabel) if x.isVisible()]
             for n, r in by_name.items()}  # fmt: skip
    assert [name for name, said in texts.items() if gated in said] == ["Liked-1B-GGUF"]
    running.window.resize(720, 900)
    program.qtbot.waitUntil(lambda: not results.head.isVisible())
    assert by_name["Liked-1B-GGUF"].facts == "b · 1.00 billion · 20 downloads · 50 likes · " + gated


def test_what_was_said_and_found_follows_the_language(program: Program, hub: Hub) -> None:
    hub.mischief = Mischief(about_status=500)
    running, page = opened(program)
    page.finder.browse.click()
    program.qtbot.waitUntil(lambda: shown(page) == ["m-GGUF"], timeout=10_000)
    page.finder.results.rows[0].files.click()
    program.qtbot.waitUntil(lambda: page.finder.remedy.text() == "Try again", timeout=10_000)
    said = page.finder.said.text()
    running.window.look.language.use("zh_CN")
    assert page.finder.remedy.text() == "再试一次"
    assert "拒绝" in page.finder.said.text()
    assert page.finder.results.rows[0].facts == "me · 下载 7 次 · 3 人喜欢"
    hub.mischief = Mischief()
    page.finder.remedy.click()
    program.qtbot.waitUntil(lambda: len(page.finder.results.choices) == 2, timeout=10_000)
    assert page.finder.results.choices[0].fetch.text().startswith("下载")
    running.window.look.language.use("en")
    assert page.finder.results.choices[0].fetch.text().startswith("Download")
    assert page.finder.said.text() != said


def test_modelscope_is_searched_and_its_file_arrives_verified(
    program: Program, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODELSCOPE_DOMAIN", hub.address)
    running, page = opened(program)
    _choose(page.finder.hubs, "ModelScope")
    page.finder.field.setText("m-gguf")
    page.finder.search.click()
    program.qtbot.waitUntil(lambda: shown(page) == ["m-GGUF"], timeout=10_000)
    page.finder.results.rows[0].files.click()
    program.qtbot.waitUntil(lambda: len(page.finder.results.choices) == 2, timeout=10_000)
    page.finder.results.choices[0].fetch.click()
    state = finished(program, running)
    assert state.verified
    assert Path(state.path).read_bytes() == CONTENT
    assert all("/api/models" not in each.path for each in hub.asked)


def test_ones_own_file_of_the_name_stays_and_the_row_says_where_the_new_one_lies(
    program: Program, hub: Hub
) -> None:
    own = program.shelves.folder / "me/m-GGUF/m-Q4_K_M.gguf"
    own.parent.mkdir(parents=True)
    own.write_bytes(b"mine")
    running, page = opened(program)
    page.finder.field.setText("me/m-GGUF")
    page.finder.search.click()
    program.qtbot.waitUntil(lambda: len(page.finder.results.choices) == 2, timeout=10_000)
    page.finder.results.choices[0].fetch.click()
    state = finished(program, running)
    assert own.read_bytes() == b"mine"
    assert Path(state.path).read_bytes() == CONTENT
    program.qtbot.waitUntil(lambda: "in the folder “m-GGUF 2”" in page.list.rows[0].words)
    assert "512 kB · matches its published checksum" in page.list.rows[0].words


def test_the_address_of_a_file_is_a_download(program: Program, hub: Hub) -> None:
    running, page = opened(program)
    page.finder.field.setText(f"{hub.address}/me/m-GGUF/resolve/main/m-Q4_K_M.gguf")
    page.finder.search.click()
    state = finished(program, running)
    assert Path(state.path).read_bytes() == CONTENT
    program.qtbot.waitUntil(lambda: "no checksum is published" in page.list.rows[0].words)


def test_the_queue_is_served_in_the_order_that_is_asked_for(program: Program, hub: Hub) -> None:
    running, page = opened(program)
    running.settings.change(download_limit=200)
    address = f"{hub.address}/me/m-GGUF/resolve/main/m-Q4_K_M.gguf"
    names = ("one", "two", "three", "four", "five")  # three files are fetched at a time
    orders = [Order(n, n, f"me/{n}", (WantedFile(address, "m.gguf"),)) for n in names]
    for order in orders:
        running.downloads.add(order, pytest.fail)
    program.qtbot.waitUntil(lambda: len(page.list.rows) == 5, timeout=10_000)
    program.qtbot.waitUntil(
        lambda: [r.first.isVisible() for r in page.list.rows][4:] == [True], timeout=10_000
    )
    last = page.list.rows[4]
    last.first.click()
    program.qtbot.waitUntil(
        lambda: running.downloads.states()[0].order.key == last.key, timeout=10_000
    )
    program.qtbot.waitUntil(lambda: page.list.rows[0].key == last.key, timeout=10_000)


def test_this_computer_is_measured_by_a_process_of_its_own(program: Program) -> None:
    program.measures = True
    _, page = opened(program)
    assert "Measuring…" in _texts(page)
    program.qtbot.waitUntil(lambda: page.bandwidth > 0, timeout=120_000)
    assert 1e8 < page.bandwidth < 1e13
    assert "Measuring…" not in _texts(page)
    assert "Measured here" in _texts(page)
    assert "tok/s expected" in _texts(page)


def finished(program: Program, running: Application) -> DownloadState:
    program.qtbot.waitUntil(
        lambda: [s.phase for s in running.downloads.states()] == [Phase.FINISHED], timeout=10_000
    )
    return running.downloads.states()[0]


def _choose(button: ChoiceButton, label: str) -> None:
    (menu,) = button.findChildren(QMenu)
    menu.aboutToShow.emit()
    next(action for action in menu.actions() if action.text() == label).trigger()


def test_what_was_measured_changes_what_is_suggested(program: Program) -> None:
    _, page = opened(program)
    page.show_machine(Machine(8, "AVX2", (), 38.6e9))
    assert page.bandwidth == 38.6e9
    page.purposes.chosen.emit("programming")
    program.qtbot.waitUntil(lambda: "Coder" in _texts(page))


def _texts(page: AddModelPage) -> str:
    return " ".join(label.text() for label in page.findChildren(QLabel))


def test_the_steps_and_the_list_follow_a_download_and_its_row_loads_the_model(
    program: Program, hub: Hub
) -> None:
    running, page = opened(program)
    running.window.resize(1280, 600)
    page.show_machine(Machine(8, "AVX2", (), 38.6e9))
    assert page.steps.accessibleName() == "This computer: done · Choose: now · Download: to come"
    running.settings.change(download_limit=100)
    fetch_first(program, page)
    program.qtbot.waitUntil(lambda: page.steps.accessibleName().endswith("Download: now"))
    program.qtbot.waitUntil(lambda: not page.list.visibleRegion().isEmpty())
    running.settings.change(download_limit=0)
    state = finished(program, running)
    program.qtbot.waitUntil(lambda: page.steps.accessibleName().endswith("Download: done"))
    (row,) = page.list.rows
    program.qtbot.waitUntil(row.load.isVisible)
    row.load.click()
    program.qtbot.waitUntil(lambda: running.model.state.path == Path(state.path))
    assert running.window.page == "chat"


@pytest.mark.parametrize(
    ("token", "said", "button"),
    [
        ("", "Accept its terms at", "Open settings"),
        ("hf_wrong", "accept its terms", "Open its page"),
    ],
)
def test_a_gated_model_leads_to_its_terms_and_to_the_token(
    program: Program, hub: Hub, monkeypatch: pytest.MonkeyPatch, token: str, said: str, button: str
) -> None:
    hub.gated, hub.token = {"me/m-GGUF"}, "hf_right"
    monkeypatch.setenv("HF_TOKEN", token)
    running, page = opened(program)
    fetch_first(program, page)
    program.qtbot.waitUntil(
        lambda: bool(page.list.rows) and page.list.rows[0].remedy.isVisible(), timeout=10_000
    )
    (row,) = page.list.rows
    assert said in row.words
    assert f"{hub.address}/me/m-GGUF" in row.words  # the page, not the file
    assert "resolve" not in row.words
    assert row.remedy.text() == button
    pages: list[str] = []
    monkeypatch.setattr(
        "app.ui.deeds.QDesktopServices.openUrl", lambda url: pages.append(url.toString())
    )
    row.remedy.click()
    if token:
        assert pages == [f"{hub.address}/me/m-GGUF"]
    else:
        assert running.window.page == "settings"
        field = running.window.parts.settings.token.token
        program.qtbot.waitUntil(lambda: running.window.focusWidget() is field)
    monkeypatch.setenv("HF_TOKEN", "hf_right")
    row.resume.click()
    assert finished(program, running).verified


def test_a_token_that_is_kept_goes_on_with_what_waited_for_one(program: Program, hub: Hub) -> None:
    hub.gated, hub.token, hub.expired = {"me/m-GGUF"}, "hf_right", "hf_old"
    running, page = opened(program)
    fetch_first(program, page)
    program.qtbot.waitUntil(
        lambda: bool(page.list.rows) and page.list.rows[0].remedy.isVisible(), timeout=10_000
    )
    (row,) = page.list.rows
    row.remedy.click()
    settings = running.window.parts.settings
    for secret, ends in (("hf_old", Phase.FAILED), ("hf_right", Phase.FINISHED)):
        settings.token.token.setText(secret)
        settings.token.save.click()
        program.qtbot.waitUntil(
            lambda secret=secret: any(
                each.headers.get("authorization") == f"Bearer {secret}" for each in hub.files_asked
            ),
            timeout=10_000,
        )
        program.qtbot.waitUntil(
            lambda ends=ends: running.downloads.states()[0].phase is ends, timeout=10_000
        )
        if ends is Phase.FAILED:
            program.qtbot.waitUntil(lambda: "does not know your token" in row.words)
            assert row.remedy.text() == "Open settings"


@pytest.mark.parametrize(
    ("endpoint", "said"),
    [("ht!tp://x", "is no address of a hub"), ("{hub}/wrong", "a way that is not understood")],
)
def test_a_mirror_that_is_none_leads_to_its_setting(
    program: Program, hub: Hub, monkeypatch: pytest.MonkeyPatch, endpoint: str, said: str
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", endpoint.format(hub=hub.address))  # it is checked nowhere
    running, page = opened(program)
    page.finder.browse.click()
    program.qtbot.waitUntil(lambda: said in page.finder.said.text(), timeout=10_000)
    assert page.finder.remedy.text() == "Open settings"
    page.finder.remedy.click()
    settings = running.window.parts.settings
    control = settings.control("hub_endpoint")
    assert isinstance(control, LineControl)
    program.qtbot.waitUntil(lambda: running.window.focusWidget() is control.field)
    assert control.isVisible()
    control.field.setText("no address")
    control.field.editingFinished.emit()
    assert settings.rows["hub_endpoint"].wrong.isVisible()
    control.field.setText("hf-mirror.com")
    control.field.editingFinished.emit()
    assert not settings.rows["hub_endpoint"].wrong.isVisible()
    assert running.settings.settings.hub_endpoint == "hf-mirror.com"


def fetch_first(program: Program, page: AddModelPage) -> None:
    page.finder.field.setText("me/m-GGUF")
    page.finder.search.click()
    program.qtbot.waitUntil(lambda: len(page.finder.results.choices) == 2, timeout=10_000)
    page.finder.results.choices[0].fetch.click()


def test_cards_are_no_taller_than_what_they_say(program: Program) -> None:
    running, page = opened(program)
    running.window.resize(1280, 832)
    program.qtbot.waitUntil(lambda: page.cards.cards[0].height() > 100)
    before = [card.height() for card in page.cards.cards]
    running.window.resize(1280, 2000)
    program.qtbot.waitUntil(lambda: running.window.height() == 2000)
    program.qtbot.wait(50)
    after = [
        card.height() for card in page.cards.cards
    ]  # without a bar they are wider: a line less
    assert all(high <= was for high, was in zip(after, before, strict=True))


def test_a_folder_that_cannot_be_written_is_named_with_its_place(
    program: Program, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the folder of unfinished files cannot be made, the models' own one is named."""
    running, page = opened(program)
    make = Path.mkdir

    def refuse(path: Path, *how: Any, **more: Any) -> None:
        if path.name == UNFINISHED:
            raise OSError(errno.EROFS, "Read-only file system", str(path))
        make(path, *how, **more)

    monkeypatch.setattr(Path, "mkdir", refuse)
    fetch_first(program, page)
    program.qtbot.waitUntil(lambda: "cannot be written" in page.finder.said.text(), timeout=10_000)
    said = page.finder.said.text().replace("\u200b", "")
    assert said.startswith(f"{program.shelves.folder} cannot be written. The system says: Read-")
    assert page.finder.remedy.text() == "Try again"
    assert running.downloads.states() == []
    monkeypatch.setattr(Path, "mkdir", make)
    page.finder.remedy.click()
    assert finished(program, running).verified


def test_only_models_that_can_answer_are_counted(program: Program, shelves: Shelves) -> None:
    shelves.add("bge-m3", support=Support.UNSUPPORTED, writes=False)
    running = program.start()
    welcome = running.window.parts.welcome
    assert "Found" not in welcome.files.about.text()
    shelves.add("Qwen3")
    shelves.add("Gemma")
    running.shelf.scan()
    program.qtbot.waitUntil(lambda: "Found 2 models" in welcome.files.about.text())
    running.window.show_page("add_model")
    page = running.window.parts.add_model
    program.qtbot.waitUntil(lambda: page._here.text().startswith("2 models"))
