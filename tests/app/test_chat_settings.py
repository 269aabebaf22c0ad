"""What holds for one chat: every step of the sampler, where answers end, presets of one's own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PySide6.QtTest import QTest

from app.application import Application
from app.chat.carried import CarriedFileError
from app.chat.presets import Preset, file_of, line_of, presets_of, read_file
from app.ui.chat_settings.dialog import ChatSettingsDialog
from app.ui.chat_settings.presets_dialog import PresetsDialog
from app.ui.question import QuestionDialog
from engine.contract import Constraint, ConstraintKind, Generate, Sampling, SamplingOrder
from engine.contract.presets import PRESETS, sampling_of, values_of
from tests.app.conftest import Program
from tests.app.files import choose_file
from tests.app.legible import troubles
from tests.app.test_application import ask, await_reply
from tests.doubles.engines import Reply, ScriptedRunner


def opened(running: Application, verb: str) -> ChatSettingsDialog | PresetsDialog:
    running.window.show_page("chat")
    running.window.parts.chat.box.options.preset._choose(verb)
    kind = ChatSettingsDialog if verb == "adjust" else PresetsDialog
    return running.window.findChildren(kind)[-1]


def test_what_is_set_for_a_chat_reaches_the_engine(program: Program) -> None:
    runner = ScriptedRunner([Reply("one"), Reply("two")])
    running = program.start_ready(runner)
    dialog = opened(running, "adjust")
    assert isinstance(dialog, ChatSettingsDialog)
    for key, value in (
        ("temperature", 0.35), ("seed", 7), ("order", "temperature_first"), ("max_tokens", 99),
        ("stop", ("END", "###")), ("dry_multiplier", 0.8),
    ):  # fmt: skip
        dialog.rows[key].control.choose(value)
    dialog.schema.setPlainText('{"type": ')
    assert dialog._wrong.text()
    dialog.schema.setPlainText('{"type": "object"}')
    assert not dialog._wrong.text()
    dialog.schema.setPlainText('{"type": "fish"}')
    assert "fish" in dialog._wrong.text()
    dialog.accept()
    ask(running, "question")
    await_reply(program, running, 2)
    asked = next(each for each in runner.commands if isinstance(each, Generate)).settings
    assert asked.sampling is not None
    assert (asked.sampling.temperature, asked.sampling.seed) == (0.35, 7)
    assert asked.sampling.order is SamplingOrder.TEMPERATURE_FIRST
    assert asked.sampling.dry_multiplier == 0.8
    assert (asked.max_tokens, asked.stop) == (99, ("END", "###"))
    assert asked.constraint == Constraint(ConstraintKind.JSON_SCHEMA, '{"type": "object"}')
    assert running.window.parts.chat.box.options.preset.value == "other"


def test_the_steps_stand_in_the_order_in_which_they_act(program: Program) -> None:
    dialog = opened(program.start_ready(), "adjust")
    assert isinstance(dialog, ChatSettingsDialog)

    def place(key: str) -> int:
        return dialog._steps.indexOf(dialog.rows[key])

    assert place("repetition_penalty") < place("top_k") < place("min_p") < place("temperature")
    dialog.rows["order"].control.choose("temperature_first")
    assert place("repetition_penalty") < place("temperature") < place("top_k")


def test_own_presets_are_kept_used_renamed_copied_and_deleted(program: Program) -> None:
    running = program.start_ready()
    bar = running.window.parts.chat.box.options
    bar.preset._choose("creative")
    dialog = opened(running, "manage")
    assert isinstance(dialog, PresetsDialog)
    dialog.name.setText("Poems")
    dialog.keep.click()
    dialog.copy.click()
    assert [each.name for each in dialog._presets] == ["Poems", "Poems 2"]
    dialog.name.setText("Verse")
    dialog.rename.click()
    dialog.list.setCurrentRow(0)
    dialog.delete.click()
    dialog.accept()
    assert [each.name for each in presets_of(running.settings.settings.presets)] == ["Verse"]
    bar.preset._choose("precise")
    bar.preset._choose("=Verse")
    assert bar.options.sampling == PRESETS["creative"]
    program.end()
    running = program.start()
    assert "=Verse" in running.window.parts.chat.box.options.preset._options


def test_presets_are_carried_as_a_file(program: Program, tmp_path: Path) -> None:
    running = program.start_ready()
    dialog = opened(running, "manage")
    assert isinstance(dialog, PresetsDialog)
    dialog._put(Preset("信", Sampling(temperature=0.5, order=SamplingOrder.TEMPERATURE_FIRST)))
    file = tmp_path / "p.json"
    choose_file(program, dialog, dialog.carry, file)
    program.qtbot.waitUntil(lambda: "p.json" in dialog.said.text())
    dialog.delete.click()
    choose_file(program, dialog, dialog.bring, file)
    program.qtbot.waitUntil(lambda: "1 preset was taken over" in dialog.said.text())
    assert dialog._presets == read_file(file.read_text("utf-8"))
    file.write_text(file.read_text("utf-8").replace("0.5", "50"), "utf-8")
    choose_file(program, dialog, dialog.bring, file)
    program.qtbot.waitUntil(lambda: "temperature" in dialog.said.text())
    assert len(dialog._presets) == 1
    file.write_bytes(b"\xff\xfe\x00")
    choose_file(program, dialog, dialog.bring, file)
    program.qtbot.waitUntil(lambda: "no text in JSON" in dialog.said.text())
    running.chat_settings._files._files.read(
        tmp_path / "missing.json", dialog.take, dialog.say_failed
    )
    program.qtbot.waitUntil(lambda: "cannot be used" in dialog.said.text())


def test_a_preset_whose_name_is_taken_is_asked_about(program: Program) -> None:
    dialog = opened(program.start_ready(), "manage")
    assert isinstance(dialog, PresetsDialog)
    mine = Preset("Poems", Sampling(temperature=1.5))
    other = Preset("poems", Sampling(temperature=0.5))
    dialog._put(mine)
    dialog.take(file_of([other]))
    question = dialog.findChildren(QuestionDialog)[-1]
    assert dialog._presets == [mine]
    question.answers[0].click()
    assert dialog._presets == [mine, Preset("poems 2", other.sampling)]
    dialog.take(file_of([mine]))  # the same once more is no question
    assert len(dialog._presets) == 2


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "preset-file-unreadable"),
        ("[1]", "preset-file-other"),
        ('{"format": "inkstone-presets", "presets": []}', "preset-file-empty"),
        ('{"format": "inkstone-presets", "presets": [{"name": ""}]}', "preset-file-name"),
        (
            '{"format": "inkstone-presets", "presets": [{"name": "a", "sampling": {"x": 1}}]}',
            "preset-file-value",
        ),
        (
            '{"format": "inkstone-presets", "presets": [{"name": "a", "sampling": {"top_k": -3}}]}',
            "preset-file-value",
        ),
    ],
)
def test_a_file_that_is_none_is_refused_whole(text: str, reason: str) -> None:
    with pytest.raises(CarriedFileError) as caught:
        read_file(text)
    assert caught.value.reason == reason


@pytest.mark.parametrize("name", [name for name, values in PRESETS.items() if values])
def test_every_preset_survives_its_way(name: str) -> None:
    sampling = PRESETS[name]
    assert sampling is not None
    assert sampling_of(values_of(sampling)) == sampling
    assert presets_of([line_of(Preset(name, sampling))]) == [Preset(name, sampling)]
    assert read_file(file_of([Preset(name, sampling)])) == [Preset(name, sampling)]
    assert len({json.dumps(values_of(each)) for each in PRESETS.values() if each}) == 6


def test_presets_lie_where_the_field_has_them() -> None:
    def of(name: str) -> Sampling:
        found = PRESETS[name]
        assert found is not None
        return found

    chat, code, creative = of("chat"), of("code"), of("creative")
    assert 0.7 <= chat.temperature <= 0.9
    assert 0.9 <= chat.top_p <= 0.95
    assert 1.05 <= chat.repetition_penalty <= 1.1
    assert 0.2 <= code.temperature <= 0.3
    assert (code.top_k, code.top_p) == (40, 0.9)
    assert code.seed is not None
    assert (creative.temperature, creative.top_p, creative.typical_p) == (1.2, 0.85, 0.95)
    assert (of("summary").temperature, of("summary").top_p) == (0.3, 0.9)
    assert of("precise").temperature == 0
    assert PRESETS["balanced"] is None  # the model's own


@pytest.mark.parametrize("verb", ["adjust", "manage"])
@pytest.mark.parametrize(("code", "scale"), [("en", 1.6), ("zh_CN", 1.0)])
def test_no_text_of_the_dialogs_is_cut_off(
    program: Program, code: str, scale: float, verb: str
) -> None:
    running = program.start_ready()
    running.settings.change(language=code, text_scale=scale)
    for name in ("language", "text_scale"):
        running.settings_on_screen._on_changed(name)
    dialog = opened(running, verb)
    QTest.qWait(150)
    assert set(troubles(dialog)) == set()
