"""The whole window with a scripted engine: from the first start to closing while it answers."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPlainTextEdit

from app.application import Application
from app.chat.model_session import ModelPhase
from app.chat.turn import TurnState
from app.ui.chat_settings.bar import InstructionsDialog
from engine.contract import Fault, FaultKind, Generate, Load, Role, Thinking, Unload
from engine.library.scan import Found
from tests.app.conftest import Program, Shelves
from tests.doubles.engines import Reply, ScriptedRunner
from tests.doubles.scripts import LoadScript

UNUSED = "On this computer · the network is not used"


def ask(program: Application, text: str) -> None:
    field = program.window.parts.chat.box.field
    field.setPlainText(text)
    QTest.keyClick(field, Qt.Key.Key_Return)


def contents(program: Application) -> list[str]:
    session = program.window.parts.chat.session
    return [turn.content for turn in session.path()] if session is not None else []


def is_idle(program: Application) -> bool:
    session = program.window.parts.chat.session
    return session is not None and not session.state.busy


def await_reply(program: Program, window: Application, turns: int) -> None:
    program.qtbot.waitUntil(lambda: len(contents(window)) == turns and is_idle(window))


# --- the first start ------------------------------------------------------------------------------


def test_the_first_start_explains_itself_and_begins_in_one_click(program: Program) -> None:
    window = program.start()
    assert window.window.page == "welcome"
    assert not window.window.parts.sidebar.isVisible()
    window.window.parts.welcome.starter.start.click()
    program.qtbot.waitUntil(lambda: window.model.state.phase is ModelPhase.READY)
    assert window.window.page == "chat"
    assert isinstance(program.runner.commands[0], Load)


def test_a_fetch_shows_its_progress_and_what_the_network_is_for(
    program: Program, shelves: Shelves
) -> None:
    shelves.fetch_waits = True
    window = program.start()
    starter = window.window.parts.welcome.starter
    starter.start.click()
    program.qtbot.waitUntil(lambda: "31 MB of 98 MB" in starter._progress.text())
    assert starter.start.isHidden()
    badge = window.window.parts.status.network
    assert badge.accessibleName() == "Network used for 1 download only"
    starter.stop.click()
    program.qtbot.waitUntil(lambda: not starter.start.isHidden())
    assert badge.accessibleName() == UNUSED
    assert program.runner.commands == []


def test_the_fetchs_words_have_all_the_room_they_need(program: Program, shelves: Shelves) -> None:
    """However long they grow, in the narrowest window and both languages."""
    shelves.fetch_waits = True
    window = program.start()
    window.window.resize(720, 560)
    starter = window.window.parts.welcome.starter
    starter.start.click()
    program.qtbot.waitUntil(lambda: "of 98 MB" in starter._progress.text())
    for code in ("en", "zh_CN"):
        window.look.language.use(code)
        assert starter._progress.width() >= 2 * starter._progress.sizeHint().width()
    starter.stop.click()
    program.qtbot.waitUntil(lambda: not starter.start.isHidden())


def test_a_starter_that_is_not_there_yet_opens_the_first_page_at_once(
    program: Program, tmp_path: Path
) -> None:
    window = program.start(first_model=tmp_path / "starter.gguf", is_known=False)
    assert window.window.page == "welcome"  # before anything was looked for
    assert not window.shelf.is_known


def test_who_has_gone_elsewhere_is_not_led_back_when_no_model_is_found(program: Program) -> None:
    window = program.start()
    window.window.show_page("models")
    window.model_on_screen.begin(None)  # as at the start: the scan decides what is shown
    program.qtbot.waitUntil(lambda: not window.shelf.is_scanning)
    assert window.window.page == "models"


def test_a_failed_fetch_says_why_and_can_be_tried_again(program: Program, shelves: Shelves) -> None:
    shelves.fetch_fault = Fault(FaultKind.NETWORK_UNREACHABLE, {"host": "pypi.org"})
    window = program.start()
    starter = window.window.parts.welcome.starter
    starter.start.click()
    program.qtbot.waitUntil(lambda: "pypi.org cannot be reached" in starter._wrong.text())
    shelves.fetch_fault = None
    starter.start.click()
    program.qtbot.waitUntil(lambda: window.model.state.phase is ModelPhase.READY)


# --- which model is loaded ------------------------------------------------------------------------


def test_the_only_model_is_loaded_by_itself(program: Program, shelves: Shelves) -> None:
    path = shelves.add("only")
    window = program.start()
    program.qtbot.waitUntil(lambda: window.model.state.phase is ModelPhase.READY)
    assert window.model.state.path == path


def test_of_several_models_none_is_loaded_unasked_but_the_last_one(
    program: Program, shelves: Shelves
) -> None:
    shelves.add("a")
    second = shelves.add("b")
    window = program.start()
    assert window.model.state.phase is ModelPhase.NONE
    assert "2 models" in window.window.parts.welcome.files.about.text()
    window.deeds.load(second)
    program.qtbot.waitUntil(lambda: window.model.state.phase is ModelPhase.READY)
    program.end()
    window = program.start()
    program.qtbot.waitUntil(lambda: window.model.state.phase is ModelPhase.READY)
    assert window.model.state.path == second


def test_D7_a_model_in_a_folder_with_chinese_and_spaces_is_loaded(
    program: Program, shelves: Shelves
) -> None:
    shelves.folder = shelves.folder / "資料 測試 檔"
    path = shelves.add("模型 一號")
    window = program.start()
    window.deeds.open_path(str(path))
    program.qtbot.waitUntil(lambda: window.model.state.phase is ModelPhase.READY)
    picker = window.window.parts.chat.header.picker
    assert picker.accessibleName() == "Model: 模型 一號, 4-bit · 98 MB"


def test_a_model_that_cannot_be_loaded_is_a_notice_with_a_remedy(
    program: Program, shelves: Shelves
) -> None:
    fault = Fault(
        FaultKind.MEMORY_SHORT,
        {"needed": 10_800_000_000, "free": 6_100_000_000, "context": 8192},
    )
    path = shelves.add("big")
    window = program.start(ScriptedRunner(loads=[LoadScript(fault=fault)]), path)
    notices = window.window.notices
    program.qtbot.waitUntil(lambda: notices.keys() == ["model"])
    assert "needs 10.8 GB; 6.10 GB is free" in notices._bars["model"].accessibleName()
    notices._bars["model"]._button.click()  # "Use 4,096"
    program.qtbot.waitUntil(lambda: window.model.state.phase is ModelPhase.READY)
    loads = [command for command in program.runner.commands if isinstance(command, Load)]
    assert [load.settings.context for load in loads] == [None, 4096]
    assert notices.keys() == []


def test_a_chosen_file_that_is_no_model_says_so(program: Program, shelves: Shelves) -> None:
    path = Path("/downloads/picture.onnx")
    fault = Fault(FaultKind.FORMAT_UNSUPPORTED, {"path": str(path), "format": "ONNX"})
    shelves.broken.append(Found(path, fault=fault))
    window = program.start()
    window.deeds.open_path(str(path))
    program.qtbot.waitUntil(lambda: "model" in window.window.notices.keys())  # noqa: SIM118
    said = window.window.notices._bars["model"].accessibleName()
    assert said.startswith("picture.onnx is not a model file that can be read.")


def test_the_model_is_swapped_and_its_memory_freed_from_the_picker(
    program: Program, shelves: Shelves
) -> None:
    window = program.start_ready()
    other = shelves.add("other")
    picker = window.window.parts.chat.header.picker
    picker.model_chosen.emit(other)
    program.qtbot.waitUntil(
        lambda: window.model.state.phase is ModelPhase.READY and window.model.state.path == other
    )
    picker.unload_requested.emit()
    program.qtbot.waitUntil(lambda: window.model.state.phase is ModelPhase.NONE)
    assert isinstance(program.runner.commands[-1], Unload)


# --- talking --------------------------------------------------------------------------------------


def test_a_question_is_answered_and_its_figures_are_shown(program: Program) -> None:
    window = program.start_ready(ScriptedRunner([Reply("In **17 years** and 8 months.")]))
    ask(window, "When do savings double?")
    await_reply(program, window, 2)
    assert contents(window)[1] == "In **17 years** and 8 months."
    status = window.window.parts.status
    assert status._speed is not None
    assert status._first_word_s is not None
    assert status._used > 0
    assert window.window.parts.chat.transcript.isVisible()
    assert window.window.parts.sidebar.rows.rowCount() == 2  # a heading and the chat


def test_sending_without_a_model_keeps_the_text_and_says_what_to_do(
    program: Program, shelves: Shelves
) -> None:
    shelves.add("a")
    shelves.add("b")
    window = program.start()
    window.window.show_page("chat")
    ask(window, "hello")
    assert window.window.parts.chat.box.text() == "hello"
    assert window.window.notices.keys() == ["model"]
    assert contents(window) == []


def test_a_question_asked_while_the_model_loads_is_answered_when_it_is_there(
    program: Program, shelves: Shelves
) -> None:
    path = shelves.add("slow")
    window = program.start(ScriptedRunner(loads=[LoadScript(steps=40)]), path)
    ask(window, "hello")
    await_reply(program, window, 2)
    assert contents(window)[1] == "A scripted reply."


def test_escape_stops_a_reply_and_keeps_its_text(program: Program) -> None:
    runner = ScriptedRunner([Reply("some words", endless=True)], tokens_per_second=200)
    window = program.start_ready(runner)
    ask(window, "go on")
    program.qtbot.waitUntil(lambda: len(contents(window)) == 2 and len(contents(window)[1]) > 20)
    QTest.keyClick(window.window, Qt.Key.Key_Escape)
    await_reply(program, window, 2)
    session = window.window.parts.chat.session
    assert session is not None
    assert session.path()[1].state is TurnState.STOPPED
    assert contents(window)[1].startswith("some words")


def test_enter_while_a_reply_runs_queues_the_next_question(program: Program) -> None:
    replies = [Reply("one two three four five six"), Reply("second")]
    window = program.start_ready(ScriptedRunner(replies, tokens_per_second=60))
    ask(window, "first?")
    program.qtbot.waitUntil(lambda: not is_idle(window))
    ask(window, "second?")
    assert window.window.parts.chat.box.queue.isVisible()
    await_reply(program, window, 4)
    assert contents(window) == ["first?", "one two three four five six", "second?", "second"]
    assert not window.window.parts.chat.box.queue.isVisible()


def test_a_broken_reply_can_be_tried_again_where_it_broke(program: Program) -> None:
    broken = Reply("half", fault=Fault(FaultKind.BUSY, {"waiting": 9, "limit": 8}))
    window = program.start_ready(ScriptedRunner([broken, Reply("whole")]))
    ask(window, "hello")
    await_reply(program, window, 2)
    session = window.window.parts.chat.session
    assert session is not None
    assert session.path()[1].state is TurnState.FAILED
    window.window.parts.chat.transcript.fault_action_requested.emit(session.path()[1].id, False)
    program.qtbot.waitUntil(lambda: contents(window)[-1:] == ["whole"] and is_idle(window))


def test_S11_a_question_that_is_too_long_is_edited_from_its_fault(program: Program) -> None:
    refused = Reply("", fault=Fault(FaultKind.PROMPT_TOO_LONG, {"tokens": 67921, "context": 8192}))
    window = program.start_ready(ScriptedRunner([refused, Reply("short")]))
    ask(window, "a very long question")
    await_reply(program, window, 2)
    page = window.window.parts.chat
    assert page.session is not None
    question, broken = page.session.path()
    page.transcript.fault_action_requested.emit(broken.id, False)
    field = window.window.focusWidget()
    assert isinstance(field, QPlainTextEdit)
    assert field.toPlainText() == question.content
    field.setPlainText("a question")
    QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    program.qtbot.waitUntil(lambda: contents(window) == ["a question", "short"] and is_idle(window))


def test_turns_that_no_longer_fit_are_announced(program: Program) -> None:
    window = program.start_ready(ScriptedRunner([Reply("ok", left_out_turns=2)]))
    ask(window, "hello")
    await_reply(program, window, 2)
    assert window.window.notices.keys() == ["turns-left-out"]
    said = window.window.notices._bars["turns-left-out"].accessibleName()
    assert said.startswith("The 2 oldest turns no longer fit. Nothing was deleted.")


# --- chats ----------------------------------------------------------------------------------------


def test_each_chat_keeps_its_own_draft(program: Program) -> None:
    window = program.start_ready()
    ask(window, "first chat")
    await_reply(program, window, 2)
    first = window.deeds.open_chat
    box = window.window.parts.chat.box
    box.say("unsent in the first")
    window.chats_on_screen.new()
    assert box.text() == ""
    box.say("unsent in the new")
    assert first is not None
    window.chats_on_screen.open(first)
    assert box.text() == "unsent in the first"
    program.end()
    window = program.start()
    assert window.deeds.open_chat == first
    assert window.window.parts.chat.box.text() == "unsent in the first"


def test_a_deleted_chat_comes_back_with_undo(program: Program) -> None:
    window = program.start_ready()
    ask(window, "keep me")
    await_reply(program, window, 2)
    chat = window.deeds.open_chat
    window.list_on_screen.delete_open()
    assert window.chats.chats() == []
    assert window.deeds.open_chat != chat
    window.window.notices._bars["chat-deleted"]._button.click()
    assert [row.id for row in window.chats.chats()] == [chat]
    assert window.deeds.open_chat == chat
    assert contents(window)[0] == "keep me"


def test_M21_a_title_with_tags_is_shown_as_text(program: Program) -> None:
    window = program.start_ready()
    ask(window, "hello")
    await_reply(program, window, 2)
    tags = "<img src=x onerror=alert(1)> [x](javascript:alert(1))"
    assert window.deeds.open_chat is not None
    window.chats.rename(window.deeds.open_chat, tags)
    header = window.window.parts.chat.header.title
    assert header.text() == tags
    assert header._label.textFormat() is Qt.TextFormat.PlainText


def test_a_new_title_is_in_the_head_and_in_the_window(program: Program) -> None:
    window = program.start_ready()
    ask(window, "hello")
    await_reply(program, window, 2)
    window.chats_on_screen.rename_open()
    field = window.window.parts.chat.header.title._field
    field.setText("Savings")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert window.window.parts.chat.header.title.text() == "Savings"
    assert window.window.windowTitle() == "Savings — Inkstone"
    assert window.chats.chats()[0].title == "Savings"


# --- settings and the end -------------------------------------------------------------------------


@pytest.mark.parametrize(("code", "title"), [("zh_CN", "设置"), ("zh_TW", "設定")])
def test_language_and_theme_change_at_once_and_are_kept(
    program: Program, code: str, title: str
) -> None:
    window = program.start_ready()
    page = window.window.parts.settings
    page.control("language").choose(code)
    page.control("theme").choose("dark")
    assert window.look.language.code == code
    assert title in {label.text() for label in page.findChildren(QLabel)}
    assert window.look.theme.name == "dark"
    program.end()
    window = program.start()
    assert (window.look.language.code, window.look.theme.name) == (code, "dark")


@pytest.mark.parametrize("seconds", [20.0])  # the reply itself would never end
def test_closing_while_a_reply_streams_ends_soon_and_keeps_its_text(
    program: Program, seconds: float
) -> None:
    runner = ScriptedRunner([Reply("some words", endless=True)], tokens_per_second=100)
    window = program.start_ready(runner)
    ask(window, "go on")
    program.qtbot.waitUntil(lambda: len(contents(window)) == 2 and len(contents(window)[1]) > 20)
    begin = time.monotonic()
    program.end()
    assert time.monotonic() - begin < seconds
    assert runner.is_closed
    window = program.start()
    assert contents(window)[1].startswith("some words")
    session = window.window.parts.chat.session
    assert session is not None
    assert session.path()[1].state is TurnState.INTERRUPTED


def test_the_window_comes_back_where_it_was(program: Program) -> None:
    window = program.start_ready()
    window.window.resize(780, 650)  # the offscreen screen is 800 by 800
    window.window.parts.sidebar.set_full_width(300)
    program.end()
    window = program.start()
    assert (window.window.width(), window.window.height()) == (780, 650)
    assert window.window.parts.sidebar.full_width == 300


def test_the_engines_commands_carry_the_whole_conversation(program: Program) -> None:
    window = program.start_ready()
    ask(window, "one")
    await_reply(program, window, 2)
    ask(window, "two")
    await_reply(program, window, 4)
    asked = [command for command in program.runner.commands if isinstance(command, Generate)]
    assert [message.content for message in asked[-1].messages] == [
        "one",
        "A scripted reply.",
        "two",
    ]


def test_the_last_reply_is_copied_as_markdown(program: Program) -> None:
    window = program.start_ready(ScriptedRunner([Reply("**bold** text")]))
    ask(window, "hello")
    await_reply(program, window, 2)
    window.chats_on_screen.copy_reply()
    assert QGuiApplication.clipboard().text() == "**bold** text"


def test_the_draft_and_the_context_are_counted_by_the_engine(program: Program) -> None:
    """The double counts a word as a token."""
    window = program.start_ready(ScriptedRunner([Reply("ok", prefill=40)]))
    box = window.window.parts.chat.box
    box.say("four words of draft")
    program.qtbot.waitUntil(lambda: box._left.text() == "Draft 4 tokens · 2,044 left")
    ask(window, "a question")
    await_reply(program, window, 2)
    program.qtbot.waitUntil(lambda: box._left.text() == "2,007 tokens left")
    box.say("six words that the model said")
    box.otherwise.add_wanted.emit(Role.ASSISTANT)
    words = 2 + 1 + 6  # question, answer, what was added
    program.qtbot.waitUntil(lambda: box._left.text() == f"{2048 - words:,} tokens left")


def test_a_chat_has_its_own_preset_thinking_and_instructions(program: Program) -> None:
    window = program.start_ready(ScriptedRunner(loads=[LoadScript(can_think=True)]))
    options = window.window.parts.chat.box.options
    assert options.thinking.isVisible()
    options.preset._choose("precise")
    options.thinking._choose("off")
    options._on_instructions_written("Answer in rhymes.")
    ask(window, "hello")
    await_reply(program, window, 2)
    asked = next(c for c in program.runner.commands if isinstance(c, Generate))
    assert asked.settings.sampling is not None
    assert asked.settings.sampling.temperature == 0
    assert asked.thinking is Thinking.OFF
    assert asked.messages[0].content == "Answer in rhymes."
    window.chats_on_screen.new()
    assert options.preset.value == "balanced"
    assert not options.instructions.isVisible()
    first = window.chats.chats()[0].id
    window.chats_on_screen.open(first)
    assert options.preset.value == "precise"
    assert options.instructions.isVisible()


def test_instructions_are_written_in_a_dialog(program: Program) -> None:
    window = program.start_ready()
    options = window.window.parts.chat.box.options
    options.edit_instructions()
    dialog = window.window.findChild(InstructionsDialog)
    assert isinstance(dialog, InstructionsDialog)
    dialog.field.setPlainText(" Be brief. ")
    dialog.keep.click()
    session = window.window.parts.chat.session
    assert session is not None
    assert session.options.system == "Be brief."
