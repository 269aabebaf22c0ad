"""Out and in again: JSON and backups come back as they were; pages are safe to open."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from html import escape, unescape
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.chat.attachment import Attachment, Extent, attachments_of
from app.chat.exporting import ExportWords, SaidChat, html_of, markdown_of
from app.chat.transfer import ImportOutcome, Transfer
from app.rendering.html import markdown_html
from app.store.faults import StoreFaultKind
from app.store.worker import InlineWorker
from engine.contract import Channel, Fault, FaultKind
from tests.chat.conftest import Desk, Heard
from tests.doubles.engines import Reply
from tests.store.conftest import rows_of

Desks = Callable[..., Desk]
WORDS = ExportWords("en", "You", "Answer", "Instructions", "Thought", "Attached file:")

FILE = Attachment("件.md", "text", "a\n```\nb", Extent.PARTS, "1–2", 9, 0.25, 7)


def talked(desk: Desk) -> int:
    """Have a chat with everything in it: versions, a thought, a failure, a folder, tags."""
    session = desk.library.new()
    session.send("问题 <b>one</b>")
    desk.run()
    session.regenerate(session.path()[1].id)
    desk.run()
    session.send("two", files=(FILE,))
    desk.run()
    session.show_version(session.path()[1].id, -1)
    chat = session.row.id
    desk.library.move(chat, desk.library.folders.add("Work").id)
    desk.library.set_tags(chat, [" a  b ", "c", "c"])
    desk.library.pin(chat, True)
    return chat


REPLIES = (
    Reply("first", pieces=[(Channel.REASONING, "think\nmore")]),
    Reply("second"),
    Reply("half", fault=Fault(FaultKind.OUT_OF_MEMORY, {"needed": 2, "free": 1, "device": "cpu"})),
)


def transfer(desk: Desk) -> tuple[Transfer, Heard]:
    made, heard = Transfer(desk.services.saving, InlineWorker()), Heard()
    made.imported.connect(heard)
    made.exported.connect(heard)
    made.failed.connect(heard)
    return made, heard


@pytest.mark.parametrize("kind", ["json", "backup"])
def test_what_goes_out_comes_back_as_it_was(desks: Desks, tmp_path: Path, kind: str) -> None:
    desk = desks(*REPLIES)
    chat = talked(desk)
    desk.library.archive(chat, True)
    work, heard = transfer(desk)
    target = tmp_path / "out"
    if kind == "json":
        work.export_json([chat], target)
    else:
        work.back_up(target)
    rows, row = rows_of(desk.opened.store, chat), desk.library.chats(archived=True)[0]
    shown = [turn.content for turn in desk.library.open(chat).path()]
    ids = [desk.opened.store.token_ids(each.id) for each in rows]
    desk.library.delete(chat)
    desk.library.purge()
    work.import_from(target)
    desk.library.reload()
    outcome = heard.said[-1]
    assert isinstance(outcome, ImportOutcome)
    assert (outcome.kept.chats, outcome.kept.turns, outcome.failures) == (1, 5, ())
    (again,) = desk.library.chats(archived=True)
    assert again.id != chat
    assert replace(again, id=0, folder=0) == replace(row, id=0, folder=0)
    assert (row.pinned, row.archived, row.tags) == (True, True, "a b\nc")
    files = [attachments_of(each.attachments) for each in rows_of(desk.opened.store, again.id)]
    assert [each for each in files if each] == [(FILE,)]
    assert [folder.name for folder in desk.library.folders.all()] == ["Work"]
    back = rows_of(desk.opened.store, again.id)
    same = [replace(each, id=0, chat=0, parent=None) for each in rows]
    assert [replace(each, id=0, chat=0, parent=None) for each in back] == same
    assert [desk.opened.store.token_ids(each.id) for each in back] == ids
    assert [turn.content for turn in desk.library.open(again.id).path()] == shown
    work.import_from(target)
    assert (heard.said[-1].kept.unchanged, heard.said[-1].kept.turns) == (1, 0)


def test_a_restore_may_replace_everything(desks: Desks, tmp_path: Path) -> None:
    desk = desks(*REPLIES)
    chat = talked(desk)
    work, heard = transfer(desk)
    work.back_up(tmp_path / "backup")
    later = desk.library.new()
    later.send("after the backup")
    desk.run()
    work.restore(tmp_path / "backup", replaces=True)
    desk.library.reload()
    assert [row.title for row in desk.library.chats()] == ["问题 <b>one</b>"]
    assert chat not in [row.id for row in desk.library.chats()]
    assert heard.said[-1].kept.chats == 1


def test_a_restore_may_merge_and_an_open_chat_shows_it(desks: Desks, tmp_path: Path) -> None:
    desk = desks(*REPLIES)
    chat = talked(desk)
    work, heard = transfer(desk)
    work.back_up(tmp_path / "backup")
    session = desk.library.open(chat)
    session.delete_branch(session.path()[1].id)
    desk.library.purge()
    work.restore(tmp_path / "backup", replaces=False)
    assert (heard.said[-1].kept.completed, heard.said[-1].kept.turns) == (1, 1)
    desk.library.reload()
    assert "first" in [row.content for row in rows_of(desk.opened.store, chat)]


def test_a_backup_that_cannot_be_read_changes_nothing(desks: Desks, tmp_path: Path) -> None:
    desk = desks(*REPLIES)
    talked(desk)
    work, heard = transfer(desk)
    (tmp_path / "bad").write_bytes(b"SQLite format 3\0" + b"\0" * 5000)
    work.restore(tmp_path / "bad", replaces=True)
    work.import_from(tmp_path / "bad")
    work.back_up(tmp_path / "no such folder" / "backup")
    kinds = [fault.kind for fault in heard.said]
    assert kinds[:2] == [StoreFaultKind.IMPORT_UNREADABLE] * 2
    assert kinds[2] is StoreFaultKind.UNREACHABLE
    assert len(desk.library.chats()) == 1


def test_an_import_runs_on_its_own_thread(desks: Desks, qtbot: QtBot, tmp_path: Path) -> None:
    desk = desks(*REPLIES)
    talked(desk)
    work = Transfer(desk.services.saving)
    with qtbot.waitSignal(work.exported):
        work.export_json([], tmp_path / "all.json")
    assert len(json.loads((tmp_path / "all.json").read_text())["chats"]) == 1
    with qtbot.waitSignal(work.imported):
        work.import_from(tmp_path / "all.json")
    assert work.close()


def test_markdown_is_what_was_written(desks: Desks) -> None:
    desk = desks(Reply("```python\nprint(1)", pieces=[(Channel.REASONING, "a\n\nb")]), Reply("ok"))
    session = desk.library.new()
    session.send("# not a heading of ours\n<b>")
    desk.run()
    session.send("next")
    desk.run()
    assert markdown_of([SaidChat("T\nt", tuple(session.path()))], WORDS) == (
        "# T t\n\n## You\n\n# not a heading of ours\n<b>\n\n## Answer · tiny\n\n"
        "> **Thought**\n>\n> a\n>\n> b\n\n```python\nprint(1)\n```\n\n"
        "## You\n\nnext\n\n## Answer · tiny\n\nok\n"
    )


def test_M20_M21_M23_a_page_runs_nothing_and_fetches_nothing(desks: Desks) -> None:
    from markdown_it import MarkdownIt

    evil = '<script>alert(1)</script> ![x](https://host.invalid/p.png?leak=1) "&'
    desk = desks(Reply(evil, pieces=[(Channel.REASONING, evil)]))
    session = desk.library.new()
    session.send(evil)
    desk.run()
    render = MarkdownIt("commonmark", {"html": False}).render
    page = html_of([SaidChat(evil, tuple(session.path()))], WORDS, render)
    assert "<script" not in page
    assert "default-src 'none'" in page
    assert page.count("&lt;script&gt;") == 5
    assert page.startswith('<!doctype html>\n<html lang="en">')


@pytest.mark.parametrize(
    "text", ["what is enclosed in <>\n<channel>", "<h1>AAA</h1>", "test\n<test>\ntest"]
)
def test_M14_M15_M17_a_question_of_tags_is_whole_in_pages_and_texts(
    desks: Desks, text: str
) -> None:
    desk = desks(Reply(text))
    session = desk.library.new()
    session.send(text)
    desk.run()
    said = [SaidChat("T", tuple(session.path()))]
    page = html_of(said, WORDS, markdown_html)
    assert f"<pre>{escape(text)}</pre>" in page
    answer = page.split("</h2>")[-1].split("</article>")[0]
    shown = unescape(re.sub(r"</?p>", "", answer).replace("<br />", ""))
    assert shown.strip() == text, "and as a reply"
    assert text in markdown_of(said, WORDS)
    assert session.row.title.strip(), "its title says something"


def test_files_and_tool_calls_are_in_the_pages_their_text_in_a_fold(desks: Desks) -> None:
    call = '{"name": "weather", "arguments": {"city": "Ulm"}}'
    desk = desks(Reply("done", pieces=[(Channel.TOOL_CALL, call + "\n")]))
    session = desk.library.new()
    session.send("two", files=(replace(FILE, text="<b>a & b</b>"),))
    desk.run()
    said = [SaidChat("T", tuple(session.path()))]
    page = html_of(said, WORDS, lambda text: f"[{text}]", ".t{}")
    assert (
        "<details><summary>Attached file: 件.md</summary><pre>&lt;b&gt;a &amp; b&lt;/b&gt;</pre>"
    ) in page
    assert f"```json\n{call}\n```" in page
    assert ".t{}</style>" in page
    written = markdown_of(said, WORDS)
    assert "**Attached file:** 件.md\n\n```\n<b>a & b</b>\n```" in written
    assert f"```json\n{call}\n```" in written
