"""The settings page: found in both languages, back to default, applied at once."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QScrollArea

from app.store.catalogue import CATALOGUE, SECTIONS
from app.ui.chat_settings.dialog import ChatSettingsDialog
from app.ui.chat_settings.presets_dialog import PresetsDialog
from app.ui.notices import NoticeBar
from app.ui.settings.controls import ChoiceControl
from engine.contract import Generate
from engine.contract.presets import PRESETS
from tests.app.conftest import Program
from tests.app.test_application import ask, await_reply
from tests.doubles.engines import Reply, ScriptedRunner


def found(program: Program, text: str) -> dict[str, int]:
    page = program.start_ready().window.parts.settings
    page.search.setText(text)
    return {
        section.name: len([row for row in section.rows if not row.isHidden()])
        for section in page.sections
        if any(not row.isHidden() for row in section.rows)
    }


@pytest.mark.parametrize("text", ["dark", "浅色", "LIGHT or"])
def test_a_setting_is_found_in_both_languages(program: Program, text: str) -> None:
    assert found(program, text).get("appearance", 0) >= 1


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("temperature", "temperature"), ("温度", "temperature"), ("top-p", "top_p"),
        ("repeat penalty", "repetition_penalty"), ("seed", "seed"), ("stop", "stop"),
    ],
)  # fmt: skip
def test_a_step_of_sampling_is_found_and_set_where_it_is_found(
    program: Program, text: str, key: str
) -> None:
    assert found(program, text).get("open-chat", 0) >= 1
    running = program.running
    assert running is not None
    page = running.window.parts.settings
    row = page.open_chat.sampling.rows[key]
    assert not row.isHidden()
    value = ("END",) if key == "stop" else 1 if key == "seed" else 0.5
    row.control.choose(value)
    kept = running.window.parts.chat.box.options.options
    assert value == (kept.stop if key == "stop" else getattr(kept.sampling, key))
    row.back.click()
    assert value != row.setting.default


def test_what_is_set_for_the_open_chat_in_the_settings_reaches_the_engine(
    program: Program,
) -> None:
    runner = ScriptedRunner([Reply("one"), Reply("two")])
    running = program.start_ready(runner)
    running.window.show_page("settings")
    page = running.window.parts.settings
    steps = page.open_chat.sampling.rows
    before = [row for row in page.sections[3].rows if row in set(steps.values())]
    assert before.index(steps["top_k"]) < before.index(steps["temperature"])
    page.open_chat.preset.tiles["creative"].click()
    assert steps["temperature"].control.field.value() == 1.2
    steps["order"].control.choose("temperature_first")
    after = page.sections[3].rows
    assert after.index(steps["temperature"]) < after.index(steps["top_k"])
    running.window.show_page("chat")
    ask(running, "question")
    await_reply(program, running, 2)
    asked = next(each for each in runner.commands if isinstance(each, Generate)).settings
    assert asked.sampling is not None
    assert (asked.sampling.temperature, asked.sampling.order.value) == (1.2, "temperature_first")
    assert page.open_chat.title.text() == running.window.parts.chat.session.row.title
    running.chats_on_screen.new()
    assert page.open_chat.preset.value == "balanced"


@pytest.mark.parametrize(
    ("text", "field"), [("JSON schema", "schema"), ("chat template", "template")]
)
def test_what_is_longer_than_a_row_opens_at_its_very_field(
    program: Program, text: str, field: str
) -> None:
    assert found(program, text).get("open-chat") == 1
    running = program.running
    assert running is not None
    running.window.parts.settings.open_chat.fields[field].click()
    dialog = running.window.findChildren(ChatSettingsDialog)[-1]
    wanted = dialog.schema if field == "schema" else dialog.template.choice
    program.qtbot.waitUntil(wanted.hasFocus)
    assert (
        dialog._scroll.viewport()
        .rect()
        .intersects(
            wanted.rect().translated(
                wanted.mapTo(dialog._scroll.viewport(), wanted.rect().topLeft())
            )
        )
    )


def test_a_search_opens_a_section_that_has_something_marks_it_and_can_be_left(
    program: Program,
) -> None:
    running = program.start_ready()
    running.window.show_page("settings")
    page = running.window.parts.settings
    page.search.setText("context length")
    row = page.rows["context"]
    assert row.isVisible()
    assert not page.rows["threads"].isVisible()
    assert "background-color" in row._marked[0].text()
    assert row._marked[0].accessibleName() == "Context length"
    assert page.found.text() == "1 found"
    assert not page.list.rows[0].isEnabled()
    QTest.keyClick(page.search, Qt.Key.Key_Escape)
    assert page.rows["threads"].isVisible()
    assert row._marked[0].text() == "Context length"
    assert all(each.isEnabled() for each in page.list.rows)


def test_nothing_found_says_so(program: Program) -> None:
    assert found(program, "hologram") == {}


def test_back_to_default_for_one_and_for_all_with_a_way_back(program: Program) -> None:
    running = program.start_ready()
    running.window.show_page("settings")
    page = running.window.parts.settings
    assert not page.reset.isEnabled()
    page.control("theme").choose("dark")
    page.control("context").choose(4096)
    page.control("text_scale").choose(1.2)
    page.open_section("memory")
    assert page.rows["context"].back.isVisible()
    page.rows["context"].back.click()
    assert running.settings.settings.context == 0
    assert not page.rows["context"].back.isVisible()
    page.reset.click()
    assert running.look.theme.name == "light"
    assert running.look.theme.scale == 1.0
    assert all(getattr(running.settings.settings, k) == s.default for k, s in CATALOGUE.items())
    bar = next(
        each
        for each in running.window.findChildren(NoticeBar)
        if "default" in each.accessibleName()
    )
    assert "2 settings" in bar.accessibleName()
    bar._button.click()
    assert (running.look.theme.name, running.look.theme.scale) == ("dark", 1.2)


def test_every_setting_of_the_catalogue_has_a_row(program: Program) -> None:
    page = program.start_ready().window.parts.settings
    shown = {row for section in page.sections for row in section.rows}
    assert {key for key, row in page.rows.items() if row in shown} == set(CATALOGUE)
    assert [section.name for section in page.sections] == list(SECTIONS)


def test_a_device_and_layers_reach_the_engine(program: Program) -> None:
    running = program.start_ready()
    running.settings.change(device="cpu", gpu_layers=3, threads=2)
    running.deeds.load(running.model.state.path)
    asked = running.model._loaded_with
    assert (asked.device, asked.gpu_layers, asked.threads) == ("cpu", 3, 2)


def test_type_width_and_density_change_the_open_chat_at_once_and_are_kept(
    program: Program,
) -> None:
    running = program.start_ready(ScriptedRunner([Reply("- one `two`\n\n```py\n1\n```")]))
    ask(running, "question")
    await_reply(program, running, 2)
    running.window.resize(1600, 900)
    chat, page = running.window.parts.chat, running.window.parts.settings
    rows = running.window.parts.sidebar.list
    before = chat.box.width(), rows.visualRect(rows.model().index(1, 0)).height()
    for key, value in (
        ("reading_font", "DejaVu Serif"), ("interface_font", "DejaVu Sans"),
        ("code_font", "DejaVu Sans Mono"), ("line_height", 1.4), ("reading_width", 1000),
        ("density", "compact"),
    ):  # fmt: skip
        page.control(key).choose(value)
    running.window.show_page("chat")
    program.qtbot.waitUntil(lambda: chat.box.width() > before[0])
    transcript = chat.transcript
    _, reply = [entry.widget for entry in transcript._turns.entries]
    program.qtbot.waitUntil(lambda: reply.measure.width == 1000)
    assert abs(chat.box.width() - reply.measure.width) <= 4
    (prose, code) = [text for text in transcript.parts() if reply.isAncestorOf(text)]
    font = prose.document().begin().begin().fragment().charFormat().font()
    assert font.families()[0] == "DejaVu Serif"
    assert prose.document().begin().blockFormat().lineHeight() == 35
    assert code.font().families()[0] == "DejaVu Sans Mono"
    assert running.window.font().families()[0] == "DejaVu Sans"
    assert rows.visualRect(rows.model().index(1, 0)).height() == before[1] - 4
    program.end()
    running = program.start()
    kept = running.look.theme.typesetting
    assert (kept.reading, kept.leading, kept.column, kept.compact) == (
        "DejaVu Serif", 1.4, 1000, True,
    )  # fmt: skip


def test_a_preset_is_chosen_made_and_renamed_on_its_tile(program: Program) -> None:
    running = program.start_ready()
    running.window.show_page("settings")
    page = running.window.parts.settings
    page.open_section("open-chat")
    rows, bar = page.open_chat, running.window.parts.chat.box.options
    tiles = rows.preset.tiles
    assert list(tiles) == [*PRESETS, "other"]
    assert tiles["balanced"].isChecked()
    assert "Default" in tiles["balanced"].accessibleDescription()
    assert not tiles["other"].isVisible()
    tiles["balanced"].setFocus()
    QTest.keyClick(tiles["balanced"], Qt.Key.Key_Right)
    assert bar.options.sampling == PRESETS["chat"]
    rows.sampling.rows["temperature"].control.choose(0.35)
    assert tiles["other"].isVisible()
    assert tiles["other"].isChecked()
    rows.new_preset.click()
    dialog = running.window.findChildren(PresetsDialog)[-1]
    dialog.name.setText("Letters")
    dialog.keep.click()
    dialog.accept()
    own = rows.preset.tiles["=Letters"]
    assert own.isChecked()
    assert not rows.preset.tiles["other"].isVisible()
    assert own.pencil is not None
    assert "Letters" in own.pencil.accessibleName()
    own.pencil.click()
    dialog = running.window.findChildren(PresetsDialog)[-1]
    assert dialog.name.selectedText() == "Letters"
    dialog.name.setText("Mail")
    dialog.rename.click()
    dialog.accept()
    assert rows.preset.value == "=Mail"
    rows.preset.tiles["precise"].click()
    rows.preset.tiles["=Mail"].click()
    assert bar.options.sampling is not None
    assert bar.options.sampling.temperature == 0.35
    page.search.setText("stories")
    assert rows.preset.isVisible()


def test_in_a_narrow_window_the_tiles_stand_in_fewer_columns(program: Program) -> None:
    running = program.start_ready()
    running.window.resize(1280, 832)
    running.window.show_page("settings")
    page = running.window.parts.settings
    page.open_section("open-chat")
    tiles = page.open_chat.preset
    program.qtbot.waitUntil(lambda: tiles._columns > 2)
    running.window.resize(720, 832)
    program.qtbot.waitUntil(lambda: tiles._columns == 2)
    areas = [each for each in page.findChildren(QScrollArea) if each.isAncestorOf(tiles)]
    assert areas
    program.qtbot.waitUntil(lambda: areas[0].horizontalScrollBar().maximum() == 0)


def test_prompts_and_presets_are_found_in_the_settings(program: Program) -> None:
    assert found(program, "variables") == {"chat": 1}


@pytest.mark.parametrize(
    ("has_gpu", "offered"), [(False, ["", "cpu"]), (True, ["", "cpu", "cuda"])]
)
def test_only_what_this_computer_computes_on_is_offered(
    program: Program, monkeypatch: pytest.MonkeyPatch, has_gpu: bool, offered: list[str]
) -> None:
    gpus = ("a card",) if has_gpu else ()
    monkeypatch.setattr("app.ui.model_settings.on_screen.read_gpus", lambda: gpus)
    page = program.start_ready().window.parts.settings
    control = page.control("device")
    assert isinstance(control, ChoiceControl)
    program.qtbot.waitUntil(lambda: list(control._button._options) == offered)
    assert page.rows["gpu_layers"].isEnabled() is has_gpu


def test_in_a_narrow_window_with_large_text_the_sections_are_icons_with_their_names(
    program: Program,
) -> None:
    running = program.start_ready()
    running.window.show_page("settings")
    page = running.window.parts.settings
    running.window.resize(720, 832)
    page.control("text_scale").choose(1.6)
    rows = page.list.rows
    program.qtbot.waitUntil(lambda: page.list.width() < 150)
    assert [row.text() for row in rows] == [""] * len(rows)
    assert (rows[0].toolTip(), rows[0].accessibleName()) == ("General", "General")
    assert page.reset.accessibleName() == "All to default"
    page.control("text_scale").choose(1.0)
    program.qtbot.waitUntil(lambda: page.list.width() > 200)
    assert rows[0].text().strip() == "General"
