"""A backup is made, added or put in the place of the chats; what cannot be read changes nothing."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog

from app.application import Application
from app.ui.question import QuestionDialog
from tests.app.conftest import Program
from tests.app.test_history import chat_of
from tests.app.test_search import put, rows
from tests.app.test_transfer import said


@pytest.fixture
def backed_up(program: Program, tmp_path: Path) -> tuple[Application, Path]:
    """A window with two chats, and a backup of them made by its button."""
    put(("Lease", ["deposit?"]), ("Tea", ["hot?"]))
    window = program.start_ready()
    path = tmp_path / "backup.db"
    window.window.parts.settings.history.back_up.click()
    dialog = window.window.findChildren(QFileDialog)[-1]
    assert dialog.defaultSuffix() == "db"
    dialog.fileSelected.emit(str(path))
    dialog.reject()
    said(program, window, "Saved as backup.db.")
    return window, path


def restore(window: Application, path: Path, how: str) -> None:
    window.window.parts.settings.history.restore.click()
    dialog = window.window.findChildren(QFileDialog)[-1]
    dialog.fileSelected.emit(str(path))
    dialog.reject()
    question = window.window.findChildren(QuestionDialog)[-1]
    assert question.windowTitle() == f"Bring back “{path.name}”?"
    next(button for button in question.answers if button.text() == how).click()


def test_adding_brings_back_what_was_lost_and_keeps_the_rest(
    program: Program, backed_up: tuple[Application, Path]
) -> None:
    window, path = backed_up
    window.chat_deeds.delete([chat_of(window, "Lease")])
    window.chats.purge()
    window.chats.rename(chat_of(window, "Tea"), "Green tea")
    restore(window, path, "Add what is missing")
    assert said(program, window, "imported") == (
        "1 chat was imported. 1 message is new. 1 was here already."
    )
    assert {"Lease", "Green tea"} <= set(rows(window))


def test_replacing_leaves_what_the_backup_had(
    program: Program, backed_up: tuple[Application, Path]
) -> None:
    window, path = backed_up
    window.chats.rename(chat_of(window, "Tea"), "Green tea")
    restore(window, path, "Replace everything")
    said(program, window, "2 chats were imported.")
    program.qtbot.waitUntil(lambda: {"Lease", "Tea"} == {r.title for r in window.chats.chats()})


@pytest.mark.parametrize("how", ["Add what is missing", "Replace everything"])
@pytest.mark.parametrize("broken", ["cut", "page", "newer", "other"])
def test_a_backup_that_is_damaged_or_newer_is_refused_and_changes_nothing(
    program: Program, backed_up: tuple[Application, Path], broken: str, how: str
) -> None:
    window, path = backed_up
    raw = path.read_bytes()
    if broken == "newer":
        with closing(sqlite3.connect(path)) as database:
            database.execute("PRAGMA user_version = 99")
    elif broken == "page":
        at = raw.find(b"deposit?") // 4096 * 4096
        path.write_bytes(raw[:at] + b"\0" * 4096 + raw[at + 4096 :])
    else:
        path.write_bytes(raw[: len(raw) // 2] if broken == "cut" else b"no database" * 99)
    restore(window, path, how)
    sentence = {
        "newer": "backup.db was written by a newer Inkstone. It has version 99",
    }.get(broken, "backup.db cannot be read. It is damaged. Nothing was changed.")
    assert said(program, window, sentence[:30]).startswith(sentence)
    assert {row.title for row in window.chats.chats()} == {"Lease", "Tea"}
