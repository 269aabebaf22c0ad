"""A model that rests is still the chosen one wherever it is named, and a question wakes it."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QMenu

from app.application import Application
from app.chat.model_session import ModelPhase
from app.chat.previewing import PromptPreview
from app.chat.text_count import TextCount
from app.start.request import StartRequest
from app.ui.model_rows import CardRole
from engine.contract import Message, Role, Thinking
from tests.app.conftest import Program
from tests.app.test_application import ask, await_reply, contents
from tests.doubles.engines import Reply, ScriptedRunner

NAME = "SmolLM2-135M-Instruct"


def resting(program: Program, *replies: Reply) -> Application:
    """The window whose model has rested for its minutes."""
    running = program.start_ready(ScriptedRunner(list(replies)))
    running.settings.change(keep_loaded_minutes=1)
    running.keep_loaded._on_rested()  # as after a minute
    assert running.model.state.phase is ModelPhase.RESTING
    return running


def test_the_chat_names_the_model_that_rests_and_a_question_wakes_it(program: Program) -> None:
    running = resting(program, Reply("Awake."))
    chat = running.window.parts.chat
    assert chat.header.picker.accessibleName() == f"Model: {NAME}, Resting"
    assert chat.box.field.placeholderText() == "Ask anything: the model rests, and wakes for it"
    chat.header.picker._on_menu_opens()
    menu = chat.header.picker._menu
    assert [a.text().partition("\t")[0] for a in menu.actions() if a.isChecked()] == [NAME]
    ask(running, "Are you there?")
    await_reply(program, running, 2)
    assert contents(running) == ["Are you there?", "Awake."]
    assert running.model.state.phase is ModelPhase.READY
    assert "message-no-model" not in chat.box.field.placeholderText()


def test_a_letter_in_the_message_box_is_enough(program: Program) -> None:
    running = resting(program)
    running.window.parts.chat.box.say("H")
    program.qtbot.waitUntil(lambda: running.model.state.phase is ModelPhase.READY)


def test_the_status_line_names_it_and_says_that_it_rests(program: Program) -> None:
    running = resting(program)
    said = [w.text() for w in running.window.parts.status.findChildren(QLabel) if w.isVisible()]
    assert NAME in said
    assert any("Resting" in text for text in said)
    assert "No model loaded" not in said
    running.window.look.language.use("zh_CN")
    said = [w.text() for w in running.window.parts.status.findChildren(QLabel) if w.isVisible()]
    assert any("休息中" in text for text in said)


def test_the_models_page_marks_its_card_and_loads_it(program: Program) -> None:
    running = resting(program)
    running.window.show_page("models")
    page = running.window.parts.models
    program.qtbot.waitUntil(lambda: page.view.cards.rowCount() == 1)
    index = page.view.cards.index(0)
    assert index.data(CardRole.RESTING)
    assert not index.data(CardRole.LOADED)
    assert index.data().endswith("Resting")
    page.view.activate(index)
    program.qtbot.waitUntil(lambda: running.model.state.phase is ModelPhase.READY)
    assert not index.data(CardRole.RESTING)
    assert index.data().endswith("Loaded")


def test_a_quick_question_wakes_it(program: Program) -> None:
    running = resting(program, Reply("Awake."))
    running.settings.change(quick_ask=True)
    running.surroundings.start.on_asked(StartRequest(quick=True))
    quick = running.surroundings.quick.quick
    assert quick is not None
    quick.asked.emit("Are you there?")
    program.qtbot.waitUntil(lambda: quick.answer.toPlainText() == "Awake.")


def test_the_advisor_does_not_say_that_there_is_none(program: Program) -> None:
    running = resting(program)
    gathering = running.advisor.gathering
    assert gathering.name() == NAME
    facts = gathering.known()
    assert facts.running is not None
    assert facts.running.model.name == NAME


def test_a_text_that_is_counted_wakes_it(program: Program) -> None:
    running = resting(program)
    counting = TextCount(running.bridge, running.model, running)
    counting.count("words", lambda _: None)
    program.qtbot.waitUntil(lambda: running.model.state.phase is ModelPhase.READY)


def test_a_prompt_that_is_shown_wakes_it_and_is_shown_when_it_is_there(program: Program) -> None:
    running = resting(program)
    previewing = PromptPreview(running.model, running)
    with program.qtbot.waitSignal(previewing.rendered, timeout=10_000):
        assert previewing.ask((Message(Role.USER, "Hello"),), "", Thinking.AUTO)


def test_what_rests_is_removed_and_freed_like_any_other(program: Program) -> None:
    running = resting(program)
    running.model.unload()
    assert running.model.state.phase is ModelPhase.NONE
    assert running.window.parts.chat.header.picker.name() == "Choose a model"
    assert not running.model.wake()
    assert not running.window.parts.chat.header.picker.findChildren(QMenu)[0].isVisible()
