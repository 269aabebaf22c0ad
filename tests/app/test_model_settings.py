"""Settings of one model: in the menu and the panel, over the program's, in every load."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace

import pytest
from PySide6.QtTest import QTest

from app.application import Application
from app.chat.model_session import ModelPhase
from app.ui.model_settings import on_screen
from app.ui.model_settings.dialog import ModelSettingsDialog
from app.ui.settings.controls import ChoiceControl, NumberControl
from engine.contract import Load, LoadSettings, ModelFacts, Support
from engine.library.gpus import Gpu
from tests.app.conftest import Program
from tests.app.legible import troubles
from tests.app.test_names import controls, spoken_name
from tests.doubles.scripts import model_facts


def opened(
    program: Program,
    running: Application,
    monkeypatch: pytest.MonkeyPatch,
    gpus: Sequence[Gpu] = (),
    layers: int = 30,
    context_length: int = 2048,
) -> ModelSettingsDialog:
    """The dialog of the loaded model, on a computer with these GPUs."""
    monkeypatch.setattr(on_screen, "read_gpus", lambda: gpus)
    path = running.model.state.path
    assert path is not None
    running.window.show_page("models")
    facts = replace(model_facts(path), layers=layers, context_length=context_length)
    next(
        v for v in running.window.parts.models.menu.verbs(facts) if v.text_id == "model-settings"
    ).act(facts)
    dialog = running.window.findChildren(ModelSettingsDialog)[-1]
    program.qtbot.waitUntil(lambda: dialog._devices is not None)
    return dialog


def loads(program: Program) -> list[LoadSettings]:
    return [each.settings for each in program.runner.commands if isinstance(each, Load)]


def offered(dialog: ModelSettingsDialog) -> list[str]:
    control = dialog.rows["device"].control
    assert isinstance(control, ChoiceControl)
    return list(control._button._options)


CARD = Gpu("A card", 24 << 30, 20 << 30)


def test_every_value_reaches_the_load_and_the_next_start(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = program.start_ready()
    dialog = opened(program, running, monkeypatch, [CARD])
    assert not dialog.load.isEnabled()
    for key, value in (
        ("device", "cuda"), ("gpu_layers", 12), ("context", 1024), ("cache_bits", 8),
        ("threads", 2),
    ):  # fmt: skip
        dialog.rows[key].control.choose(value)
    assert dialog.load.isEnabled()
    dialog.load.click()
    program.qtbot.waitUntil(lambda: len(loads(program)) == 2)
    program.qtbot.waitUntil(lambda: running.model.state.phase is ModelPhase.READY)
    wanted = LoadSettings(1024, "cuda", 2, 8, 12)
    assert loads(program) == [LoadSettings(), wanted]
    assert not running.model.is_outdated
    program.end()
    again = program.start()  # loads the last model
    program.qtbot.waitUntil(lambda: again.model.state.phase is ModelPhase.READY)
    assert loads(program) == [wanted]


def test_another_model_is_loaded_with_what_the_program_has(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = program.start_ready()
    opened(program, running, monkeypatch).rows["context"].control.choose(1024)
    running.settings.change(context=4096)
    running.deeds.load(program.shelves.add("other"))
    program.qtbot.waitUntil(lambda: len(loads(program)) == 2)
    assert loads(program)[1].context == 4096


def test_each_row_says_whose_its_value_is_and_goes_back(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = program.start_ready()
    running.settings.change(context=4096)
    dialog = opened(program, running, monkeypatch, context_length=32_768)
    row = dialog.rows["context"]
    control = row.control
    assert isinstance(control, NumberControl)
    assert (control.field.value(), row.back.isVisible()) == (4096, False)
    assert row.whose.text() == "As for all models"
    control.choose(2048)
    assert row.back.isVisible()
    assert row.whose.text() == "Of this model alone"
    row.back.click()
    assert (control.field.value(), row.back.isVisible()) == (4096, False)
    control.choose(2048)
    dialog.rows["threads"].control.choose(2)
    dialog.back.click()
    assert not any(each.back.isVisible() for each in dialog.rows.values())
    assert not dialog.back.isEnabled()


def test_without_a_graphics_card_only_the_processor_is_offered_and_it_says_so(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    dialog = opened(program, program.start_ready(), monkeypatch)
    assert offered(dialog) == ["", "cpu"]
    assert not dialog.rows["gpu_layers"].isVisible()
    assert "No graphics card" in dialog.no_gpu.text()
    assert dialog.no_gpu.isVisible()


def test_with_a_graphics_card_no_more_layers_can_be_set_than_there_are(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    dialog = opened(program, program.start_ready(), monkeypatch, [CARD], context_length=8192)
    assert offered(dialog) == ["", "cpu", "cuda"]
    assert dialog.rows["gpu_layers"].isVisible()
    assert not dialog.no_gpu.isVisible()
    for key, most, typed in (("gpu_layers", 30, "999"), ("context", 8192, "99999")):
        control = dialog.rows[key].control
        assert isinstance(control, NumberControl)
        control.field.lineEdit().setText(typed)
        control.field.interpretText()
        assert control.field.value() == most
    dialog.rows["device"].control.choose("cpu")
    assert not dialog.rows["gpu_layers"].isVisible()


def test_a_card_that_is_gone_stays_in_sight_while_it_is_chosen(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = program.start_ready()
    path = running.model.state.path
    assert path is not None
    running.model.settings_of.change(path, "device", "cuda")
    dialog = opened(program, running, monkeypatch)
    assert "cuda" in offered(dialog)
    assert running.window.parts.models.detail is not None
    dialog.rows["device"].back.click()
    assert "cuda" not in offered(dialog)


def test_the_panel_shows_the_models_own_context_and_leads_here(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = program.start_ready()
    dialog = opened(program, running, monkeypatch)
    detail = running.window.parts.models.detail
    dialog.rows["context"].control.choose(1024)
    assert detail._context.words.text() == "2,048 tokens"
    dialog.accept()
    detail._settings.click()
    program.qtbot.waitUntil(
        lambda: any(d.isVisible() for d in running.window.findChildren(ModelSettingsDialog))
    )


def test_a_model_of_a_server_or_one_that_does_not_run_has_none(program: Program) -> None:
    running = program.start_ready()
    menu = running.window.parts.models.menu
    path = running.model.state.path
    assert path is not None

    def has(facts: ModelFacts) -> bool:
        return "model-settings" in [verb.text_id for verb in menu.verbs(facts)]

    facts = model_facts(path)
    assert has(facts)
    assert not has(replace(facts, support=Support.REMOTE))
    assert not has(replace(facts, support=Support.UNSUPPORTED))


@pytest.mark.parametrize("scale", [0.8, 1.6])
@pytest.mark.parametrize("code", ["en", "zh_CN"])
def test_nothing_in_the_dialog_is_cut_off_or_nameless(
    program: Program, monkeypatch: pytest.MonkeyPatch, code: str, scale: float
) -> None:
    running = program.start_ready()
    running.settings.change(language=code, text_scale=scale)
    for name in ("language", "text_scale"):
        running.settings_on_screen._on_changed(name)
    dialog = opened(program, running, monkeypatch, [CARD])
    dialog.rows["context"].control.choose(1024)
    QTest.qWait(100)
    assert set(troubles(dialog)) == set()
    assert [w for w in controls(dialog) if w.isVisible() and not spoken_name(w)] == []
