"""Searching from the sidebar: titles at once, what was said a moment later, and the way there."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest

from app.application import Application
from app.store.folders import data_folder
from app.store.opening import open_store
from app.store.rows import ChatRow, TurnRow
from app.store.search import SearchHit
from app.store.turn_text import Where
from app.store.worker import InlineWorker
from app.ui.attachments.preview import PreviewDialog
from app.ui.chat_list import ChatList
from app.ui.transcript.rows import place_in_row
from app.ui.transcript.search import Hit
from tests.app.conftest import Program
from tests.app.test_application import ask, await_reply, contents

LEASE = ("The lease", ["How much is the deposit?", "Two months' rent."])
HOME = ("租房", ["押金什么时候退？", "退房后 30 天内。"])


def put(*chats: tuple[str, Sequence[str]]) -> list[tuple[int, list[int]]]:
    """Put chats on disk; return their ids and those of their turns."""
    opened = open_store(data_folder(), InlineWorker())
    made = []
    for title, said in chats:
        chat = opened.store.new_chat_id()
        opened.store.put_chat(ChatRow(chat, title, "user", created=1, updated=chat))
        turns: list[int] = []
        for number, text in enumerate(said):
            turn = opened.store.new_turn_id()
            parent = turns[-1] if turns else None
            role = "assistant" if number % 2 else "user"
            opened.store.add_turns(TurnRow(turn, chat, parent, role, text, created=number + 1))
            turns.append(turn)
        made.append((chat, turns))
    opened.close()
    return made


def rows(window: Application) -> list[str]:
    model = window.window.parts.sidebar.rows
    return [str(model.index(n).data()) for n in range(model.rowCount())]


def hits(window: Application) -> list[SearchHit]:
    model = window.window.parts.sidebar.rows
    every = (model.hit(model.index(n)) for n in range(model.rowCount()))
    return [hit for hit in every if hit is not None]


def search(program: Program, window: Application, words: str) -> ChatList:
    sidebar = window.window.parts.sidebar
    sidebar.search.clear()
    with program.qtbot.waitSignal(window.search.found):
        QTest.keyClicks(sidebar.search, words) if words.isascii() else sidebar.search.setText(words)
    return sidebar.list


@pytest.mark.parametrize(
    ("words", "title", "hit"), [("DEPOSIT", "The lease", "deposit"), ("押金", "租房", "押金")]
)
def test_a_word_that_was_said_is_found_and_leads_to_its_turn(
    program: Program, words: str, title: str, hit: str
) -> None:
    made = dict(zip(("The lease", "租房"), put(LEASE, HOME), strict=True))
    window = program.start_ready()
    window.chats_on_screen.new()
    found = search(program, window, words)
    assert rows(window) == ["In the text", title]
    (only,) = hits(window)
    assert [only.snippet[start:end] for start, end in only.marks] == [hit]
    row = found.visualRect(window.window.parts.sidebar.rows.index(1))
    QTest.mouseClick(found.viewport(), Qt.MouseButton.LeftButton, pos=row.center())
    chat, turns = made[title]
    assert window.deeds.open_chat == chat
    assert window.window.page == "chat"
    assert only.turn == turns[0]
    heard = QAccessible.queryAccessibleInterface(found).child(1).text(QAccessible.Text.Name)
    assert heard == f"{title}: {only.snippet}"


def test_titles_come_first_and_enter_opens_what_the_keys_are_on(program: Program) -> None:
    ((chat, turns), _) = put(LEASE, ("Deposit slip", ["Where do I find it?"]))
    window = program.start_ready()
    window.chats_on_screen.new()
    found = search(program, window, "deposit")
    assert rows(window)[1:] == ["Deposit slip", "In the text", "The lease"]
    QTest.keyClick(window.window.parts.sidebar.search, Qt.Key.Key_Down)
    QTest.keyClick(found, Qt.Key.Key_Down)  # passes over the heading
    with program.qtbot.waitSignal(found.hit_chosen) as chosen:
        QTest.keyClick(found, Qt.Key.Key_Return)
    assert chosen.args == [chat, turns[0]]
    assert window.deeds.open_chat == chat


def test_one_enter_in_the_field_opens_what_was_found(program: Program) -> None:
    ((chat, _), (slip, _)) = put(LEASE, ("Slip", ["Where do I find it?"]))
    window = program.start_ready()
    window.chats_on_screen.new()
    field = window.window.parts.sidebar.search
    QTest.keyClicks(field, "slip")
    QTest.keyClick(field, Qt.Key.Key_Return)  # a title is found at once
    assert window.deeds.open_chat == slip
    field.setText("deposit")
    QTest.keyClick(field, Qt.Key.Key_Return)  # what was said, as soon as the search has answered
    program.qtbot.waitUntil(lambda: window.deeds.open_chat == chat)
    assert window.window.page == "chat"
    field.setText("nothing has this")
    with program.qtbot.waitSignal(window.search.found):
        QTest.keyClick(field, Qt.Key.Key_Return)
    field.setText("slip")  # the Enter of before is over
    assert window.deeds.open_chat == chat


def test_the_transcript_stands_at_the_turn_that_was_found(program: Program) -> None:
    long = [f"filler {n} " + "word " * 120 for n in range(60)]
    long[20] = "a needle " + "word " * 120
    ((_, turns),) = put(("Hay", long))
    window = program.start_ready()
    window.chats_on_screen.new()
    (only,) = [search(program, window, "needle")] and hits(window)
    window.window.parts.sidebar.hit_chosen.emit(only.chat, only.turn)
    transcript = window.window.parts.chat.transcript
    program.qtbot.waitUntil(lambda: transcript.turn_widget(turns[20]) is not None)
    widget = transcript.turn_widget(turns[20])
    assert widget is not None
    program.qtbot.waitUntil(lambda: widget.y() == 16)


def test_a_hit_in_another_version_of_the_conversation_is_shown(program: Program) -> None:
    window = program.start_ready()
    ask(window, "about a zebra")
    await_reply(program, window, 2)
    session = window.window.parts.chat.session
    assert session is not None
    session.edit(session.path()[0].id, "about a horse")
    await_reply(program, window, 2)
    assert contents(window)[0] == "about a horse"
    search(program, window, "zebra")
    (only,) = hits(window)
    window.chats_on_screen.open_at(only.chat, only.turn)
    assert contents(window)[0] == "about a zebra"


def test_nothing_found_is_said_only_when_it_is_known(program: Program) -> None:
    put(LEASE)
    window = program.start_ready()
    sidebar = window.window.parts.sidebar
    sidebar.search.setText("sheep")
    assert (rows(window), sidebar.rows.nothing) == ([], "")
    program.qtbot.waitUntil(lambda: sidebar.rows.nothing == "No chat contains “sheep”.")
    window.look.language.use("zh_CN")
    assert sidebar.rows.nothing == "没有对话提到“sheep”。"
    sidebar.search.clear()
    assert len(rows(window)) == 2


def test_what_was_deleted_since_is_found_no_longer(program: Program) -> None:
    ((chat, turns), _) = put(LEASE, HOME)
    window = program.start_ready()
    search(program, window, "deposit")
    assert len(hits(window)) == 1
    window.chat_deeds.delete([chat])
    program.qtbot.waitUntil(lambda: hits(window) == [])
    window.chats_on_screen.open_at(chat, turns[0])  # a click that came too late
    assert window.deeds.open_chat != chat


@pytest.mark.parametrize("fence", ["```\n", ""])
def test_the_line_of_a_hit_is_in_view_also_inside_a_long_block(
    program: Program, fence: str
) -> None:
    lines = [f"line number {n} of it" for n in range(300)]
    lines[240] = "here is the needle"
    ((_, turns),) = put(("Hay", ["go", fence + "\n".join(lines) + "\n" + fence]))
    window = program.start_ready()
    window.chats_on_screen.new()
    (only,) = [search(program, window, "needle")] and hits(window)
    window.window.parts.sidebar.hit_chosen.emit(only.chat, only.turn)
    transcript = window.window.parts.chat.transcript
    height = transcript.viewport().height()

    def place() -> int:
        widget = transcript.turn_widget(turns[1])
        row = widget.column.row(0) if widget is not None else None
        if row is None:
            return -1
        return row.mapTo(transcript.viewport(), place_in_row(row, "needle", 0).topLeft()).y()

    program.qtbot.waitUntil(lambda: 0 < place() < height * 2 // 3)
    assert transcript._finder.is_open
    assert transcript._finder.marking.current is not None


def test_hits_in_a_thought_and_in_a_file_lead_to_their_very_place(program: Program) -> None:
    opened = open_store(data_folder(), InlineWorker())
    opened.store.put_chat(ChatRow(1, "Lease", "user", created=1, updated=1))
    thought = "\n\n".join(f"step {n}" if n != 40 else "a walrus" for n in range(60))
    file = [{"name": "lease.pdf", "kind": "pdf", "text": "page\n" * 200 + "违约金三百元"}]
    opened.store.add_turns(
        TurnRow(1, 1, None, "user", "walrus?", created=1, attachments=json.dumps(file)),
        TurnRow(2, 1, 1, "assistant", "A walrus it is.", reasoning=thought, created=2),
        TurnRow(3, 1, 2, "user", "and?", created=3),
    )
    opened.close()
    window = program.start_ready()
    window.chats_on_screen.new()
    found = search(program, window, "违约金")
    (only,) = hits(window)
    heard = QAccessible.queryAccessibleInterface(found).child(1).text(QAccessible.Text.Name)
    assert heard.startswith("Lease, in lease.pdf: …")
    window.chats_on_screen.open_at(only.chat, only.turn)
    previews = window.window.findChildren(PreviewDialog)
    program.qtbot.waitUntil(lambda: bool(window.window.findChildren(PreviewDialog)))
    (preview,) = previews or window.window.findChildren(PreviewDialog)
    assert preview.text.textCursor().blockNumber() == 200
    preview.close()
    search(program, window, '"a walrus" step')
    (only,) = hits(window)
    assert (only.turn, only.where) == (2, Where.THOUGHT)
    window.chats_on_screen.open_at(only.chat, only.turn)
    finder = window.window.parts.chat.transcript._finder
    program.qtbot.waitUntil(lambda: finder.marking.current is not None)
    assert finder.marking.current == Hit(2, 40, 0, Where.THOUGHT)
