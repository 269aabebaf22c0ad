"""After a crash: a report, the chats, no model loaded by itself; the log tells nothing said."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from pathlib import Path

import keyring
import pytest
from PySide6.QtGui import QGuiApplication

from app.chat.presets import Preset, line_of
from app.store.diagnostics import without_person
from app.store.folders import crashes_folder, data_folder, log_path, settings_path
from app.ui.notices import NoticeBar
from app.watching import watched
from engine.contract import Sampling
from engine.library.servers.card import RemoteCard
from engine.service.crash_file import take_reports
from tests.app.conftest import Program
from tests.app.test_application import ask, await_reply
from tests.doubles.engines import Reply, ScriptedRunner
from tests.doubles.keyrings import MemoryKeyring

ROOT = Path(__file__).resolve().parents[2]
CRASH = """
import ctypes, sys
from pathlib import Path
from engine.service.crash_file import CrashFile
report = CrashFile(Path(sys.argv[1]), "engine")
def where_it_broke():
    ctypes.string_at(0)
def uncaught():
    raise ValueError("my secret words")
{"native": where_it_broke, "error": uncaught, "well": report.close}[sys.argv[2]]()
"""


def crashed(folder: Path, how: str) -> list[Path]:
    subprocess.run(
        [sys.executable, "-c", CRASH, str(folder), how], cwd=ROOT, check=False, capture_output=True
    )
    return take_reports(folder)


@pytest.mark.parametrize(("how", "where"), [("native", "where_it_broke"), ("error", "uncaught")])
def test_a_crash_leaves_its_place_and_no_words(tmp_path: Path, how: str, where: str) -> None:
    (report,) = crashed(tmp_path, how)
    text = report.read_text("utf-8")
    assert where in text
    assert "secret" not in text
    assert take_reports(tmp_path) == []
    assert report.exists()


def test_the_running_programs_own_files_stay_when_older_reports_are_taken(tmp_path: Path) -> None:
    """Each is open: what is written into a file that was taken away is lost."""
    folder = crashes_folder(tmp_path)
    (killed, crash) = (folder / f"20200101-000000-engine-{n}.txt" for n in (1, 2))
    folder.mkdir(parents=True)
    killed.touch()
    crash.write_text("a place\n", "utf-8")
    with watched(tmp_path):
        (own,) = folder.glob(f"*-window-{os.getpid()}.txt")
        child = folder / "29990101-000000-engine-3.txt"
        child.touch()
        assert [each.name for each in take_reports(folder)] == [f"{crash.stem}.seen.txt"]
        assert own.exists()
        assert child.exists()
        assert not killed.exists()
    assert not own.exists()


def test_a_good_end_leaves_nothing(tmp_path: Path) -> None:
    assert crashed(tmp_path, "well") == []
    assert list(tmp_path.iterdir()) == []


def test_after_a_crash_while_loading_the_model_waits_to_be_asked_for(program: Program) -> None:
    running = program.start_ready()
    path = running.model.state.path
    ask(running, "question")
    await_reply(program, running, 2)
    program.end()
    file = settings_path(data_folder())
    kept = json.loads(file.read_text("utf-8"))
    assert kept["loading"] == ""
    file.write_text(json.dumps(kept | {"loading": str(path)}), "utf-8")
    crashes_folder(data_folder()).mkdir(parents=True)
    (crashes_folder(data_folder()) / "1-engine-1.txt").write_text("Fatal Python error", "utf-8")
    running = program.start()
    program.qtbot.waitUntil(lambda: len(running.window.findChildren(NoticeBar)) >= 2)
    said = [each.accessibleName() for each in running.window.findChildren(NoticeBar)]
    assert any("was being loaded" in each for each in said)
    assert any("did not end well" in each for each in said)
    assert running.model.state.path is None
    assert len(running.chats.chats()) == 1
    bar = next(
        each
        for each in running.window.findChildren(NoticeBar)
        if "was being loaded" in each.accessibleName()
    )
    bar._button.click()
    program.qtbot.waitUntil(lambda: running.model.state.loaded is not None)
    assert running.settings.settings.loading == ""


def test_the_log_has_what_happened_and_nothing_that_was_said(program: Program) -> None:
    with watched(data_folder()):
        running = program.start_ready()
        ask(running, "my secret words")
        await_reply(program, running, 2)
        program.end()
    text = log_path(data_folder()).read_text("utf-8")
    assert "model ready" in text
    assert "secret" not in text
    assert not logging.getLogger("app").handlers
    assert list(crashes_folder(data_folder()).iterdir()) == []


def _break() -> None:
    try:
        {}["my secret words"]
    except KeyError as error:
        raise ValueError("secret too") from error


def test_an_error_in_the_log_has_its_places_and_no_words() -> None:
    with watched(data_folder()):
        logger = logging.getLogger("engine.x")
        try:
            _break()
        except ValueError:
            logger.exception("request %d broke", 3)
    text = log_path(data_folder()).read_text("utf-8")
    assert "request 3 broke" in text
    assert "in _break" in text
    assert text.index("KeyError") < text.index("ValueError")
    assert "secret" not in text


def test_the_log_is_rotated() -> None:
    with watched(data_folder()):
        for number in range(40):
            logging.getLogger("app.x").info("%d %s", number, "x" * 100_000)
    files = list(log_path(data_folder()).parent.glob("inkstone.log*"))
    assert len(files) == 4
    assert max(each.stat().st_size for each in files) < 600_000


def test_diagnostics_of_a_lived_in_program_have_nothing_personal(
    program: Program, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Keys in the keyring, a server's card, chats, prompts, folders, a name in every path."""
    ring = MemoryKeyring()
    for name in ("get_password", "set_password", "delete_password"):
        monkeypatch.setattr(keyring, name, getattr(ring, name))
    home = tmp_path / "ottilie"
    monkeypatch.setattr(Path, "home", lambda: home)
    monkeypatch.setenv("USER", "ottilie")
    planted = {
        "key": "sk-planted-0123456789", "token": "hf_planted_abc", "server": "planted.example",
        "card": "Planted Card", "question": "planted question", "answer": "planted answer",
        "title": "planted title", "prompt": "planted prompt", "preset": "Planted Preset",
        "endpoint": "https://planted-mirror.example", "folder": "planted-folder",
        "instructions": "planted instructions", "person": "ottilie", "home": str(home),
    }  # fmt: skip
    with watched(data_folder()):
        running = program.start_ready(ScriptedRunner([Reply(planted["answer"])]))
        card = RemoteCard(f"https://{planted['server']}/v1", "m", planted["card"])
        path, _ = running.remotes.save(card, planted["key"])
        assert running.remotes._secrets.keep("huggingface", planted["token"])
        running.settings.change(
            system_prompt=planted["instructions"], hub_endpoint=planted["endpoint"],
            templates=(f"{planted['prompt']}\n{planted['prompt']}",),
            presets=(line_of(Preset(planted["preset"], Sampling(temperature=0.3))),),
            model_folders=(str(home / planted["folder"]),), code_font="Planted Font",
            last_model=str(path), safety_classifier=str(home / "planted-classifier"), threads=3,
        )  # fmt: skip
        ask(running, planted["question"])
        await_reply(program, running, 2)
        running.chats.rename(running.chats.chats()[0].id, planted["title"])
        logging.getLogger("app.x").warning("no copy was made: %s", home / "chats.db")
        running.window.show_page("settings")
        running.window.parts.settings.privacy.copy.click()
        text = QGuiApplication.clipboard().text()
        program.end()
    assert planted["key"] in ring.kept.values()
    assert "threads = 3" in text
    assert "no copy was made: ~" in text
    found = {what for what, words in planted.items() if words.casefold() in text.casefold()}
    assert found == set()
    assert "planted" not in text.casefold()
    log = log_path(data_folder()).read_text("utf-8")
    assert "planted" not in log.casefold()


def test_diagnostics_have_no_text_and_no_folder_of_the_person(
    program: Program, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setenv("USER", "ottilie")
    running = program.start_ready()
    running.settings.change(system_prompt="my secret words", threads=3)
    running.window.show_page("settings")
    running.window.parts.settings.privacy.copy.click()
    text = QGuiApplication.clipboard().text()
    assert "threads = 3" in text
    assert "system_prompt = (set)" in text
    assert "secret" not in text
    assert "Python" in text
    assert without_person(f"{tmp_path / 'a'} of ottilie") == f"~{os.sep}a of (user)"
