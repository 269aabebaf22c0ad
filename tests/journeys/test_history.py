"""Titles, search, export and re-import with the real model."""

from __future__ import annotations

from pathlib import Path

from app.application import Application
from app.chat.titling import Titling
from tests.journeys.conftest import Person


def _second_turn(person: Person, shelf: Path, *, titled: bool) -> tuple[int, str]:
    """Ask twice; return how much of the second prompt was reused, and the chat's title."""
    program = person.start_ready(shelf)
    program.settings.change(model_titles=titled)
    person.settle(max_tokens=40)
    person.ask("Name one colour of the rainbow.")
    person.wait_for_reply()
    if titled:
        _await_title(person, program.titling)
    person.ask("Name another one.")
    second = person.wait_for_reply()
    assert second.figures is not None
    session = program.window.parts.chat.session
    assert session is not None
    reused, title = second.figures.reused_tokens, session.row.title
    program.chat_deeds.delete([session.row.id])
    person.leave()
    return reused, title


def _await_title(person: Person, titling: Titling) -> None:
    ended: list[int] = []
    titling.ended.connect(ended.append)
    person.wait(lambda: bool(ended))


def test_C11_a_title_made_between_two_turns_keeps_the_cache(person: Person, shelf: Path) -> None:
    plain, first_words = _second_turn(person, shelf, titled=False)
    beside, _ = _second_turn(person, shelf, titled=True)
    assert first_words == "Name one colour of the rainbow."
    assert plain > 20
    # more by what the title's question has read already: the turn's end and the head of the next
    assert beside >= plain


def test_what_was_said_is_found_exported_and_comes_back_the_same(
    person: Person, shelf: Path, tmp_path: Path
) -> None:
    program = person.start_ready(shelf)
    person.settle(max_tokens=40)
    person.ask("Say something about a lighthouse.")
    person.wait_for_reply()
    before = [(turn.role, turn.content, turn.ids) for turn in person.turns()]
    assert program.deeds.open_chat is not None
    chat, path = program.deeds.open_chat, tmp_path / "chat.json"
    program.transfer_on_screen.write([chat], "json", path)
    person.wait(path.exists)
    program.chat_deeds.delete([chat])
    program.chats.purge()
    program.transfer_on_screen.import_from(path)
    person.wait(lambda: len(program.chats.chats()) == 1)
    _search_for(person, program, "lighthouse")
    found = program.window.parts.sidebar.rows
    hit = next(h for n in range(found.rowCount()) if (h := found.hit(found.index(n))) is not None)
    program.chats_on_screen.open_at(hit.chat, hit.turn)
    assert [(turn.role, turn.content) for turn in person.turns()] == [each[:2] for each in before]
    store = program.saving.store
    kept = [turn.ids or store.token_ids(turn.id) for turn in person.turns()]
    assert kept == [ids for _, _, ids in before]


def _search_for(person: Person, program: Application, words: str) -> None:
    found: list[object] = []
    program.search.found.connect(found.append)
    program.window.parts.sidebar.search.setText(words)
    person.wait(lambda: bool(found))
