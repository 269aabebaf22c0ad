"""Adding a model in the whole window, from a hub on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.application import Application
from app.ui.add_model.page import AddModelPage
from app.ui.downloads.list import DownloadList
from app.ui.model_shelf import FetchPhase
from engine.library.downloads.order import Phase
from tests.app.conftest import Program
from tests.doubles.hub import Hub, Mischief, serve

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


@pytest.mark.usefixtures("unmeasured")
def test_a_search_leads_to_files_and_a_download_that_can_be_loaded(
    program: Program, hub: Hub
) -> None:
    running, page = opened(program)
    page.field.setText("m-gguf")
    badge = running.window.parts.status._badge
    assert badge.accessibleName().startswith("Offline")
    page.search.click()
    assert badge.accessibleName() == "Network used for a search only"
    program.qtbot.waitUntil(lambda: len(page.results.rows) == 1, timeout=10_000)
    assert badge.accessibleName().startswith("Offline")
    page.results.rows[0].files.click()
    program.qtbot.waitUntil(lambda: len(page.results.choices) == 2)
    page.results.choices[0].fetch.click()
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


@pytest.mark.usefixtures("unmeasured")
def test_three_interruptions_do_not_lose_a_byte(program: Program, hub: Hub) -> None:
    hub.mischief = Mischief(cuts=[100_000, 90_000, 1])
    running, page = opened(program)
    page.field.setText("me/m-GGUF")
    page.search.click()
    program.qtbot.waitUntil(lambda: len(page.results.choices) == 2, timeout=10_000)
    page.results.choices[0].fetch.click()
    program.qtbot.waitUntil(
        lambda: [s.phase for s in running.downloads.states()] == [Phase.FINISHED], timeout=10_000
    )
    assert Path(running.downloads.states()[0].path).read_bytes() == CONTENT
    assert len(hub.files_asked) == 4


@pytest.mark.usefixtures("unmeasured")
def test_a_download_is_paused_in_its_row_and_goes_on_after_a_restart(
    program: Program, hub: Hub
) -> None:
    running, page = opened(program)
    running.settings.change(download_limit=100)
    page.field.setText("me/m-GGUF")
    page.search.click()
    program.qtbot.waitUntil(lambda: len(page.results.choices) == 2, timeout=10_000)
    page.results.choices[0].fetch.click()
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
    running.downloads.use_limit()
    running.window.show_page("models")
    (found,) = running.window.parts.models.findChildren(DownloadList)
    program.qtbot.waitUntil(lambda: len(found.rows) == 1)
    found.rows[0].resume.click()
    program.qtbot.waitUntil(
        lambda: running.downloads.states()[0].phase is Phase.FINISHED, timeout=10_000
    )


@pytest.mark.usefixtures("unmeasured")
def test_S14_the_offline_switch_pauses_what_runs_whoever_turns_it_on(
    program: Program, hub: Hub
) -> None:
    """The settings page was never built: the switch is followed from the settings themselves."""
    running, page = opened(program)
    running.settings.change(download_limit=100)
    page.field.setText("me/m-GGUF")
    page.search.click()
    program.qtbot.waitUntil(lambda: len(page.results.choices) == 2, timeout=10_000)
    page.results.choices[0].fetch.click()
    program.qtbot.waitUntil(
        lambda: bool(page.list.rows) and running.downloads.states()[0].done > 0, timeout=10_000
    )
    badge = running.window.parts.status._badge
    assert badge.accessibleName() == "Network used for 1 download only"
    running.settings.change(offline=True)
    assert running.window.parts.built_settings is None
    program.qtbot.waitUntil(
        lambda: running.downloads.states()[0].phase is Phase.PAUSED, timeout=10_000
    )
    program.qtbot.waitUntil(lambda: badge.accessibleName().startswith("Offline is switched on"))
    asked = len(hub.asked)
    page.list.rows[0].resume.click()
    page.search.click()
    program.end()
    running = program.start()  # with the switch on, what is left waits
    badge = running.window.parts.status._badge
    assert badge.accessibleName().startswith("Offline is switched on")
    assert len(hub.asked) == asked
    running.settings.change(offline=False)
    assert badge.accessibleName().startswith("Offline ·")


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
    program.qtbot.waitUntil(lambda: "127.0.0.1" in page.said.text(), timeout=10_000)
    page.field.setText("https://example.org/m.bin")
    page.search.click()
    program.qtbot.waitUntil(lambda: "GGUF" in page.said.text())
    assert running.downloads.states() == []
    page.back.click()
    assert running.window.page == "welcome"


@pytest.mark.usefixtures("unmeasured")
def test_the_first_page_leads_to_suggestions_and_back_again(program: Program) -> None:
    running = program.start()
    program.qtbot.waitUntil(lambda: running.window.page == "welcome")
    better = running.window.parts.welcome.better
    program.qtbot.waitUntil(lambda: "GB" in better.about.text())
    better.suggestions.click()
    assert running.window.page == "add_model"
    running.window.parts.add_model.back.click()
    assert running.window.page == "welcome"


@pytest.mark.usefixtures("unmeasured")
@pytest.mark.parametrize(
    ("given", "status", "said", "button"),
    [
        ("me/m-GGUF", 401, "wants to know who asks", "Open settings"),
        ("me/m-GGUF", 403, "accept its terms", "Open its page"),
        ("me/m-GGUF", 500, "refused", "Try again"),
        ("me/none-GGUF", 0, "Choose another file", ""),
    ],
)
def test_every_fault_of_a_hub_has_its_next_step(
    program: Program, hub: Hub, given: str, status: int, said: str, button: str
) -> None:
    hub.mischief = Mischief(about_status=status)
    _, page = opened(program)
    page.field.setText(given)
    page.search.click()
    program.qtbot.waitUntil(
        lambda: page.said.isVisible() and "Asking" not in page.said.text(), timeout=10_000
    )
    assert said in page.said.text()
    assert page.remedy.text() == button


@pytest.mark.usefixtures("unmeasured")
def test_what_failed_is_tried_again_by_its_button(program: Program, hub: Hub) -> None:
    hub.mischief = Mischief(about_status=500)
    _, page = opened(program)
    page.field.setText("me/m-GGUF")
    page.search.click()
    program.qtbot.waitUntil(lambda: page.remedy.text() == "Try again", timeout=10_000)
    hub.mischief = Mischief()
    page.remedy.click()
    program.qtbot.waitUntil(lambda: len(page.results.choices) == 2, timeout=10_000)
    assert not page.remedy.isVisible()


@pytest.mark.usefixtures("unmeasured")
def test_what_was_measured_changes_what_is_suggested(program: Program) -> None:
    from app.ui.add_model.tiles import Machine

    _, page = opened(program)
    page.show_machine(Machine(8, "AVX2", (), 38.6e9))
    assert page.bandwidth == 38.6e9
    page.purposes.chosen.emit("programming")
    program.qtbot.waitUntil(lambda: "Coder" in _texts(page))


def _texts(page: AddModelPage) -> str:
    from PySide6.QtWidgets import QLabel

    return " ".join(label.text() for label in page.findChildren(QLabel))
