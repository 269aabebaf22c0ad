"""What can be done with a model on its page: rename, pin, verify, remove."""

from __future__ import annotations

import errno
import time
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel, QMessageBox, QPushButton

from app.application import Application
from app.chat.model_session import ModelPhase
from app.chat.shrinking import ShrinkPhase, ShrinkState, Wish
from app.chat.turn import Turn, TurnState
from app.ui.unreadable_row import UnreadableRow
from engine.contract import Fault, FaultKind, ModelFacts, Notice, NoticeKind
from engine.library.recipes import PRESETS
from engine.library.scan import Found
from engine.server.records import Phase as Serves
from tests.app.conftest import Program
from tests.app.test_application import ask
from tests.doubles.engines import Reply, ScriptedRunner
from tests.doubles.scripts import LoadScript, model_facts
from tests.library.model_files import llama_gguf


def model_of(program: Program, name: str) -> ModelFacts:
    """A real small file on the shelf."""
    path = program.shelves.add(name)
    llama_gguf().write(path)
    return replace(model_facts(path), name=name)


def verbs(program: Program, facts: ModelFacts) -> list[str]:
    assert program.running is not None
    page = program.running.window.parts.models
    return [verb.text_id for verb in page.menu.verbs(facts)]


def notices(program: Program) -> list[str]:
    assert program.running is not None
    return list(program.running.window.notices._bars)


def test_an_empty_library_leads_to_a_first_model(program: Program) -> None:
    running = program.start()
    running.window.show_page("models")
    nothing = running.window.parts.models.nothing
    program.qtbot.waitUntil(nothing.add.isVisible)
    assert nothing.file.isVisible()
    nothing.add.click()
    assert running.window.page == "add_model"
    running.window.show_page("models")
    model_of(program, "ours")
    running.shelf.scan()
    program.qtbot.waitUntil(lambda: len(running.shelf.models) == 1)
    assert not nothing.isVisible()
    page = running.window.parts.models
    page.search.setText("another name")
    assert nothing.isVisible()
    assert not nothing.add.isVisible()  # there are models, of other names


def test_only_our_own_files_can_be_removed(program: Program, tmp_path: Path) -> None:
    ours = model_of(program, "ours")
    theirs = replace(ours, path=llama_gguf().write(tmp_path / "ollama" / "theirs.gguf"))
    program.start()
    assert "model-remove" in verbs(program, ours)
    assert "model-whose" not in verbs(program, ours)
    assert "model-remove" not in verbs(program, theirs)
    assert "model-whose" in verbs(program, theirs)


def test_removing_asks_first_and_deletes_the_file(program: Program) -> None:
    facts = model_of(program, "ours")
    running = program.start()
    deeds = running.models_on_screen
    deeds._ask_to_remove(facts)
    (question,) = running.window.findChildren(QMessageBox)
    assert question.text() == "Remove ours?"
    assert "98 MB" in question.informativeText()
    assert facts.path.exists()
    next(each for each in question.buttons() if each.text() == "Remove").click()
    program.qtbot.waitUntil(lambda: not facts.path.exists())


def test_a_refused_removal_says_what_was_refused_and_can_be_tried_again(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = model_of(program, "ours")
    running = program.start()
    unlink = Path.unlink

    def refuse(path: Path, missing_ok: bool = False) -> None:
        if path == facts.path:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        unlink(path, missing_ok)

    monkeypatch.setattr(Path, "unlink", refuse)
    running.models_on_screen.remove(facts)
    program.qtbot.waitUntil(lambda: "model-deed" in notices(program))
    bar = running.window.notices._bars["model-deed"]
    said = " ".join(label.text() for label in bar.findChildren(QLabel))
    assert f"{facts.path.name} was not deleted." in said
    assert "Permission denied" in said
    assert "cannot be read" not in said
    monkeypatch.setattr(Path, "unlink", unlink)
    again = next(b for b in bar.findChildren(QPushButton) if b.text() == "Try again")
    again.click()
    program.qtbot.waitUntil(lambda: not facts.path.exists())


def test_what_somebody_else_deleted_meanwhile_is_gone_without_a_word(program: Program) -> None:
    facts = model_of(program, "ours")
    running = program.start()
    facts.path.unlink()
    running.models_on_screen.remove(facts)
    program.qtbot.waitUntil(lambda: "model-deed" in notices(program))
    bar = running.window.notices._bars["model-deed"]
    said = " ".join(label.text() for label in bar.findChildren(QLabel))
    assert "not deleted" not in said


def test_a_loaded_model_is_unloaded_before_it_is_removed(program: Program) -> None:
    facts = model_of(program, "ours")
    running = program.start(model=facts.path)
    program.qtbot.waitUntil(lambda: running.model.state.phase is ModelPhase.READY)
    running.models_on_screen.remove(facts)
    program.qtbot.waitUntil(lambda: not facts.path.exists())
    assert running.model.state.phase is ModelPhase.NONE


def last_turn(running: Application) -> Turn:
    session = running.window.parts.chat.session
    assert session is not None
    return session.path()[-1]


def asked_to_remove(program: Program, facts: ModelFacts) -> QMessageBox:
    assert program.running is not None
    program.running.models_on_screen._ask_to_remove(facts)
    return program.running.window.findChildren(QMessageBox)[-1]


def test_the_question_before_says_what_the_model_is_used_for(program: Program) -> None:
    facts, other = model_of(program, "ours"), model_of(program, "other")
    running = program.start(model=facts.path)
    program.qtbot.waitUntil(lambda: running.model.state.phase is ModelPhase.READY)
    frees = "98 MB become free. It cannot be brought back, only fetched again."
    assert asked_to_remove(program, other).informativeText() == frees
    said = asked_to_remove(program, facts).informativeText()
    assert said == f"It is loaded, and is unloaded first.\n\n{frees}"
    running.serving.start()
    program.qtbot.waitUntil(lambda: running.serving.state.phase is Serves.RUNNING)
    said = asked_to_remove(program, facts).informativeText()
    assert "ask the local server get no answers" in said
    assert asked_to_remove(program, other).informativeText() == frees
    running.model.rest()
    said = asked_to_remove(program, facts).informativeText()
    assert said.startswith("Other programs")  # the next request would bring it back
    running.shrinking.state = ShrinkState(
        ShrinkPhase.MAKING, Wish(other.path, other.path / "copy", PRESETS["4"])
    )
    said = asked_to_remove(program, other).informativeText()
    assert said.startswith("A smaller copy is being made of it")
    running.shrinking.state = replace(running.shrinking.state, phase=ShrinkPhase.COMPARING)
    said = asked_to_remove(program, other).informativeText()
    assert said.startswith("It is being compared just now")
    running.shrinking.state = ShrinkState()


def test_a_model_that_answers_is_removed_and_what_it_wrote_is_kept(program: Program) -> None:
    facts = model_of(program, "ours")
    runner = ScriptedRunner([Reply("some words", endless=True)], tokens_per_second=200)
    running = program.start(runner, model=facts.path)
    program.qtbot.waitUntil(lambda: running.model.state.phase is ModelPhase.READY)
    ask(running, "Why?")
    program.qtbot.waitUntil(lambda: "words" in last_turn(running).content)
    question = asked_to_remove(program, facts)
    assert question.informativeText().startswith("It is answering just now: the answer ends there")
    next(each for each in question.buttons() if each.text() == "Remove").click()
    program.qtbot.waitUntil(lambda: not facts.path.exists())
    assert running.model.state.phase is ModelPhase.NONE
    program.qtbot.waitUntil(lambda: last_turn(running).state is TurnState.STOPPED)
    assert "words" in last_turn(running).content


def test_what_cannot_be_used_is_removed_from_our_own_folder_alone(
    program: Program, tmp_path: Path
) -> None:
    ours, theirs = program.shelves.folder / "cut.gguf", tmp_path / "theirs.gguf"
    for path in (ours, theirs):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"GGUF" * 500)
        fault = Fault(FaultKind.FILE_TRUNCATED, {"path": str(path), "size": 2000, "expected": 9000})
        program.shelves.broken.append(Found(path, fault=fault))
    running = program.start()
    running.window.show_page("models")
    page = running.window.parts.models
    program.qtbot.waitUntil(lambda: len(running.shelf.unreadable) == 2 and page.isVisible())
    program.qtbot.waitUntil(lambda: not running.shelf.is_scanning)
    rows = {row._name: row for row in page.unreadable.findChildren(UnreadableRow)}
    assert not rows["theirs.gguf"].remove.isVisible()
    assert rows["cut.gguf"].remove.accessibleName() == "Remove…: cut.gguf"
    rows["cut.gguf"].remove.click()
    question = running.window.findChildren(QMessageBox)[-1]
    assert question.text() == "Remove cut.gguf?"
    assert question.informativeText().startswith("2 kB become free.")
    next(each for each in question.buttons() if each.text() == "Remove").click()
    program.qtbot.waitUntil(lambda: not ours.exists())
    assert theirs.exists()


def test_a_new_name_is_shown_everywhere_and_kept(program: Program) -> None:
    facts = model_of(program, "ours")
    running = program.start(model=facts.path)
    parts = running.window.parts
    program.qtbot.waitUntil(lambda: running.model.state.phase is ModelPhase.READY)
    running.models_on_screen.rename(facts.path, "  My  model ")
    assert [each.name for each in running.shelf.models] == ["My model"]
    assert parts.chat.header.picker.name() == "My model"
    assert parts.status._name.text() == "My model"
    program.end()
    assert [each.name for each in program.start().shelf.models] == ["My model"]
    assert program.running is not None
    program.running.models_on_screen.rename(facts.path, "")
    assert [each.name for each in program.running.shelf.models] == ["ours"]


def test_verifying_notes_the_checksum_and_tells_a_change(program: Program) -> None:
    facts = model_of(program, "ours")
    running = program.start()
    running.models_on_screen._verify(facts)
    program.qtbot.waitUntil(lambda: running.notes.of(facts.path).sha256 != "")
    noted = running.notes.of(facts.path).sha256
    content = bytearray(facts.path.read_bytes())
    content[-1] ^= 1
    facts.path.write_bytes(content)
    running.models_on_screen._verify(facts)
    program.qtbot.waitUntil(lambda: "model-deed" in notices(program))
    assert running.notes.of(facts.path).sha256 == noted


def test_a_used_model_is_noted_and_a_new_file_is_noticed(program: Program) -> None:
    facts = model_of(program, "ours")
    running = program.start(model=facts.path)
    program.qtbot.waitUntil(lambda: running.notes.of(facts.path).last_used > 0)
    looked = len(program.shelves.looked_into)
    llama_gguf().write(facts.path.parent / "new.gguf")
    program.qtbot.waitUntil(lambda: len(program.shelves.looked_into) > looked, timeout=8000)


def test_what_is_still_being_copied_becomes_a_model_when_it_is_whole(program: Program) -> None:
    """No folder changes when a file grows."""
    model_of(program, "ours")
    growing = program.shelves.folder / "growing.gguf"
    fault = Fault(FaultKind.FILE_DAMAGED, {"path": str(growing), "detail": "short"})
    program.shelves.broken = [Found(growing, fault=fault, modified=time.time())]
    running = program.start()
    assert [each.path for each in running.shelf.unreadable] == [growing]
    program.shelves.broken = []
    facts = replace(model_facts(growing), name="growing")
    program.shelves.models.append(facts)
    program.qtbot.waitUntil(lambda: len(running.shelf.models) == 2, timeout=20_000)


def test_what_has_been_damaged_for_long_is_not_looked_at_again_and_again(program: Program) -> None:
    fault = Fault(FaultKind.FILE_DAMAGED, {"path": "/m/old.gguf", "detail": "short"})
    program.shelves.broken = [Found(Path("/m/old.gguf"), fault=fault, modified=1.7e9)]
    running = program.start()
    program.qtbot.waitUntil(lambda: not running.shelf.is_scanning)
    running.models_on_screen._settled.stop()  # whatever else changed in the folder
    running.shelf.changed.emit()
    assert not running.models_on_screen._settled.isActive()


def test_what_was_said_of_a_model_goes_with_its_memory(program: Program) -> None:
    load = LoadScript(notices=(Notice(NoticeKind.TEMPLATE_MISSING),))
    running = program.start_ready(ScriptedRunner(loads=[load]))
    key = f"model-{NoticeKind.TEMPLATE_MISSING.value}"
    program.qtbot.waitUntil(lambda: key in notices(program))
    running.model.unload()
    program.qtbot.waitUntil(lambda: running.model.state.phase is ModelPhase.NONE)
    program.qtbot.waitUntil(lambda: key not in notices(program))
