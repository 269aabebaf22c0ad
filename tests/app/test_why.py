"""Why a model fits or does not: the figures behind every verdict, by mouse, keyboard and ear."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from app.chat.measuring import Machine
from app.language import Language
from app.ui.computer import Computer
from app.ui.model_rows import CardRole, Surroundings
from app.ui.reckoning import memory_rows, pace_rows, pace_sentence, verdict
from app.ui.why_dialog import WhyDialog
from engine.contract import ModelFacts, Support
from engine.library.fit import Place, Room, fit_of_shape
from engine.library.hubs.catalog import read_catalog
from engine.library.hubs.hub import HUGGING_FACE, HubModel
from engine.library.memory import memory_of_shape
from tests.app.conftest import Program
from tests.doubles.scripts import model_facts

GB = 10**9
ENGLISH = Language("en")


@pytest.fixture
def facts() -> ModelFacts:
    made = model_facts(Path("/m/four.gguf"))
    return replace(
        made, name="Four", weight_bytes=4 * GB, size_bytes=4 * GB, cache_bytes_per_token=100_000,
        context_length=32_768, vocabulary=0, parameters=4, active_parameters=4,
    )  # fmt: skip


def around(memory: int, **others: object) -> Surroundings:
    return replace(
        Surroundings(Room(memory), bandwidth=40e9, memory=32 * GB), **others  # type: ignore[arg-type]
    )  # fmt: skip


def figures(rows: list[tuple[str, str]]) -> dict[str, str]:
    return dict(rows)


def test_a_verdict_names_everything_that_it_rests_on(facts: ModelFacts) -> None:
    here = around(
        20 * GB, room=Room(20 * GB, given_back=2 * GB), loaded=Path("/m/other"), replaced="Other"
    )
    told = here.reckon(facts, 8192)
    assert told.fit == here.fit_at(facts, 8192)  # the figures of the badge, not others
    needed, there = memory_rows(told, ENGLISH)
    assert figures(needed) == {
        "Weights": "4.00 GB",
        "Cache for 8,192 tokens, and 4,096 more for other chats": "1.23 GB",
        "Working space": ENGLISH.bytes_text(told.fit.need.workspace),
        "Together": ENGLISH.bytes_text(told.fit.need.total),
    }
    assert figures(there) == {
        "Memory of this computer": "32.0 GB",
        "Other programs and the system": "10.0 GB",
        "Free for it now": "22.0 GB",
        "Of that, given back by Other, which it replaces": "2.00 GB",
        "Left over": "16.4 GB",
    }
    assert figures(pace_rows(told, ENGLISH)) == {
        "Longest context that fits": "32,768 tokens",
        "Writes": "8.5 tok/s, expected",  # 0.85 x 40 / 4
        "Memory speed, measured here": "40.0 GB/s",
        "Read for each token": "4.00 GB",
    }
    assert pace_sentence(told, ENGLISH).startswith("Expected speed = 85 %")
    own = replace(here, loaded=facts.path).reckon(facts, 8192)
    assert "Of that, held by the model itself: it is loaded" in figures(
        memory_rows(own, ENGLISH)[1]
    )


@pytest.mark.parametrize(
    ("free", "said"),
    [
        (20 * GB, "It fits: it takes 5.6 of the 20.0 GB"),
        (int(5.3 * GB), "It fits, with little to spare"),
        (int(4.8 * GB), "Up to 3,9"),
        (3 * GB, "the weights alone are 4.00 GB. Close other programs"),
    ],
)
def test_the_sentence_says_what_can_be_done(facts: ModelFacts, free: int, said: str) -> None:
    assert said in verdict(around(free).reckon(facts, 8192), ENGLISH)


def test_without_sizes_or_bandwidth_it_says_so(facts: ModelFacts) -> None:
    unknown = replace(facts, cache_bytes_per_token=0)
    told = around(20 * GB, bandwidth=0.0).reckon(unknown, 8192)
    assert told.fit.place is Place.UNKNOWN
    assert verdict(told, ENGLISH).startswith("No estimate")
    assert [name for name, _ in memory_rows(told, ENGLISH)[0]] == ["Weights"]
    assert "not measured yet" in pace_sentence(told, ENGLISH)


def opened(page: QWidget) -> WhyDialog:
    (dialog,) = page.findChildren(WhyDialog)
    return dialog


def test_the_panel_explains_at_the_context_that_its_slider_shows(program: Program) -> None:
    program.shelves.add("large", size_bytes=10**15, weight_bytes=10**15)
    running = program.start()
    running.window.show_page("models")
    page = running.window.parts.models
    why = page.detail.memory.why
    program.qtbot.waitUntil(lambda: why.accessibleName() == "Why: large")
    assert why.focusPolicy() & Qt.FocusPolicy.TabFocus
    why.setFocus()
    QTest.keyClick(why, Qt.Key.Key_Space)
    dialog = opened(page)
    assert "does not fit" in dialog.sentence
    assert dialog.accessibleDescription() == dialog.sentence
    assert dict(dialog.rows)["Weights"] == "1,000 TB"
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    program.qtbot.waitUntil(lambda: not page.findChildren(WhyDialog))


def test_a_card_explains_itself_by_mouse_and_by_its_menu(program: Program) -> None:
    program.shelves.add("small")
    running = program.start()
    running.window.show_page("models")
    page = running.window.parts.models
    program.qtbot.waitUntil(lambda: page.view.cards.rowCount() == 1)
    index = page.view.cards.index(0)
    card = page.view._delegate.places.card(page.view.visualRect(index))
    spot: QPoint = page.view._delegate._why(card).center()
    QTest.mouseClick(page.view.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert opened(page).sentence.startswith("It fits")
    opened(page).reject()
    program.qtbot.waitUntil(lambda: not page.findChildren(WhyDialog))
    facts = index.data(CardRole.FACTS)
    verbs = {verb.text_id: verb for verb in page.menu.verbs(facts)}
    verbs["why-menu"].act(facts)
    assert opened(page).sentence.startswith("It fits")
    remote = replace(facts, server="http://127.0.0.1:1", support=Support.REMOTE)
    assert "why-menu" not in [verb.text_id for verb in page.menu.verbs(remote)]


def test_a_shorter_context_is_set_from_the_explanation(program: Program) -> None:
    path = program.shelves.add("long", cache_bytes_per_token=10**9, context_length=8192)
    running = program.start()
    running.window.show_page("models")
    page = running.window.parts.models
    (facts,) = running.shelf.models
    page._around = replace(page._around, room=Room(1000 * GB))
    page.explain(facts)
    dialog = opened(page)
    assert 512 <= dialog.shorter <= 1000
    assert dialog.shorter % 256 == 0
    label = f"Use {dialog.shorter} tokens"
    next(b for b in dialog.findChildren(QPushButton) if b.text() == label).click()
    assert running.notes.of(path).settings["context"] == dialog.shorter


def test_each_suggestion_says_why_it_stands_where_it_stands(program: Program) -> None:
    running = program.start()
    running.window.show_page("add_model")
    page = running.window.parts.add_model
    page._computer = Computer(32 * GB, 20 * GB)
    page.show_machine(Machine(8, "AVX2", (), 38e9))
    said = []
    for card in page.cards.cards:
        card.why.click()
        dialog = opened(page)
        said.append(dialog._of.remarks[0].partition(":")[0])
        dialog.reject()
        program.qtbot.waitUntil(lambda: not page.findChildren(WhyDialog))
    assert said == ["The quick one", "Our suggestion", "The thorough one"]
    page._computer = Computer(32 * GB, GB // 10)
    page.show_machine(Machine(8, "AVX2", (), 38e9))
    page.cards.cards[1].why.click()
    assert "smallest" in opened(page)._of.remarks[0]
    assert opened(page).sentence.startswith("It does not fit")


def test_a_disk_without_room_is_said_on_the_card_and_not_promised_on_the_first_page(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.ui.welcome_choices.free_at", lambda path: 10**8)
    monkeypatch.setattr("app.ui.add_model.tiles.Tiles.space", 10**8)
    running = program.start()
    program.qtbot.waitUntil(lambda: running.window.page == "welcome")
    better = running.window.parts.welcome.better
    better.show_memory(32 * GB, 20 * GB)
    assert "GB" not in better.about.text()
    running.window.show_page("add_model")
    page = running.window.parts.add_model
    page._computer = Computer(32 * GB, 20 * GB)
    page.show_machine(Machine(8, "AVX2", (), 38e9))
    said = [label.text() for label in page.cards.findChildren(QLabel)]
    assert said.count("The disk has room for 100 MB only") == 3
    assert [card._badge.text() for card in page.cards.cards] == ["Too big for the disk"] * 3


def test_what_a_loaded_model_would_give_back_counts_for_suggestions(program: Program) -> None:
    running = program.start_ready()
    running.window.show_page("add_model")
    page = running.window.parts.add_model
    held = running.model.state.loaded
    assert held is not None
    assert page.around.room.given_back == held.memory.total > 0
    assert page.free == page.around.room.memory + held.memory.total
    assert page.around.replaced == "SmolLM2-135M-Instruct"


def test_a_hit_of_a_search_says_that_its_shape_is_a_guess(program: Program) -> None:
    running = program.start()
    running.window.show_page("add_model")
    page = running.window.parts.add_model
    page.show_machine(Machine(8, "AVX2", (), 40e9))
    model = HubModel(HUGGING_FACE, "me/Four-4B-GGUF", parameters=4 * GB)
    page.finder.results.show_models((model,), page.around)
    row = page.finder.results.rows[0]
    assert row.why.accessibleName() == "Why: Four-4B-GGUF"
    row.why.click()
    assert "a usual model" in opened(page)._of.remarks[0]


def test_the_small_model_of_the_first_page_is_explained_by_the_same_figures(
    program: Program,
) -> None:
    running = program.start()
    program.qtbot.waitUntil(lambda: running.window.page == "welcome")
    starter = running.window.parts.welcome.starter
    starter.show_memory(32 * GB, 20 * GB)
    starter.show_bandwidth(40e9)
    assert starter.why.accessibleName() == "Why: SmolLM2-135M"
    starter.why.click()
    dialog = opened(starter)
    assert f"takes {ENGLISH.gigabytes(dialog._of.fit.need.total)} of the 20.0 GB" in dialog.sentence
    assert starter._fits.text().startswith(
        f"Fits · {ENGLISH.gigabytes(dialog._of.fit.need.total)} of"
    )
    assert dict(dialog.rows)["Memory of this computer"] == "32.0 GB"
    dialog.reject()


def test_a_model_that_is_not_here_takes_the_same_spare_cache_as_one_that_is(
    facts: ModelFacts,
) -> None:
    """So that the badge does not change when its download has ended."""
    room = Room(20 * GB)
    here = replace(Surroundings(room)).fit_at(facts, 8192)
    shape = memory_of_shape(facts.weight_bytes, "Q8_0", facts.cache_bytes_per_token, 8192, 0)
    there = fit_of_shape(shape, 8192, facts.context_length, room)
    assert (there.need, there.least, there.spare) == (here.need, here.least, here.spare)
    assert there.longest == here.longest


def test_a_catalogue_model_fits_as_its_badge_says() -> None:
    for model in read_catalog():
        how = model.fit(Room(model.memory))
        assert how.place is Place.CPU
        assert how.longest >= how.context
        assert model.fit(Room(model.memory - 1)).place is Place.NOWHERE
