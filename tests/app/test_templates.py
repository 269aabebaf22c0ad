"""Prompts in the whole window: a slash offers them, variables are asked for, they are kept."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.application import Application
from app.chat.templates import Template, file_of
from app.ui.message_field import MessageField
from app.ui.question import QuestionDialog
from app.ui.templates.asking import VariablesDialog
from app.ui.templates.editor import TemplatesDialog
from app.ui.templates.popup import TemplatePopup
from tests.app.conftest import Program
from tests.app.files import choose_file


def parts(window: Application) -> tuple[MessageField, TemplatePopup]:
    return window.window.parts.chat.box.field, window.templates_on_screen.popup


def rows(popup: TemplatePopup) -> list[str]:
    return [popup.list.item(k).text().partition("   ")[0] for k in range(popup.list.count())]


def found(window: Application, kind: type) -> list[object]:
    return [each for each in window.window.findChildren(kind) if each.isVisible()]


def test_a_slash_offers_the_prompts_and_letters_choose_among_them(program: Program) -> None:
    field, popup = parts(program.start_ready())
    QTest.keyClicks(field, "/")
    assert popup.isVisible()
    assert rows(popup) == ["/explain code", "/rewrite", "/summarise", "/translate", "Edit prompts…"]
    QTest.keyClicks(field, "su")
    assert rows(popup) == ["/summarise"]
    QTest.keyClicks(field, "x")
    assert not popup.isVisible()
    QTest.keyClick(field, Qt.Key.Key_Backspace)
    assert popup.isVisible()
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert not popup.isVisible()
    QTest.keyClicks(field, "m")
    assert not popup.isVisible()
    assert field.toPlainText() == "/sum"


def test_a_slash_inside_a_message_or_a_path_offers_nothing(program: Program) -> None:
    field, popup = parts(program.start_ready())
    for text in ("and/or", "/usr/share/doc", "/\nnext", " /"):
        field.say(text)
        assert not popup.isVisible(), text


def test_the_variables_are_asked_for_in_turn_and_the_prompt_can_be_undone(
    program: Program,
) -> None:
    window = program.start_ready()
    field, popup = parts(window)
    QTest.keyClicks(field, "/")
    QTest.keyClick(field, Qt.Key.Key_Up)
    QTest.keyClick(field, Qt.Key.Key_Up)
    assert popup.list.currentItem().text().startswith("/translate")
    QTest.keyClick(field, Qt.Key.Key_Return)
    (dialog,) = found(window, VariablesDialog)
    assert isinstance(dialog, VariablesDialog)
    assert dialog.field.accessibleName() == "language"
    dialog.field.setPlainText("German")
    dialog.go_on.click()
    assert dialog.field.accessibleName() == "text"
    dialog.back.click()
    assert dialog.field.toPlainText() == "German"
    dialog.go_on.click()
    dialog.field.setPlainText("{{language}} stays")
    dialog.go_on.click()
    assert field.toPlainText() == (
        "Translate into German. Keep names, numbers and the layout.\n\n{{language}} stays"
    )
    assert not popup.isVisible()
    field.undo()
    assert field.toPlainText() == "/"


def test_I1_enter_belongs_to_the_input_method_while_it_composes(program: Program) -> None:
    field, popup = parts(program.start_ready())
    QTest.keyClicks(field, "/")
    QApplication.sendEvent(field, QInputMethodEvent("fan", []))
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert popup.isVisible()
    commit = QInputMethodEvent("", [])
    commit.setCommitString("翻")
    QApplication.sendEvent(field, commit)
    assert field.toPlainText() == "/翻"


def test_ones_own_prompt_is_written_kept_used_and_deleted(program: Program) -> None:
    window = program.start_ready()
    field, popup = parts(window)
    QTest.keyClicks(field, "/")
    QTest.keyClick(field, Qt.Key.Key_Up)
    QTest.keyClick(field, Qt.Key.Key_Return)
    (dialog,) = found(window, TemplatesDialog)
    assert isinstance(dialog, TemplatesDialog)
    assert field.toPlainText() == ""
    dialog.new.click()
    assert not dialog.keep.isEnabled()
    dialog.name.setText("standup")
    dialog.text.setPlainText("What did I do?\nBe brief.")
    dialog.keep.click()
    dialog.name.setText("daily")
    dialog.keep.click()
    dialog.accept()
    program.end()
    window = program.start()
    window.window.show_page("chat")
    field, popup = parts(window)
    QTest.keyClicks(field, "/")
    assert rows(popup)[0] == "/daily"
    assert "/standup" not in rows(popup)
    QTest.keyClick(field, Qt.Key.Key_Tab)
    assert field.toPlainText() == "What did I do?\nBe brief."
    window.templates_on_screen.edit()
    (dialog,) = found(window, TemplatesDialog)
    assert isinstance(dialog, TemplatesDialog)
    dialog.delete.click()
    assert window.settings.settings.templates == ()


def test_a_prompt_of_the_program_is_changed_into_ones_own_and_back(program: Program) -> None:
    window = program.start_ready()
    window.templates_on_screen.edit()
    (dialog,) = found(window, TemplatesDialog)
    assert isinstance(dialog, TemplatesDialog)
    names = [each.name for each in dialog._shown]
    dialog.list.setCurrentRow(names.index("rewrite"))
    assert not dialog.delete.isEnabled()
    dialog.text.setPlainText("Say it shorter: {{text}}")
    dialog.keep.click()
    assert window.settings.settings.templates == ("rewrite\nSay it shorter: {{text}}",)
    assert len(dialog._shown) == len(names)
    dialog.delete.click()
    assert [each.name for each in dialog._shown] == names
    assert window.settings.settings.templates == ()


def test_prompts_are_carried_as_a_file(program: Program, tmp_path: Path) -> None:
    window = program.start_ready()
    window.settings.change(templates=("standup\nWhat did {{name}} do?", "信\n写一封信"))
    window.window.show_page("settings")
    window.window.parts.settings.library.prompts.click()
    (dialog,) = found(window, TemplatesDialog)
    assert isinstance(dialog, TemplatesDialog)
    file = tmp_path / "prompts.json"
    choose_file(program, dialog, dialog.carry, file)
    program.qtbot.waitUntil(lambda: "prompts.json" in dialog.said.text())
    kept = window.settings.settings.templates
    for _ in kept:
        dialog.list.setCurrentRow(0)
        dialog.delete.click()
    assert window.settings.settings.templates == ()
    assert not dialog.carry.isEnabled()
    choose_file(program, dialog, dialog.bring, file)
    program.qtbot.waitUntil(lambda: "2 prompts were taken over" in dialog.said.text())
    assert window.settings.settings.templates == kept
    assert "/standup" in [f"/{each.name}" for each in dialog._shown]


@pytest.mark.parametrize(("answer", "kept"), [
    (0, ["a\nmine", "b\nfile b", "A 2\nfile a"]),
    (1, ["A\nfile a", "b\nfile b"]),
    (-1, ["a\nmine"]),
])  # fmt: skip
def test_a_prompt_whose_name_is_taken_is_asked_about(
    program: Program, answer: int, kept: list[str]
) -> None:
    window = program.start_ready()
    window.settings.change(templates=("a\nmine",))
    window.templates_on_screen.edit()
    (dialog,) = found(window, TemplatesDialog)
    assert isinstance(dialog, TemplatesDialog)
    dialog.take(file_of([Template("b", "file b"), Template("A", "file a")]))
    (question,) = dialog.findChildren(QuestionDialog)
    assert "“A”" in question.windowTitle()
    (question.answers[answer] if answer >= 0 else question.cancel).click()
    assert sorted(window.settings.settings.templates) == sorted(kept)
