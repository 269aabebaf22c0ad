"""Pictures of the history: folders, tags, archive, what was deleted, temporary chats, branches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.ui.chat_groups import GroupEntry, Place
from app.ui.question import QuestionDialog
from tests import screenshot_texts as texts
from tests.doubles.engines import Reply
from tests.studio import Scene, Studio

if TYPE_CHECKING:
    from app.application import Application

_WORDS = {
    "en": (["Home repairs", "Spanish practice", "Work"], ["urgent", "money", "garden", "学习"]),
    "zh_CN": (["家里的维修", "西班牙语", "工作"], ["紧急", "钱", "花园", "学习"]),
}


def organise(program: Application, code: str) -> None:
    """Put the chats of a window into folders, give them tags, archive and delete some."""
    folders, tags = _WORDS[code]
    chats = [row.id for row in program.chats.chats()]
    made = [program.chats.folders.add(name).id for name in folders]
    for number, chat in enumerate(chats):
        program.chats.set_tags(chat, tags[: number % 4])
        if number in {4, 5}:
            program.chats.move(chat, made[0])
    program.chats.move(chats[6], made[2])
    program.chats.archive(chats[-1], True)
    program.chats.delete(chats[-2])
    program.window.parts.sidebar.rows.open_group(f"folder-{made[0]}", True)


def history(scene: Scene) -> None:
    """The sidebar with everything in it, its menus, and several chats selected."""

    with scene.window(Studio([Reply("Yes.")]), texts.CHATS) as program:
        scene.load(program, "Qwen3 4B")
        organise(program, "en")
        program.chats_on_screen.step(1)
        scene.shoot(program, "history")
        sidebar = program.window.parts.sidebar
        view, rows = sidebar.list, sidebar.rows
        ids = [row.id for row in program.chats.chats()][1:4]
        for chat in ids:
            view.selectionModel().select(
                rows.index_of(chat), QItemSelectionModel.SelectionFlag.Select
            )
        corner = view.viewport().mapToGlobal(view.visualRect(rows.index_of(ids[1])).bottomRight())
        program.list_on_screen.menus.open_for_several(ids, corner)
        scene.shoot(program, "history-several", screen=True)
        QTest.keyClick(QApplication.activePopupWidget(), Qt.Key.Key_Escape)
        view.clearSelection()
        sidebar.tags.chosen.emit("money")
        sidebar.tags._chips[1].setChecked(True)
        scene.shoot(program, "history-tag")
        sidebar.tags._choose("")
        rows.show_tag("")
        rows.open_group("deleted", True)
        rows.open_group("archive", True)
        view.scrollToBottom()
        scene.shoot(program, "history-groups")
        program.list_on_screen.menus.open_for_group(
            GroupEntry(Place.DELETED, "", 1, is_open=True), corner
        )
        QTest.keyClick(QApplication.activePopupWidget(), Qt.Key.Key_Escape)
        program.chat_deeds.ask_to_wipe()
        scene.shoot(program, "history-wipe", screen=True)
        program.window.findChildren(QuestionDialog)[-1].reject()


def temporary(scene: Scene) -> None:
    """A temporary chat, and a branch, in both languages and themes."""

    for code, theme, chats, question in (
        ("en", "light", texts.CHATS, texts.SAVINGS),
        ("zh_CN", "dark", texts.CHATS_ZH, texts.TEA),
    ):
        reply = texts.SAVINGS_REPLY if code == "en" else texts.TEA_REPLY
        runner = Studio([Reply(reply)])
        with scene.window(runner, chats, theme=theme, language=code) as program:
            scene.load(program, "Qwen3 4B")
            organise(program, code)
            program.chats_on_screen.new_temporary()
            scene.ask(program, question)
            scene.settle(program)
            scene.shoot(program, f"temporary-{code}")
            session = program.window.parts.chat.session
            assert session is not None
            program.chat_deeds.keep(session.row.id)
            kept = program.window.parts.chat.session
            assert kept is not None
            program.chats_on_screen._on_branch_wanted(kept.row.id, kept.path()[-1].id)
            program.chats.delete(program.chats.chats()[-1].id)
            scene.shoot(program, f"branch-{code}")
            program.window.resize(720, 560)
            scene.shoot(program, f"branch-narrow-{code}")
