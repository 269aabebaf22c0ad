"""Folders, tags, the archive, what was deleted and temporary chats, in the whole window."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication, QInputDialog, QLineEdit, QMenu

from app.application import Application
from app.store.folders import copies_folder, data_folder
from app.ui.question import QuestionDialog
from tests.app.conftest import Program
from tests.app.test_application import ask, await_reply, contents
from tests.app.test_search import put, rows
from tests.doubles.engines import Reply, ScriptedRunner

SECRET = "xylophone-7731"
# what the offscreen platform says of menus and dialogs
menus = pytest.mark.qt_log_ignore("raise\\(\\)", "grabbing the keyboard", "propagateSizeHints")


def bytes_of(folder: Path) -> bytes:
    """Everything that lies in a folder, in one."""
    return b"\0".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def menu_of(window: Application, chat: int) -> QMenu:
    """Open a chat's menu as its dots do."""
    window.list_on_screen.menus.open_for_chat(chat, QPoint(10, 10))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu


def trigger(menu: QMenu, *names: str) -> None:
    """Choose an entry by the names that lead to it, and close the menu."""
    at = menu
    for name in names:
        action = next(a for a in at.actions() if a.text() == name)
        below = action.menu()
        if isinstance(below, QMenu):
            at = below
        else:
            action.trigger()
    menu.close()


@pytest.fixture
def talked(program: Program) -> Application:
    """A window with three chats."""
    put(("Lease", ["deposit?"]), ("Tea", ["hot?"]), ("Bread", ["rise?"]))
    return program.start_ready()


def chat_of(window: Application, title: str) -> int:
    every = (*window.chats.chats(), *window.chats.chats(archived=True), *window.chats.deleted())
    return next(row.id for row in every if row.title == title)


@menus
def test_a_new_folder_is_made_from_a_chats_menu_named_and_deleted_again(
    program: Program, talked: Application
) -> None:
    tea = chat_of(talked, "Tea")
    trigger(menu_of(talked, tea), "Move to folder", "New folder…")
    field = talked.window.parts.sidebar.list.findChildren(QLineEdit)[-1]
    assert field.text() == "New folder"
    field.setText("Kitchen")
    field.editingFinished.emit()
    talked.window.parts.sidebar.list.commitData(field)
    (folder,) = talked.chats.folders.all()
    assert folder.name == "Kitchen"
    assert rows(talked)[:2] == ["Folders", "Kitchen"]
    assert "Tea" not in rows(talked)
    trigger(menu_of(talked, chat_of(talked, "Lease")), "Move to folder", "Kitchen")
    assert {row.title for row in talked.chats.chats() if row.folder == folder.id} == {
        "Tea", "Lease",
    }  # fmt: skip
    talked.chat_deeds.delete_folder(folder.id)
    assert talked.chats.folders.all() == []
    assert {"Tea", "Lease"} <= set(rows(talked))
    bar = talked.window.notices._bars["folder-deleted"]
    assert bar.accessibleName() == "The folder “Kitchen” is deleted. Its 2 chats stay in the list."
    bar._button.click()
    assert rows(talked)[:2] == ["Folders", "Kitchen"]
    assert "Tea" not in rows(talked)


@menus
def test_a_tag_is_asked_for_given_filtered_by_and_taken_away(talked: Application) -> None:
    tea = chat_of(talked, "Tea")
    trigger(menu_of(talked, tea), "Tags", "New tag…")
    dialog = talked.window.findChildren(QInputDialog)[-1]
    dialog.textValueSelected.emit("  to   drink ")
    dialog.reject()
    strip = talked.window.parts.sidebar.tags
    assert [chip.text() for chip in strip._chips] == ["to drink"]
    strip._chips[0].click()
    assert rows(talked)[1:] == ["Tea"]
    strip._chips[0].click()
    assert len(rows(talked)) == 4
    trigger(menu_of(talked, tea), "Tags", "to drink")
    assert talked.chats.tags() == []
    assert not strip.isVisible()


@menus
def test_the_archive_takes_chats_out_of_the_way_and_gives_them_back(talked: Application) -> None:
    tea = chat_of(talked, "Tea")
    trigger(menu_of(talked, tea), "Archive")
    assert rows(talked)[-2:] == ["Put away", "Archive"]
    talked.window.parts.sidebar.rows.open_group("archive", True)
    assert rows(talked)[-1] == "Tea"
    talked.chats_on_screen.open(tea)
    assert contents(talked) == ["hot?"]
    trigger(menu_of(talked, tea), "Take out of the archive")
    assert "Archive" not in rows(talked)


def test_several_are_deleted_with_one_notice_and_one_undo(talked: Application) -> None:
    chats = [chat_of(talked, "Tea"), chat_of(talked, "Bread")]
    talked.chats_on_screen.open(chats[0])
    talked.window.parts.sidebar.list.several_delete_requested.emit(chats)
    assert rows(talked)[1:] == ["Lease", "Put away", "Recently deleted"]
    bar = talked.window.notices._bars["chat-deleted"]
    assert bar.accessibleName().startswith("2 chats are deleted. Until Inkstone is closed")
    bar._button.click()
    assert len(talked.chats.chats()) == 3
    assert talked.deeds.open_chat == chats[0]


@menus
def test_what_was_deleted_comes_back_from_its_group_long_after_the_notice(
    talked: Application,
) -> None:
    tea = chat_of(talked, "Tea")
    talked.chat_deeds.delete([tea])
    talked.deeds.dismiss("chat-deleted")
    trigger(menu_of(talked, tea), "Bring back")
    assert "Tea" in rows(talked)
    assert "Recently deleted" not in rows(talked)


def test_deleting_for_good_is_asked_and_takes_the_text_off_the_disk(program: Program) -> None:
    put((f"About {SECRET}", [f"the word is {SECRET}", "noted"]), ("Tea", ["hot?"]))
    window = program.start_ready()
    window._opened.store.copy_when_due()
    copies = copies_folder(data_folder())
    program.qtbot.waitUntil(lambda: any(copies.glob("chats-*.db")))
    assert SECRET.encode() in bytes_of(copies)
    window.chat_deeds.delete([chat_of(window, f"About {SECRET}")])
    window.chat_deeds.ask_to_wipe()
    question = window.window.findChildren(QuestionDialog)[-1]
    assert question.windowTitle() == "Delete 1 chat for good?"
    (wipe,) = question.answers
    assert wipe.text() == "Delete for good"
    assert question.cancel.isDefault()
    wipe.click()
    program.qtbot.waitUntil(lambda: "chats-wiped" in window.window.notices._bars)
    program.qtbot.waitUntil(lambda: any(copies.glob("chats-*.db")))
    assert SECRET.encode() not in bytes_of(data_folder())
    assert rows(window)[1:] == ["Tea"]


def test_closing_takes_what_was_deleted_off_the_disk(program: Program) -> None:
    put(("Lease", [f"the word is {SECRET}"]), ("Tea", ["hot?"]))
    window = program.start_ready()
    window.chat_deeds.delete([chat_of(window, "Lease")])
    program.end()
    assert SECRET.encode() not in bytes_of(data_folder())
    assert rows(program.start())[1:] == ["Tea"]


def test_a_temporary_chat_leaves_no_byte_anywhere(program: Program) -> None:
    """Question, reply, thought, draft, title and search: greps every file, open and closed."""
    runner = ScriptedRunner([Reply(f"so {SECRET} it is")])
    window = program.start_ready(runner)
    window.chats_on_screen.new_temporary()
    ask(window, f"remember {SECRET}")
    await_reply(program, window, 2)
    window.window.parts.chat.box.field.insertPlainText(f"draft of {SECRET}")
    program.qtbot.wait(700)  # a draft is written half a second after its last key
    window._opened.store.index.catch_up()
    assert window._opened.store.database.flush()
    assert rows(window)[0] == "Temporary"
    assert window.window.parts.chat.line.isVisible()
    assert SECRET.encode() not in bytes_of(data_folder())
    window.chats_on_screen.new()
    window.chats_on_screen.open(-1)
    assert contents(window) == [f"remember {SECRET}", f"so {SECRET} it is"]
    window.settings.change(text_scale=1.1)
    program.end()
    assert SECRET.encode() not in bytes_of(data_folder())
    again = program.start()
    assert rows(again) == []


def test_a_temporary_chat_can_be_kept_with_its_versions_and_its_draft(program: Program) -> None:
    window = program.start_ready(ScriptedRunner([Reply("one"), Reply("two")]))
    window.chats_on_screen.new_temporary()
    page = window.window.parts.chat
    assert not page.line.keep.isVisible()
    ask(window, f"remember {SECRET}")
    await_reply(program, window, 2)
    page.answer_again()
    program.qtbot.waitUntil(lambda: contents(window)[1:] == ["two"])
    assert page.session is not None
    page.session.show_version(page.session.path()[1].id, -1)
    page.box.field.insertPlainText("and then?")
    program.qtbot.waitUntil(page.line.keep.isVisible)
    page.line.keep.click()
    assert not page.line.isVisible()
    assert window.deeds.open_chat is not None
    assert window.deeds.open_chat > 0
    assert contents(window) == [f"remember {SECRET}", "one"]
    assert page.session.path()[1].versions == 2
    assert page.box.text() == "and then?"
    assert "Temporary" not in rows(window)
    program.end()
    assert SECRET.encode() in bytes_of(data_folder())
    again = program.start()
    assert contents(again) == [f"remember {SECRET}", "one"]


@menus
def test_ending_a_temporary_chat_asks_nothing_and_leaves_nothing(program: Program) -> None:
    window = program.start_ready()
    window.chats_on_screen.new_temporary()
    ask(window, "hello")
    await_reply(program, window, 2)
    chat = window.deeds.open_chat
    assert chat is not None
    trigger(menu_of(window, chat), "End it now")
    assert rows(window) == []
    assert window.window.notices.keys() == []
    assert contents(window) == []


def test_open_folders_are_open_again_at_the_next_start(program: Program) -> None:
    put(("Lease", ["the rent"]), ("Tea", ["hot?"]))
    window = program.start_ready()
    window.chat_deeds.new_folder([chat_of(window, "Lease")])
    folder = window.chats.folders.all()[0].id
    window.window.parts.sidebar.rows.open_group(f"folder-{folder}", is_open=True)
    window.window.parts.sidebar.rows.open_group("folder-999", is_open=True)
    assert "Lease" in rows(window)
    program.end()
    again = program.start_ready()
    assert "Lease" in rows(again)
    assert again.settings.settings.opened_groups == (f"folder-{folder}",)
    again.window.parts.sidebar.rows.open_group(f"folder-{folder}", is_open=False)
    program.end()
    assert "Lease" not in rows(program.start_ready())
