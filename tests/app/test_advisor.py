"""The advisor in the whole window: where it is opened from, what it says, what its buttons do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.application import Application
from app.chat.model_session import ModelPhase
from app.chat.options import ChatOptions
from app.chat.turn import TurnState
from app.language import Language
from app.ui.advisor.dialog import AdvisorDialog
from app.ui.advisor.words import action_text, finding_text
from app.ui.chat_settings.dialog import ChatSettingsDialog
from app.ui.model_detail import open_folder_of
from app.ui.model_rows import FITTING
from app.ui.model_settings.dialog import ModelSettingsDialog
from app.ui.transcript.endings import Broken
from engine.contract import (
    Fault,
    FaultKind,
    FinishReason,
    Load,
    LoadSettings,
    Notice,
    NoticeKind,
    Sampling,
    Thinking,
)
from engine.contract.presets import PRESETS
from engine.library.advice.findings import Action, Remedy
from engine.library.advice.rules import RULES, advise
from tests.app.conftest import Program
from tests.app.legible import troubles
from tests.app.test_application import ask, await_reply
from tests.app.test_contrast_on_screen import picture_of, places, strongest
from tests.app.test_names import controls, spoken_name
from tests.doubles.engines import Reply, ScriptedRunner
from tests.doubles.scripts import LoadScript, model_facts
from tests.library.advice import test_rules
from tests.scenes_advisor import BROKEN, FINE, TOO_LARGE, WRONG, open_advisor

GB = 1_000_000_000


def advised(
    program: Program, running: Application, open_it: Callable[[], object] | None = None
) -> AdvisorDialog:
    """The sheet, when it has looked."""
    running.advisor._timer.setInterval(10)
    (open_it or running.window.parts.status.advise.click)()
    dialog = running.advisor.dialog
    assert dialog is not None
    program.qtbot.waitUntil(lambda: not dialog.is_looking, timeout=20_000)
    return dialog


def rules_of(dialog: AdvisorDialog) -> set[str]:
    return {each.rule for each in dialog.found}


def press(running: Application, remedy: Remedy) -> None:
    """Press the button of a remedy, by the words that it has."""
    dialog = running.advisor.dialog
    assert dialog is not None
    action = next(a for each in dialog.found for a in each.actions if a.remedy is remedy)
    said = action_text(action, running.look.language)
    button = next(b for row in dialog.rows for b in row.buttons if b.text() == said)
    button.click()


def loads(program: Program) -> list[LoadSettings]:
    return [each.settings for each in program.runner.commands if isinstance(each, Load)]


def answered(
    program: Program,
    reply: Reply | None = None,
    load: LoadScript | None = None,
    options: ChatOptions | None = None,
) -> Application:
    """A window in which something was answered."""
    words = " ".join(f"word{number}" for number in range(40))
    running = program.start_ready(
        ScriptedRunner([reply or Reply(words)], [load] if load is not None else [])
    )
    if options is not None:
        running.window.parts.chat.box.options.take(options)
    ask(running, "question")
    await_reply(program, running, 2)
    return running


def options(running: Application) -> ChatOptions:
    session = running.window.parts.chat.session
    assert session is not None
    return session.options


CHANGES = (
    (Remedy.USUAL_SAMPLING, ChatOptions(sampling=Sampling(temperature=3.0)), ChatOptions()),
    (Remedy.PENALISE, ChatOptions(), ChatOptions(sampling=PRESETS["chat"])),
    (Remedy.THINKING_AUTO, ChatOptions(thinking=Thinking.OFF), ChatOptions(thinking=Thinking.ON)),
    (Remedy.OWN_TEMPLATE, ChatOptions(template="gemma"), ChatOptions()),
    (Remedy.NO_SCHEMA, ChatOptions(schema='{"type": "object"}'), ChatOptions()),
    (Remedy.NO_STOPS, ChatOptions(stop=("END",)), ChatOptions()),
    (Remedy.NO_LIMIT, ChatOptions(max_tokens=1), ChatOptions()),
)
"""What the remedies make of a chat: each with what the chat was told before, and after."""


# --- where it is opened from --------------------------------------------------------------------


def test_it_is_opened_from_the_status_line_and_says_what_it_looked_at(program: Program) -> None:
    dialog = advised(program, answered(program))
    assert not rules_of(dialog) & {"hot", "strong-penalty", "turns-left-out", "cut-short"}
    kinds = {row.kind: row.sentence for row in dialog.rows}
    assert "Nothing spoils the answers." in kinds["fine"]
    assert "Temperature 0.8" in kinds["fine"]


def test_it_is_opened_from_the_monitor_and_only_once(program: Program) -> None:
    running = answered(program)
    running.window.show_page("monitor")
    dialog = advised(program, running, running.window.parts.monitor.advise.click)
    running.advisor.open()
    assert running.window.findChildren(AdvisorDialog) == [dialog]
    dialog.reject()
    assert running.advisor.dialog is None


def test_nothing_was_asked_yet(program: Program) -> None:
    dialog = advised(program, program.start_ready())
    assert "Ask something" in " ".join(row.sentence for row in dialog.rows)
    dialog.reject()


def test_without_a_model_it_says_so(program: Program) -> None:
    program.shelves.add("one")
    program.shelves.add("two")
    running = program.start()
    running.window.show_page("chat")
    dialog = advised(program, running)
    assert dialog.rows == []
    assert dialog.found == ()


def test_a_model_that_did_not_fit_leads_from_its_notice_to_what_fits(program: Program) -> None:
    """The figures are the fit's own: a file of ten times this computer's memory."""
    fault = Fault(FaultKind.MEMORY_SHORT, {"needed": 9 * GB, "free": GB, "context": 2048})
    path = program.shelves.add("giant", size_bytes=10_000 * GB, bits_per_weight=16.0)
    small = program.shelves.add("small")
    running = program.start(ScriptedRunner(loads=[LoadScript(fault=fault)]), path)
    program.qtbot.waitUntil(lambda: running.model.state.phase is ModelPhase.FAILED)
    bar = running.window.notices._bars["model"]
    assert bar.ask is not None
    dialog = advised(program, running, bar.ask.click)
    assert "large-weights" in rules_of(dialog)
    first = dialog.rows[0]
    assert "giant is too large for what is free." in first.sentence
    assert [b.text() for b in first.buttons] == [
        "Load small", "Make a smaller copy", "Show models that fit"
    ]  # fmt: skip
    first.buttons[0].click()
    program.qtbot.waitUntil(lambda: running.model.state.phase is ModelPhase.READY)
    assert running.model.state.path == small


def test_a_model_of_the_shelf_is_judged_before_it_is_loaded(program: Program) -> None:
    running = program.start_ready()
    path = program.shelves.add("base", has_template=False, bits_per_weight=2.5)
    facts = replace(model_facts(path), name="base", has_template=False, bits_per_weight=2.5)
    running.window.show_page("models")
    verb = next(
        v for v in running.window.parts.models.menu.verbs(facts) if v.text_id == "advisor-verb"
    )
    dialog = advised(program, running, lambda: verb.act(facts))
    assert {"no-template", "few-bits"} <= rules_of(dialog)
    dialog.reject()
    giant = replace(facts, path=Path("giant.gguf"), size_bytes=10_000 * GB)
    dialog = advised(program, running, lambda: running.advisor.open(giant))
    assert "large-weights" in rules_of(dialog)


# --- what the buttons do --------------------------------------------------------------------------


def test_odd_sampling_is_found_and_taken_back(program: Program) -> None:
    odd = ChatOptions(sampling=Sampling(temperature=2.0, repetition_penalty=2.0))
    running = answered(program, options=odd)
    assert {"hot", "strong-penalty"} <= rules_of(advised(program, running))
    press(running, Remedy.USUAL_SAMPLING)
    assert options(running).sampling is None
    assert running.window.notices.keys() == ["advisor"]
    assert not {"hot", "strong-penalty"} & rules_of(advised(program, running))


def test_an_answer_in_circles_gets_the_preset_with_a_penalty(program: Program) -> None:
    running = answered(program, Reply("the same again and again, " * 40))
    assert "circles" in rules_of(advised(program, running))
    press(running, Remedy.PENALISE)
    assert options(running).sampling == PRESETS["chat"]


def test_a_base_model_leads_to_the_models_that_fit(program: Program) -> None:
    load = LoadScript(notices=(Notice(NoticeKind.TEMPLATE_MISSING),))
    running = answered(program, load=load)
    assert "no-template" in rules_of(advised(program, running))
    press(running, Remedy.TEMPLATE)
    settings = running.window.findChild(ChatSettingsDialog)
    assert settings is not None
    settings.reject()
    advised(program, running)
    press(running, Remedy.MODELS)
    assert running.window.page == "models"
    assert running.window.parts.models.filters.value == FITTING


def test_a_cut_chat_gets_a_longer_context(program: Program) -> None:
    running = program.start_ready(ScriptedRunner([Reply("Short.", left_out_turns=3)]))
    path = running.model.state.path
    assert path is not None
    running.model.settings_of.change(path, "context", 1024)
    running.deeds.load(path)
    program.qtbot.waitUntil(lambda: running.model.state.phase is ModelPhase.READY)
    ask(running, "question")
    await_reply(program, running, 2)
    assert "turns-left-out" in rules_of(advised(program, running))
    press(running, Remedy.CONTEXT)
    program.qtbot.waitUntil(lambda: len(loads(program)) == 3)
    assert loads(program)[-1].context == 2048


def test_a_full_context_begins_a_new_chat(program: Program) -> None:
    running = answered(program, Reply("Cut", reason=FinishReason.CONTEXT_FULL))
    before = running.deeds.open_chat
    assert "cut-short" in rules_of(advised(program, running))
    press(running, Remedy.NEW_CHAT)
    assert running.deeds.open_chat != before


@pytest.mark.parametrize(
    ("rule", "remedy", "made", "reply"),
    [
        ("cut-short", Remedy.NO_LIMIT, {"max_tokens": 1}, Reply("x", reason=FinishReason.LENGTH)),
        ("bound-by-schema", Remedy.NO_SCHEMA, {"schema": '{"type": "object"}'}, None),
        ("stop-words", Remedy.NO_STOPS, {"stop": ("END",)}, Reply("Short.")),
        ("foreign-template", Remedy.OWN_TEMPLATE, {"template": "gemma"}, None),
        ("no-thought", Remedy.THINKING_AUTO, {"thinking": Thinking.OFF}, None),
    ],
)
def test_what_the_chat_was_told_is_taken_back(
    program: Program, rule: str, remedy: Remedy, made: dict[str, object], reply: Reply | None
) -> None:
    told = replace(ChatOptions(), **made)  # type: ignore[arg-type]
    running = answered(program, reply, LoadScript(can_think=True), told)
    assert rule in rules_of(advised(program, running))
    press(running, remedy)
    wanted = ChatOptions(thinking=Thinking.ON) if "thinking" in made else ChatOptions()
    assert options(running) == wanted


def test_an_8_bit_cache_that_the_model_does_not_bear_is_taken_back(program: Program) -> None:
    load = LoadScript(notices=(Notice(NoticeKind.CACHE_INEXACT, {"divergence": 0.31}),))
    running = answered(program, load=load)
    dialog = advised(program, running)
    assert "0.31 nats" in " ".join(row.sentence for row in dialog.rows)
    press(running, Remedy.CACHE_BITS)
    program.qtbot.waitUntil(lambda: len(loads(program)) == 2)
    assert loads(program)[-1].cache_bits == 16


def test_looking_again_stays_on_the_sheet(program: Program) -> None:
    running = answered(program)
    dialog = advised(program, running)
    dialog.again.click()
    assert dialog.is_looking
    program.qtbot.waitUntil(lambda: not dialog.is_looking, timeout=20_000)
    assert running.advisor.dialog is dialog


def test_every_remedy_does_something(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each by the deed itself; the tests above press most of them on their findings."""
    running = program.start_ready(ScriptedRunner([Reply("Words.")]))
    path = running.model.state.path
    assert path is not None
    facts = replace(model_facts(path), name=path.stem)
    opened: list[object] = []
    monkeypatch.setattr("app.ui.advisor.deeds.open_folder_of", opened.append)
    assert open_folder_of is not None

    acted = {Remedy.LOOK_AGAIN}  # the sheet's own, pressed above

    def act(remedy: Remedy, value: int | str = 0) -> None:
        acted.add(remedy)
        running.advisor.deeds.act(Action(remedy, value), facts)

    for key, value in (("threads", 1), ("device", "cpu"), ("keep_loaded_minutes", 5)):
        running.model.settings_of.change(path, key, value)
    act(Remedy.THREADS_AUTO, 2)
    program.qtbot.waitUntil(lambda: len(loads(program)) == 2)  # else the next one may replace it
    act(Remedy.GPU_AUTO)
    program.qtbot.waitUntil(lambda: len(loads(program)) == 3)
    assert loads(program)[-1] == LoadSettings()
    running.model.settings_of.change(path, "device", "cpu")
    act(Remedy.DEVICE_AUTO)
    program.qtbot.waitUntil(lambda: len(loads(program)) == 4)
    assert loads(program)[-1] == LoadSettings()
    act(Remedy.KEEP_LOADED)
    assert running.model.settings_of.of(path)["keep_loaded_minutes"] == 0
    act(Remedy.SHOW_FILE)
    assert opened == [facts]
    act(Remedy.THINKING_OFF)
    assert options(running).thinking is Thinking.OFF
    for remedy, page in (
        (Remedy.MONITOR, "monitor"), (Remedy.BENCHMARK, "benchmark"), (Remedy.MODELS, "models"),
        (Remedy.MAKE_SMALLER, "smaller"),
    ):  # fmt: skip
        act(remedy)
        assert running.window.page == page
    act(Remedy.MODEL_SETTINGS)
    settings = running.window.findChild(ModelSettingsDialog)
    assert settings is not None
    settings.reject()
    act(Remedy.LOAD_AGAIN)
    program.qtbot.waitUntil(lambda: len(loads(program)) == 5)
    program.qtbot.waitUntil(lambda: running.model.state.phase is ModelPhase.READY)
    act(Remedy.UNLOAD)
    program.qtbot.waitUntil(lambda: running.model.state.phase is ModelPhase.NONE)
    act(Remedy.LOAD, str(path))
    program.qtbot.waitUntil(lambda: len(loads(program)) == 6)
    act(Remedy.CONTEXT, 1024)
    program.qtbot.waitUntil(lambda: len(loads(program)) == 7)
    act(Remedy.CACHE_BITS, 8)
    program.qtbot.waitUntil(lambda: len(loads(program)) == 8)
    assert loads(program)[-1] == LoadSettings(context=1024, cache_bits=8)
    for remedy, told, wanted in CHANGES:
        running.window.parts.chat.box.options.take(told)
        act(remedy)
        assert options(running) == wanted, remedy
    act(Remedy.TEMPLATE)
    chosen = running.window.findChild(ChatSettingsDialog)
    assert chosen is not None
    assert chosen.isVisible()
    chosen.reject()
    program.qtbot.waitUntil(lambda: running.model.state.phase is ModelPhase.READY)
    ask(running, "question")  # an empty chat is a new one already
    await_reply(program, running, 2)
    before = running.deeds.open_chat
    act(Remedy.NEW_CHAT)
    assert running.deeds.open_chat != before
    assert acted == set(Remedy), "a new remedy is acted out here too"


# --- how it looks ---------------------------------------------------------------------------------


@pytest.mark.parametrize("code", ["en", "zh_CN"])
def test_every_finding_and_every_button_has_its_words(program: Program, code: str) -> None:
    language = program.start_ready().look.language
    language.use(code)
    told = {found.rule: found for _, facts, _ in test_rules.SIDES for found in advise(facts)}
    for free in (test_rules.BARE - 1, test_rules.BARE, test_rules.LEAST):
        told |= {found.rule: found for found in advise(test_rules.refused(free))}
    assert set(told) | {"gpu-full"} == {rule.name for rule in RULES}
    for found in told.values():
        said = finding_text(found, language)
        assert said.lead
        assert said.rest
        for action in found.actions:
            assert action_text(action, language)


@pytest.mark.parametrize("scale", [0.8, 1.6])
@pytest.mark.parametrize("code", ["en", "zh_CN"])
def test_nothing_on_the_sheet_is_cut_off_or_nameless(
    program: Program, code: str, scale: float
) -> None:
    running = program.start_ready()
    running.settings.change(language=code, text_scale=scale)
    for name in ("language", "text_scale"):
        running.settings_on_screen._on_changed(name)
    for facts in (FINE, WRONG, TOO_LARGE, BROKEN):
        dialog = open_advisor(running, facts, "Qwen3 4B")
        for width in (560, 800):
            dialog.resize(width, 600)
            QTest.qWait(60)
            assert set(troubles(dialog)) == set()
        assert [w for w in controls(dialog) if w.isVisible() and not spoken_name(w)] == []
        dialog.reject()


@pytest.mark.parametrize("name", ["light", "dark"])
def test_every_text_on_the_sheet_can_be_read(program: Program, name: str) -> None:
    running = program.start_ready()
    running.look.theme.use(name, 1.0)  # type: ignore[arg-type]
    dialog = open_advisor(running, WRONG, "Qwen3 4B")
    dialog.resize(600, 1200)
    QTest.qWait(80)
    picture, seen = picture_of(dialog), places(dialog)
    low = [(text, strongest(picture, rect)) for text, rect in seen]
    assert [each for each in low if each[1] < 4.5] == []
    assert len(seen) > 20
    dialog.reject()


def test_tab_goes_through_the_buttons_as_one_reads(program: Program) -> None:
    running = program.start_ready()
    dialog = open_advisor(running, WRONG, "Qwen3 4B")
    dialog.activateWindow()
    buttons = [button for row in dialog.rows for button in row.buttons]
    dialog.take_focus()
    program.qtbot.waitUntil(buttons[0].hasFocus)
    for button in buttons[1:]:
        QTest.keyClick(dialog.focusWidget(), Qt.Key.Key_Tab)
        assert button.hasFocus()
    dialog.reject()


def test_a_broken_reply_is_looked_into_with_its_own_figures(program: Program) -> None:
    """What came after it, and its figures, tell of another one."""
    fault = Fault(FaultKind.OUT_OF_MEMORY, {"device": "cpu", "needed": 2 * GB, "free": GB})
    running = program.start_ready(ScriptedRunner([Reply("half", fault=fault), Reply("whole")]))
    ask(running, "first")
    session = running.window.parts.chat.session
    assert session is not None
    program.qtbot.waitUntil(lambda: session.path()[-1].state is TurnState.FAILED)
    broken = session.path()[-1]
    transcript = running.window.parts.chat.transcript
    notice = running.window.findChildren(Broken)[-1]
    assert notice.advise.accessibleName() == "What is wrong?"
    advised(program, running, notice.advise.click)
    assert running.advisor.facts.refused is not None
    assert running.advisor.facts.refused.fault == broken.fault
    assert running.advisor.facts.running is not None
    assert transcript.isAncestorOf(notice)


FAILURES = (
    (Fault(FaultKind.TEMPLATE_REFUSED, {"detail": "no system"}), "refused-template"),
    (Fault(FaultKind.PROMPT_TOO_LONG, {"tokens": 9000, "context": 4096}), "long-question"),
    (Fault(FaultKind.SERVER_BROKE_OFF, {"host": "gpu.example.org"}), "far-server"),
    (Fault(FaultKind.BUSY, {"waiting": 48, "limit": 48}), "crowded"),
)


@pytest.mark.parametrize(("fault", "rule"), FAILURES)
def test_every_fault_that_a_rule_explains_leads_there_from_its_reply(
    program: Program, fault: Fault, rule: str
) -> None:
    running = program.start_ready(ScriptedRunner([Reply("half", fault=fault)]))
    ask(running, "first")
    await_reply(program, running, 2)
    (notice,) = running.window.findChildren(Broken)
    dialog = advised(program, running, notice.advise.click)
    (told,) = (each for each in dialog.found if each.rule == rule)
    assert dialog.rows[0].sentence == finding_text(told, running.look.language).sentence
    dialog.reject()


def test_a_device_that_is_gone_is_left_to_the_program_from_the_notice(program: Program) -> None:
    fault = Fault(FaultKind.DEVICE_MISSING, {"device": "cuda"})
    path = program.shelves.add("chosen")
    running = program.start(ScriptedRunner(loads=[LoadScript(fault=fault)]), path)
    program.qtbot.waitUntil(lambda: running.model.state.phase is ModelPhase.FAILED)
    running.model.settings_of.change(path, "device", "cpu")
    bar = running.window.notices._bars["model"]
    assert bar.ask is not None
    advised(program, running, bar.ask.click)
    press(running, Remedy.DEVICE_AUTO)
    program.qtbot.waitUntil(lambda: running.model.state.phase is ModelPhase.READY)
    assert loads(program)[-1].device is None


def test_a_fault_that_no_rule_explains_does_not_offer_it_and_the_sheet_says_the_fault(
    program: Program,
) -> None:
    fault = Fault(FaultKind.ARCHITECTURE_UNKNOWN, {"path": "odd.gguf", "architecture": "oddity"})
    path = program.shelves.add("odd")
    running = program.start(ScriptedRunner(loads=[LoadScript(fault=fault)]), path)
    program.qtbot.waitUntil(lambda: running.model.state.phase is ModelPhase.FAILED)
    assert running.window.notices._bars["model"].ask is None
    running.window.show_page("chat")
    dialog = advised(program, running)  # from the status line, which is there always
    assert [row.kind for row in dialog.rows] == ["cause"]
    assert "odd.gguf is of a kind" in dialog.rows[0].sentence


def test_a_reply_with_a_fault_that_no_rule_explains_offers_its_remedy_alone(
    program: Program,
) -> None:
    fault = Fault(FaultKind.INTERNAL, {"detail": "KeyError: 1"})
    running = program.start_ready(ScriptedRunner([Reply("half", fault=fault)]))
    ask(running, "first")
    await_reply(program, running, 2)
    (notice,) = running.window.findChildren(Broken)
    program.qtbot.waitUntil(notice.isVisible)
    assert not notice.advise.isVisible()


@pytest.mark.parametrize(("code", "unit"), [("en", "bits a weight"), ("zh_CN", "每个权重")])
def test_bits_that_a_server_does_not_say_are_left_out(
    qapp: QApplication, code: str, unit: str
) -> None:
    def said(bits: str) -> str:
        figures = {"temperature": "0.7", "repeat": "1.1", "bits": bits}
        return Language(code).text("advisor-fine-poor-figures", **figures)

    assert unit in said("4.5")
    assert unit not in said("none")
    assert "none" not in said("none")
