"""Letters of the main controls in the whole window: none twice, each uses its control."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog

from app.application import Application
from app.chat.attachment import Attachment
from app.documents import Document, DocumentKind, Part
from app.ui.attachments.choosing import FitDialog
from app.ui.attachments.draft_file import DraftFile
from app.ui.attachments.password import PasswordDialog
from app.ui.attachments.preview import PreviewDialog
from app.ui.attachments.uncounted import UncountedDialog
from app.ui.buttons import Button
from app.ui.chat_settings.bar import ChatOptionsBar
from app.ui.key_sheet import KeySheet, open_key_sheet
from app.ui.letters import HAS_LETTERS, Letters
from app.ui.question import Answer, QuestionDialog
from tests.app.conftest import Program
from tests.app.test_application import ask, await_reply
from tests.doubles.engines import Reply, ScriptedRunner
from tests.scenes_remote import open_form

ALT = Qt.KeyboardModifier.AltModifier
EXPECTED = {
    "N": "New chat",
    "T": "New temporary chat",
    "S": "Search chats",
    "M": "Models",
    "B": "Benchmark",
    "L": "Local server",
    "O": "Monitor",
    "E": "Settings",
}

pytestmark = pytest.mark.skipif(not HAS_LETTERS, reason="Alt types characters here")


def press(window: Application, letter: str) -> None:
    """Press Alt and a letter where one writes."""
    field = window.window.parts.chat.box.field
    QTest.keyClick(field, Qt.Key(ord(letter)), ALT)


@pytest.mark.parametrize("code", ["en", "zh_CN"])
def test_each_main_control_has_a_letter_of_its_own_full_and_folded(
    program: Program, code: str
) -> None:
    window = program.start_ready()
    shown = {letter: each.accessibleName() for letter, each in letters(window).shown().items()}
    assert EXPECTED.items() <= shown.items()
    window.look.language.use(code)
    window.window.parts.sidebar.set_folded(True, animated=False)
    in_rail = letters(window).shown()
    assert set(in_rail) >= set(EXPECTED) - {"T"}
    assert {"T"} & set(in_rail) == set(), "what cannot be seen has no letter"
    assert all(each.accessibleName().strip() for each in in_rail.values())


def letters(window: Application) -> Letters:
    return window.window.letters


def test_alt_and_a_letter_opens_a_page_from_the_message_box_and_writes_nothing(
    program: Program,
) -> None:
    window = program.start_ready()
    for letter, page in (("M", "models"), ("B", "benchmark"), ("E", "settings")):
        window.window.go_to_message()
        press(window, letter)
        program.qtbot.waitUntil(lambda page=page: window.window.page == page)  # type: ignore[misc]
    window.window.go_to_message()
    press(window, "S")
    program.qtbot.waitUntil(window.window.parts.sidebar.search.hasFocus)
    assert window.window.parts.chat.box.text() == ""


def test_a_letter_works_in_another_language_and_after_it_was_changed(program: Program) -> None:
    window = program.start_ready(ScriptedRunner([Reply("Yes.")]))
    ask(window, "Hello?")
    await_reply(program, window, 2)
    window.look.language.use("zh_CN")
    press(window, "N")
    session = window.window.parts.chat.session
    program.qtbot.waitUntil(lambda: window.window.parts.chat.session is not session)


def test_the_caps_show_while_alt_is_held_and_go_with_it(program: Program) -> None:
    window = program.start_ready()
    handle = window.window.windowHandle()
    QTest.keyPress(handle, Qt.Key.Key_Alt)
    program.qtbot.waitUntil(letters(window).isVisible)
    assert {letter for letter, _ in letters(window)._places()} >= set(EXPECTED)
    assert letters(window).grab().toImage().isNull() is False
    QTest.keyRelease(handle, Qt.Key.Key_Alt)
    assert not letters(window).isVisible()
    QTest.keyPress(handle, Qt.Key.Key_Alt)
    program.qtbot.waitUntil(letters(window).isVisible)
    QTest.keyClick(handle, Qt.Key.Key_M, ALT)
    assert not letters(window).isVisible()


DIALOGS: dict[str, Callable[[Application], object]] = {
    "question": lambda w: QuestionDialog(
        w.look,
        "Which?",
        "More.",
        [Answer("restore-merge", dict), Answer("restore-replace", dict, "danger")],
        w.window,
    ).open(),
    "keys": lambda w: open_key_sheet(w.look, w.window),
    "uncounted": lambda w: UncountedDialog(w.look, ["note.txt"], w.window).open(),
    "templates": lambda w: w.templates_on_screen.edit(),
    "chat settings": lambda w: w.chat_settings.adjust(),
    "wipe": lambda w: w.chat_deeds.ask_to_wipe(),
    "presets": lambda w: w.chat_settings.manage(),
    "instructions": lambda w: box_options(w).edit_instructions(),
    "password": lambda w: PasswordDialog(w.look, "a.pdf", w.window, wrong=True).open(),
    "preview": lambda w: PreviewDialog(w.look, Attachment("a.txt", "text", "x"), w.window).open(),
    "fit": lambda w: FitDialog(w.look, _pages(), 90, "What?", w.window).open(),
    "remote": open_form,
    "licences": lambda w: w.surroundings.about.show_licences(),
    "model details": lambda w: w.window.parts.models.open_details(w.shelf.models[0]),
    "model settings": lambda w: w.model_settings.open(w.shelf.models[0]),
}


def box_options(window: Application) -> ChatOptionsBar:
    return window.window.parts.chat.box.options


def _pages() -> DraftFile:
    parts = tuple(Part(number, f"Words of page {number}.") for number in range(1, 4))
    document = Document("lease.pdf", DocumentKind.PDF, parts, 3)
    file = DraftFile(Path("lease.pdf"), "lease.pdf", document)
    file.attachment, file.full_tokens = Attachment("lease.pdf", "pdf", "words", tokens=120), 120
    return file


@pytest.mark.parametrize("name", DIALOGS)
def test_every_button_of_a_dialog_has_a_letter_and_none_twice(program: Program, name: str) -> None:
    window = program.start_ready()
    window.chats.delete(window.chats.new().row.id)
    DIALOGS[name](window)
    (dialog,) = (each for each in window.window.findChildren(QDialog) if each.isVisible())
    buttons = [each for each in dialog.findChildren(Button) if each.isVisible()]
    keys = [button.shortcut().toString() for button in buttons]
    assert keys
    assert all(key.startswith("Alt+") for key in keys)
    assert len(set(keys)) == len(keys)
    window.look.language.use("zh_CN")
    assert [button.shortcut().toString() for button in buttons] == keys
    dialog.reject()


def test_alt_and_a_letter_presses_a_button_of_a_dialog(program: Program) -> None:
    window = program.start_ready()
    open_key_sheet(window.look, window.window)
    sheet = window.window.findChild(KeySheet)
    assert isinstance(sheet, KeySheet)
    program.qtbot.waitUntil(sheet.isActiveWindow)
    QTest.keyClick(sheet.field, Qt.Key.Key_C, ALT)
    program.qtbot.waitUntil(lambda: window.window.findChild(KeySheet) is None)
