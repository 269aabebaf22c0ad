"""Chats out to files and in again, from the menu and the settings, with what came said in words."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog, QMenu

from app.application import Application
from app.chat.importing import ImportFailure
from app.chat.transfer import ImportOutcome
from app.language import Language
from app.store.backup import Kept
from app.store.faults import Unreadable
from app.ui.transfer_on_screen import file_name, imported_text
from tests.app.conftest import Program
from tests.app.test_application import ask, await_reply
from tests.doubles.engines import Reply, ScriptedRunner


@pytest.fixture
def talked(program: Program) -> Application:
    """A window with one chat in it."""
    window = program.start_ready(ScriptedRunner([Reply("In **17** years.")]))
    ask(window, "When?")
    await_reply(program, window, 2)
    return window


def said(program: Program, window: Application, part: str) -> str:
    """Wait for the notice with these words, and return the whole of it."""
    bars = window.window.notices._bars
    program.qtbot.waitUntil(
        lambda: "transfer" in bars and part in bars["transfer"].accessibleName()
    )
    return bars["transfer"].accessibleName()


def test_a_chats_menu_exports_it_in_every_way(
    program: Program, talked: Application, tmp_path: Path
) -> None:
    chat = talked.deeds.open_chat
    assert chat is not None
    kinds = {
        "Markdown…": "md", "Web page…": "html", "PDF…": "pdf",
        "PDF with the text of files…": "pdf", "JSON, complete…": "json",
    }  # fmt: skip
    top = QMenu(talked.window)
    talked.list_on_screen.menus._add_exports(top, [chat])
    menu = top.findChild(QMenu)
    assert isinstance(menu, QMenu)
    assert (menu.title(), [a.text() for a in menu.actions()]) == ("Export", [*kinds])
    for action, suffix in zip(menu.actions(), kinds.values(), strict=True):
        action.trigger()
        dialog = talked.window.findChildren(QFileDialog)[-1]
        assert dialog.defaultSuffix() == suffix
        path = tmp_path / f"out.{suffix}"
        dialog.fileSelected.emit(str(path))
        dialog.reject()
        said(program, talked, f"Saved as out.{suffix}.")
        assert suffix == "pdf" or "17" in path.read_text("utf-8")
    assert (tmp_path / "out.pdf").read_bytes().startswith(b"%PDF")
    assert (tmp_path / "out.md").read_text("utf-8").startswith("# When?\n\n## You\n\nWhen?")
    page = (tmp_path / "out.html").read_text("utf-8")
    assert "In <strong>17</strong> years." in page


def test_what_was_exported_comes_back_once_and_is_in_the_list(
    program: Program, talked: Application, tmp_path: Path
) -> None:
    chat, path = talked.deeds.open_chat, tmp_path / "kept.json"
    assert chat is not None
    talked.transfer_on_screen.write([chat], "json", path)
    said(program, talked, "Saved as kept.json.")
    talked.chat_deeds.delete([chat])
    talked.chats.purge()
    page = talked.window.parts.settings
    for sentence in (
        "1 chat was imported. 2 messages are new.",
        "No chat is new. 1 was here already.",
    ):
        page.history.import_file.click()
        dialog = talked.window.findChildren(QFileDialog)[-1]
        dialog.fileSelected.emit(str(path))
        dialog.reject()
        assert said(program, talked, sentence) == sentence
    assert [row.title for row in talked.chats.chats()] == ["When?"]
    talked.chats_on_screen.open(talked.chats.chats()[0].id)
    session = talked.window.parts.chat.session
    assert session is not None
    assert [turn.content for turn in session.path()] == ["When?", "In **17** years."]


def test_what_cannot_be_read_or_written_is_said(
    program: Program, talked: Application, tmp_path: Path
) -> None:
    (tmp_path / "broken.json").write_text("{", "utf-8")
    talked.transfer_on_screen.import_from(tmp_path / "broken.json")
    said(program, talked, "broken.json")
    chat = talked.deeds.open_chat
    assert chat is not None
    talked.transfer_on_screen.write([chat], "md", tmp_path / "broken.json" / "folder.md")
    sentence = said(program, talked, "folder.md cannot be reached.")
    assert "The system says: " in sentence
    assert "Errno" not in sentence
    assert str(tmp_path) not in sentence


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("en", "2 chats were imported. 9 messages are new. 1 chat that was here was completed. "
               "3 were here already. 1 message could not be read. "
               "2 could not be read, the first of them: a.json, it holds no chats of a known "
               "program."),
        ("zh_CN", "导入了 2 个对话。新增 9 条消息。1 个原有的对话补全了。3 个原来就有。"
                  "1 条消息读不出来。有 2 个读不出来，第一个是 a.json，里面没有认得的对话。"),
    ],
)  # fmt: skip
def test_every_count_of_an_import_is_in_its_sentence(code: str, sentence: str) -> None:
    failures = (
        ImportFailure("a.json", Unreadable.NO_CHATS),
        ImportFailure("b.json", Unreadable.NOT_JSON),
    )
    outcome = ImportOutcome(Path("x"), Kept(2, 1, 3, 9), failures=failures, lost_turns=1)
    assert imported_text(outcome, Language(code)).sentence == sentence


def test_a_title_becomes_a_file_name_that_every_system_takes() -> None:
    assert file_name('a/b: "c"?') == "a b c"
    assert file_name("押金 " * 40)[:2] == "押金"
    assert file_name("..") == ""
