"""A model that rests gives its memory back, and comes again when it is needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pytestqt.qtbot import QtBot

from app.chat.keep_loaded import KeepLoaded
from app.chat.model_session import ModelPhase
from app.chat.turn import TurnState
from tests.chat.conftest import Desk
from tests.doubles.engines import Reply

Desks = Callable[..., Desk]


def keeper(desk: Desk, minutes: int) -> KeepLoaded:
    services = desk.services
    services.settings.change(keep_loaded_minutes=minutes)
    return KeepLoaded(services.bridge, services.model, minute_ms=1)


def test_a_resting_model_is_unloaded_and_loaded_when_needed(desks: Desks, qtbot: QtBot) -> None:
    desk = desks(model=False)
    keep, model = keeper(desk, 1), desk.services.model
    model.load(desk.folder / "tiny.gguf")
    desk.run()
    qtbot.waitUntil(lambda: model.state.phase is ModelPhase.RESTING)
    desk.run()
    assert model.state.phase is ModelPhase.RESTING
    assert model.state.loaded is None
    assert model.state.known is not None
    assert keep.resting == desk.folder / "tiny.gguf"
    keep.wake()
    desk.run()
    assert model.state.path == desk.folder / "tiny.gguf"
    assert keep.resting is None


def test_without_minutes_a_model_stays(desks: Desks, qtbot: QtBot) -> None:
    desk = desks(model=False)
    keep, model = keeper(desk, 0), desk.services.model
    model.load(desk.folder / "tiny.gguf")
    desk.run()
    keep.wake()
    qtbot.wait(20)
    assert model.state.phase is ModelPhase.READY


def test_another_model_takes_the_place_of_one_that_rests(desks: Desks, qtbot: QtBot) -> None:
    desk = desks(model=False)
    keep, model = keeper(desk, 1), desk.services.model
    model.load(desk.folder / "tiny.gguf")
    desk.run()
    qtbot.waitUntil(lambda: keep.resting is not None)
    desk.services.settings.change(keep_loaded_minutes=0)
    desk.run()
    model.load(desk.folder / "other.gguf")
    desk.run()
    assert keep.resting is None
    keep.wake()
    assert model.state.path == desk.folder / "other.gguf"


def test_a_models_own_minutes_go_before_the_programs(desks: Desks, qtbot: QtBot) -> None:
    desk = desks(model=False)
    keep, model = keeper(desk, 1), desk.services.model
    stays, rests = desk.folder / "stays.gguf", desk.folder / "rests.gguf"
    model.settings_of.change(stays, "keep_loaded_minutes", 0)
    model.load(stays)
    desk.run()
    qtbot.wait(20)
    assert model.state.phase is ModelPhase.READY
    model.load(rests)
    desk.run()
    qtbot.waitUntil(lambda: keep.resting == rests)


def test_a_servers_model_holds_no_memory_here_and_never_rests(desks: Desks, qtbot: QtBot) -> None:
    desk = desks(model=False)
    keep, model = keeper(desk, 1), desk.services.model
    model.load(desk.folder / "tiny.gguf")
    desk.run()
    loaded = model.state.loaded
    assert loaded is not None
    remote = replace(loaded, model=replace(loaded.model, server="https://example.org/v1"))
    model._become(replace(model.state, loaded=remote))
    qtbot.wait(20)
    assert model.state.phase is ModelPhase.READY
    assert keep.resting is None


def test_a_question_wakes_the_model_that_rests_and_names_it(desks: Desks) -> None:
    desk = desks(Reply("Awake."))
    model, session = desk.services.model, desk.library.new()
    model.rest()
    desk.run()
    assert model.state.phase is ModelPhase.RESTING
    session.send("Are you there?")
    desk.run()
    turn = session.path()[-1]
    assert (turn.content, turn.state) == ("Awake.", TurnState.COMPLETE)
    assert turn.model == "tiny"


def test_a_swap_that_is_cancelled_leaves_the_model_of_before_chosen_and_resting(
    desks: Desks,
) -> None:
    desk = desks(Reply("Still here."))
    model, session = desk.services.model, desk.library.new()
    model.load(desk.folder / "other.gguf")
    model.cancel()
    desk.run()
    assert model.state.phase is ModelPhase.RESTING
    assert model.state.path == desk.folder / "tiny.gguf"
    session.send("Are you there?")
    desk.run()
    assert session.path()[-1].content == "Still here."
    assert model.state.path == desk.folder / "tiny.gguf"


def test_a_first_load_that_is_cancelled_leaves_none(desks: Desks) -> None:
    desk = desks(model=False)
    model = desk.services.model
    model.load(desk.folder / "tiny.gguf")
    model.cancel()
    desk.run()
    assert model.state.phase is ModelPhase.NONE
