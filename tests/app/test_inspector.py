"""The inspector in the whole window with a scripted engine: open, look, branch, close."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QAbstractScrollArea, QFileDialog

from app.application import Application
from app.chat.inspection import PAGE, candidates_of
from app.chat.turn import Turn
from app.ui.inspector.panel import InspectorPanel
from app.ui.sidebar import RAIL
from engine.contract import Channel, Generate, Inspect, ReadPrompt, Sampling
from tests.app.conftest import Program
from tests.app.test_application import ask, await_reply
from tests.doubles.engines import Reply, ScriptedRunner

CTRL = Qt.KeyboardModifier.ControlModifier


def panel_of(window: Application) -> InspectorPanel:
    panel = window.window.parts.built_inspector
    assert panel is not None
    return panel


def last(window: Application) -> Turn:
    session = window.window.parts.chat.session
    assert session is not None
    return session.path()[-1]


def start(program: Program, *replies: Reply, is_open: bool = True) -> Application:
    window = program.start_ready(ScriptedRunner(replies))
    if is_open:
        QTest.keyClick(window.window, Qt.Key.Key_I, CTRL)
    return window


def shown_tokens(window: Application) -> int:
    return len(panel_of(window).answer.tokens._cells)


def words(window: Application) -> str:
    absence = panel_of(window).absence
    return "" if absence.isHidden() else absence._words.text()


def asked(program: Program) -> list[Generate]:
    return [command for command in program.runner.commands if isinstance(command, Generate)]


def test_the_key_opens_it_beside_the_chat_and_closes_it_again(program: Program) -> None:
    window = start(program)
    panel, page = panel_of(window), window.window.parts.chat
    assert panel.isVisible()
    program.qtbot.waitUntil(lambda: panel.geometry().left() == right_of(window) + 1)
    assert window.window.parts.sidebar.is_rail
    assert page.header.inspect.isChecked()
    QTest.keyClick(window.window, Qt.Key.Key_I, CTRL)
    program.qtbot.waitUntil(lambda: not panel.isVisible())
    assert not page.header.inspect.isChecked()
    assert not window.window.parts.sidebar.is_rail


def right_of(window: Application) -> int:
    """The last column of pixels that the chat has."""
    page = window.window.parts.chat
    return page.mapTo(window.window, page.rect().topRight()).x()


def test_it_slides_in_and_out_while_the_chat_is_laid_out_once(program: Program) -> None:
    window = start(program, is_open=False)
    page, wide = window.window.parts.chat, window.window.parts.chat.width()
    widths: list[int] = []
    window.inspector_on_screen.toggle()
    panel = panel_of(window)
    assert panel.x() == window.window.width(), "it begins outside the window"
    opened = page.width()
    places: list[int] = []
    while panel.x() != right_of(window) + 1:
        program.qtbot.wait(5)
        places.append(panel.x())
        widths.append(page.width())
    assert set(widths) == {opened}
    assert places == sorted(places, reverse=True)
    window.inspector_on_screen.toggle()
    assert panel.isVisible()
    assert window.window.focusWidget() is page.box.field, "not what is on its way out"
    program.qtbot.waitUntil(lambda: not panel.isVisible())
    program.qtbot.waitUntil(lambda: page.width() == wide)


def test_without_motion_it_is_there_and_gone_at_once(program: Program) -> None:
    window = start(program, is_open=False)
    window.settings.change(reduce_motion=True)
    window.settings_on_screen._on_changed("reduce_motion")
    window.inspector_on_screen.toggle()
    panel = panel_of(window)
    assert panel.isVisible()
    assert panel.x() == right_of(window) + 1
    assert window.window.parts.sidebar.wanted_width == RAIL
    window.inspector_on_screen.toggle()
    assert not panel.isVisible()


def test_it_turns_round_where_it_is(program: Program) -> None:
    window = start(program, is_open=False)
    window.inspector_on_screen.toggle()
    panel = panel_of(window)
    program.qtbot.waitUntil(lambda: panel.x() < window.window.width())
    window.inspector_on_screen.toggle()
    window.inspector_on_screen.toggle()
    assert panel.isVisible()
    program.qtbot.waitUntil(lambda: panel.x() == right_of(window) + 1)
    assert panel.isVisible()


def test_it_costs_nothing_while_it_is_closed(program: Program) -> None:
    window = start(program, is_open=False)
    ask(window, "Hello?")
    await_reply(program, window, 2)
    assert window.window.parts.built_inspector is None
    assert asked(program)[0].settings.alternatives == 0


def test_every_token_of_the_reply_is_there_thought_included(program: Program) -> None:
    thought = ((Channel.REASONING, "hm "),)
    window = start(program, Reply("Three little words", pieces=thought))
    ask(window, "Hello?")
    await_reply(program, window, 2)
    program.qtbot.waitUntil(lambda: shown_tokens(window) == 4)
    answer = panel_of(window).answer
    assert answer.stages.isVisible()
    QTest.keyClick(answer.tokens, Qt.Key.Key_Home)
    assert answer.detail.isVisible()
    assert "hm" in answer.tokens.accessibleName()
    assert words(window) == ""


def test_a_click_on_an_alternative_makes_a_version_that_begins_with_it(program: Program) -> None:
    window = start(program, Reply("One two three"), Reply("and more"))
    ask(window, "Count.")
    await_reply(program, window, 2)
    program.qtbot.waitUntil(lambda: shown_tokens(window) == 3)
    first, answer = last(window), panel_of(window).answer
    QTest.keyClick(answer.tokens, Qt.Key.Key_Home)
    QTest.keyClick(answer.tokens, Qt.Key.Key_Right)
    rows = answer.detail.candidates
    place = rows.visualRect(rows.model().index(2, 0)).center()
    QTest.mouseClick(rows.viewport(), Qt.MouseButton.LeftButton, pos=place)
    program.qtbot.waitUntil(lambda: last(window).id != first.id)
    await_reply(program, window, 2)
    seen = window.inspections.of(first.id)
    assert seen is not None
    other = candidates_of(seen.tokens[1])[2]
    assert asked(program)[1].begins_with == (seen.tokens[0].id, other.id)
    assert (last(window).version, last(window).versions) == (2, 2)
    program.qtbot.waitUntil(lambda: shown_tokens(window) == 4)


def test_the_chosen_token_itself_is_no_alternative(program: Program) -> None:
    window = start(program, Reply("One two"))
    ask(window, "Count.")
    await_reply(program, window, 2)
    program.qtbot.waitUntil(lambda: shown_tokens(window) == 2)
    answer = panel_of(window).answer
    QTest.keyClick(answer.tokens, Qt.Key.Key_Home)
    QTest.keyClick(answer.tokens, Qt.Key.Key_Return)
    assert window.window.focusWidget() is answer.detail.candidates
    QTest.keyClick(answer.detail.candidates, Qt.Key.Key_Return)
    program.qtbot.wait(20)
    assert len(asked(program)) == 1
    QTest.keyClick(answer.detail.candidates, Qt.Key.Key_Down)
    QTest.keyClick(answer.detail.candidates, Qt.Key.Key_Return)
    await_reply(program, window, 2)
    assert len(asked(program)) == 2


def test_the_tokens_of_another_model_lead_nowhere(program: Program) -> None:
    window = start(program, Reply("One two"))
    ask(window, "Count.")
    await_reply(program, window, 2)
    program.qtbot.waitUntil(lambda: shown_tokens(window) == 2)
    detail = panel_of(window).answer.detail
    QTest.keyClick(panel_of(window).answer.tokens, Qt.Key.Key_Home)
    assert not detail.instead.isHidden()
    window.model.load(program.shelves.add("Another"))
    program.qtbot.waitUntil(detail.instead.isHidden)
    program.qtbot.waitUntil(lambda: window.model.state.loaded is not None)
    detail.candidates.setCurrentIndex(detail.candidates.model().index(1, 0))
    QTest.keyClick(detail.candidates, Qt.Key.Key_Return)
    program.qtbot.wait(20)
    assert len(asked(program)) == 1


def test_a_reply_made_unseen_is_inspected_when_asked(program: Program) -> None:
    window = start(program, Reply("Made unseen."), is_open=False)
    program.runner.inspected = Reply("Made unseen.")
    ask(window, "Hello?")
    await_reply(program, window, 2)
    window.window.parts.chat.transcript.inspect_requested.emit(last(window).id)
    assert panel_of(window).isVisible()
    assert "Nobody looked" in words(window)
    panel_of(window).absence.look_back.click()
    program.qtbot.waitUntil(lambda: shown_tokens(window) == 2)
    assert isinstance(program.runner.commands[-1], Inspect)
    program.qtbot.waitUntil(lambda: "afterwards" in words(window))


def test_the_prompt_comes_by_pages_the_last_one_first(program: Program) -> None:
    window = start(program, Reply("Yes.", prefill=PAGE + 30, reused=PAGE))
    ask(window, "Hello?")
    await_reply(program, window, 2)
    panel = panel_of(window)
    assert not any(isinstance(command, ReadPrompt) for command in program.runner.commands)
    panel.open_page(1)
    program.qtbot.waitUntil(lambda: len(panel.prompt.tokens._cells) == 30)
    assert panel.prompt._range.text() == "Tokens 513 to 542 of 542"
    assert not panel.prompt.after.isEnabled()
    panel.prompt.before.click()
    program.qtbot.waitUntil(lambda: len(panel.prompt.tokens._cells) == PAGE)
    QTest.keyClick(panel.prompt.tokens, Qt.Key.Key_Home)
    assert "reused" in panel.prompt._one.text()


def test_a_model_without_odds_is_said_to_be_one(program: Program) -> None:
    window = start(program, Reply("Only text", is_traced=False))
    ask(window, "Hello?")
    await_reply(program, window, 2)
    program.qtbot.waitUntil(lambda: "no odds" in words(window))


def test_why_there_is_nothing_to_see(program: Program) -> None:
    window = start(program, Reply("Unseen", lingers=True), is_open=False)
    ask(window, "Hello?")
    program.qtbot.waitUntil(lambda: "Unseen" in last(window).content)
    window.inspector_on_screen.toggle()
    assert "began while" in words(window)
    window.window.parts.chat.stop()
    await_reply(program, window, 2)
    program.qtbot.waitUntil(lambda: "Nobody looked" in words(window))
    other = program.shelves.add("Another")
    window.model.load(other)
    program.qtbot.waitUntil(lambda: "Another model" in words(window))


def test_it_is_remembered_and_a_drawer_in_a_narrow_window(program: Program) -> None:
    window = start(program)
    program.end()
    window = program.start_ready()
    panel = panel_of(window)
    assert panel.isVisible()
    window.window.resize(760, 700)
    program.qtbot.waitUntil(lambda: window.window.width() == 760)
    page = window.window.parts.chat
    assert page.mapTo(window.window, page.rect().topRight()).x() > panel.geometry().left()
    QTest.keyClick(window.window, Qt.Key.Key_Escape)
    program.qtbot.waitUntil(lambda: not panel.isVisible())


def test_it_hides_with_the_chat_and_comes_back_with_it(program: Program) -> None:
    window = start(program)
    window.window.show_page("settings")
    assert not panel_of(window).isVisible()
    window.window.show_page("chat")
    assert panel_of(window).isVisible()


@pytest.mark.parametrize("page", [0, 1, 2])
def test_another_language_and_theme_reach_every_page(program: Program, page: int) -> None:
    window = start(program, Reply("One two"))
    ask(window, "Count.")
    await_reply(program, window, 2)
    panel_of(window).open_page(page)
    program.qtbot.wait(40)
    window.look.language.use("zh_CN")
    window.look.theme.use("dark", 1.3)
    assert panel_of(window)._title.text() == "这个回答是怎么来的"
    panel_of(window).grab()


def test_everything_in_it_has_a_name_in_both_languages(program: Program) -> None:
    window = start(program, Reply("One two"))
    ask(window, "Count.")
    await_reply(program, window, 2)
    panel = panel_of(window)
    program.qtbot.waitUntil(lambda: shown_tokens(window) == 2)
    QTest.keyClick(panel.answer.tokens, Qt.Key.Key_Home)
    for code in ("en", "zh_CN"):
        window.look.language.use(code)
        unnamed = [
            type(control).__name__
            for kind in (QAbstractButton, QAbstractScrollArea)
            for control in panel.findChildren(kind)
            if control.focusPolicy() & Qt.FocusPolicy.TabFocus
            and control.isVisibleTo(panel)
            and not (control.accessibleName() or getattr(control, "text", str)())
        ]
        assert unnamed == []


def test_everything_known_of_an_answer_is_saved_as_json_with_its_seed(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = start(program, Reply("Three little words"))
    session = window.window.parts.chat.session
    assert session is not None
    session.set_options(replace(session.options, sampling=Sampling(seed=42)))
    ask(window, "Hello?")
    await_reply(program, window, 2)
    panel = panel_of(window)
    program.qtbot.waitUntil(lambda: shown_tokens(window) == 3)
    assert "Seed 42: repeats this answer" in panel.answer._about.text()
    assert "One token took" in panel.answer._about.text()
    opened: list[QFileDialog] = []

    def show(dialog: QFileDialog) -> None:
        opened.append(dialog)

    monkeypatch.setattr(QFileDialog, "open", show)
    panel.save.click()
    target = tmp_path / "answer.json"
    opened[0].fileSelected.emit(str(target))
    program.qtbot.waitUntil(target.exists)
    held = json.loads(target.read_text("utf-8"))
    assert held["seed"] == 42
    assert "".join(token["text"] for token in held["answer"]) == "Three little words"
    assert held["answer"][0]["candidates"][0]["bytes"]
    assert held["timings_s"]["decode_s"] > 0
    program.qtbot.waitUntil(lambda: "file-saved" in window.window.notices._bars)


def test_a_file_that_cannot_be_written_is_a_sentence(program: Program, tmp_path: Path) -> None:
    window = start(program, Reply("```python\nprint(1)\n```"))
    ask(window, "Hello?")
    await_reply(program, window, 2)
    (tmp_path / "folder").write_text("in the way")
    saving = window.inspector_on_screen._saving
    saving.write("print(1)\n", tmp_path / "folder" / "code.py")
    program.qtbot.waitUntil(lambda: "file-saved" in window.window.notices._bars)
    said = window.window.notices._bars["file-saved"].accessibleName()
    assert said.startswith("code.py was not saved.")
