"""Which model there is: loading, ready, swapped, failed, cancelled, unloaded, remembered."""

from __future__ import annotations

from collections.abc import Callable

from app.chat.model_session import ModelPhase
from app.chat.turn import TurnState
from engine.contract import Failed, Fault, FaultKind, Load
from tests.chat.conftest import Desk, Heard
from tests.doubles.engines import LoadScript, Reply

Desks = Callable[..., Desk]


def test_a_load_shows_its_progress_and_ends_ready(desks: Desks) -> None:
    desk = desks(model=False)
    states, progress = Heard(), Heard()
    desk.services.model.state_changed.connect(states)
    desk.services.model.progressed.connect(progress)
    desk.services.model.load(desk.folder / "tiny.gguf")
    desk.run()
    assert [state.phase for state in states.said] == [ModelPhase.LOADING, ModelPhase.READY]
    assert progress.said[-1].done == progress.said[-1].total
    loaded = desk.services.model.state.loaded
    assert loaded is not None
    assert loaded.model.name == "tiny"


def test_a_failed_load_says_why_and_the_next_one_works(desks: Desks) -> None:
    fault = Fault(FaultKind.FILE_TRUNCATED, {"path": "x", "size": 1, "expected": 2})
    desk = desks(model=False, loads=(LoadScript(fault=fault),))
    desk.services.model.load(desk.folder / "bad.gguf")
    desk.run()
    state = desk.services.model.state
    assert (state.phase, state.fault, state.path) == (
        ModelPhase.FAILED,
        fault,
        desk.folder / "bad.gguf",
    )
    desk.services.model.load(desk.folder / "tiny.gguf")
    desk.run()
    assert desk.services.model.state.phase is ModelPhase.READY


def test_a_swap_during_a_load_shows_only_the_second(desks: Desks) -> None:
    desk = desks(model=False)
    model = desk.services.model
    model.load(desk.folder / "one.gguf")
    desk.step()
    model.load(desk.folder / "two.gguf")
    desk.run()
    assert model.state.path == desk.folder / "two.gguf"
    assert model.state.phase is ModelPhase.READY
    assert desk.services.settings.settings.last_model == str(desk.folder / "two.gguf")


def test_a_swap_while_a_reply_streams_stops_it_and_keeps_its_text(desks: Desks) -> None:
    desk = desks(Reply("old model", endless=True))
    session = desk.library.new()
    session.send("one")
    desk.step(6)
    desk.services.model.load(desk.folder / "two.gguf")
    desk.run()
    reply = session.path()[1]
    assert reply.content.startswith("old")
    assert reply.state is TurnState.STOPPED
    session.send("two")
    desk.run()
    assert session.path()[3].model == "two"


def test_a_cancelled_load_leaves_no_model(desks: Desks) -> None:
    desk = desks(model=False)
    desk.services.model.load(desk.folder / "tiny.gguf")
    desk.step()
    desk.services.model.cancel()
    desk.run()
    assert desk.services.model.state.phase is ModelPhase.NONE


def test_unloading_leaves_no_model(desks: Desks) -> None:
    desk = desks()
    desk.services.model.unload()
    assert desk.services.model.state.phase is ModelPhase.UNLOADING
    desk.run()
    assert desk.services.model.state.phase is ModelPhase.NONE
    desk.services.model.unload()
    desk.run()
    assert desk.services.model.state.phase is ModelPhase.NONE


def test_the_last_model_that_loaded_is_loaded_at_the_next_start(desks: Desks) -> None:
    desk = desks()
    (desk.folder / "tiny.gguf").write_bytes(b"")
    again = desks(model=False)
    assert again.services.model.load_last()
    again.run()
    assert again.services.model.state.phase is ModelPhase.READY


ENDED = Fault(FaultKind.ENGINE_ENDED, {"status": -9})


def test_a_model_that_went_with_the_engine_is_loaded_again(desks: Desks) -> None:
    desk = desks()
    model = desk.services.model
    before, states = model.state, Heard()
    model.state_changed.connect(states)
    for request in (77, 0):  # a reply's, and nobody's: one load answers both
        desk.services.bridge.received.emit(Failed(request, ENDED))
    assert model.state.phase is ModelPhase.LOADING
    desk.run()
    assert [state.phase for state in states.said] == [ModelPhase.LOADING, ModelPhase.READY]
    assert model.state.path == before.path


def test_a_load_that_ends_the_engine_has_failed_and_is_not_tried_again(desks: Desks) -> None:
    desk = desks(model=False, loads=(LoadScript(fault=ENDED),))
    model = desk.services.model
    model.load(desk.folder / "huge.gguf")
    desk.run()
    desk.services.bridge.received.emit(Failed(0, ENDED))
    assert (model.state.phase, model.state.fault) == (ModelPhase.FAILED, ENDED)
    desk.run()
    assert sum(isinstance(each, Load) for each in desk.runner.commands) == 1


def test_a_last_model_that_is_gone_is_not_loaded(desks: Desks) -> None:
    desks()
    assert not desks(model=False).services.model.load_last()


def test_the_settings_reach_the_load(desks: Desks) -> None:
    desk = desks(model=False)
    desk.services.settings.change(context=1024, threads=3, cache_bits=8)
    desk.services.model.load(desk.folder / "tiny.gguf")
    desk.run()
    command = desk.runner.commands[0]
    assert isinstance(command, Load)
    assert (command.settings.context, command.settings.threads, command.settings.cache_bits) == (
        1024,
        3,
        8,
    )
