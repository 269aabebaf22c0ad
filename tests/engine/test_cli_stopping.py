"""Ctrl-C at the commands that take long: the status of a stopped program, and a sentence."""

from __future__ import annotations

import runpy
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine import cli, cli_serve, evaluating
from engine.contract import Command, Event, Failed, Fault, FaultKind, Load, Loaded, Memory, Sampling
from engine.engine import Engine
from tests.doubles.scripts import model_facts

NONE = Memory(0, 0, 0, 0)
TALKS = {
    "complete": ["complete", "MODEL", "Once", "--max-tokens", "200"],
    "chat": ["chat", "MODEL", "--prompt", "Hi", "--max-tokens", "200"],
    "advise": ["advise", "MODEL", "--prompt", "Hi", "--max-tokens", "200"],
}


def interrupt_at(monkeypatch: pytest.MonkeyPatch, count: int, *, load: bool) -> None:
    """Press Ctrl-C at an event of the engine's, of a load or of what follows it."""
    run = Engine.run

    def interrupted(
        self: Engine, command: Command, cancelled: Callable[[], bool]
    ) -> Iterator[Event | None]:
        is_load = type(command).__name__ == "Load"
        for number, event in enumerate(run(self, command, cancelled)):
            if is_load is load and number == count:
                signal.raise_signal(signal.SIGINT)
            yield event

    monkeypatch.setattr(Engine, "run", interrupted)


@pytest.mark.parametrize("name", TALKS)
@pytest.mark.parametrize("load", [True, False], ids=["loading", "answering"])
def test_a_reply_or_its_load_is_stopped(
    model: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    load: bool,
) -> None:
    interrupt_at(monkeypatch, 0 if load else 5, load=load)
    assert cli.main([str(model) if each == "MODEL" else each for each in TALKS[name]]) == 130
    assert capsys.readouterr().err.endswith("Stopped.\n")


def test_a_server_whose_model_is_still_loaded_is_stopped(
    model: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[str] = []

    class Service:
        def __init__(self, sink: object) -> None:
            pass

        def submit(self, command: Command) -> None:
            pass

        def close(self) -> None:
            closed.append("closed")

    def waiting(events: object) -> Loaded:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli_serve, "EngineService", Service)
    monkeypatch.setattr(cli_serve, "_wait_for_load", waiting)
    assert cli.main(["serve", str(model)]) == 130
    assert capsys.readouterr().err == "Stopped.\n"
    assert closed == ["closed"]


def test_a_comparison_is_stopped_below_the_line_that_it_wrote(
    model: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def evaluate(copy: Path, source: Path, tokens: int, show: Callable[..., None]) -> None:
        show("comparing", 3, 10)
        raise KeyboardInterrupt

    monkeypatch.setattr(evaluating, "evaluate", evaluate)
    assert cli.main(["evaluate", str(model), "--against", str(model)]) == 130
    assert capsys.readouterr().err.splitlines()[-2:] == ["comparing 3/10   ", "Stopped."]


def test_ctrl_c_while_the_program_is_still_being_read_is_no_traceback(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def main() -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "main", main)
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("engine", run_name="__main__")
    assert ended.value.code == 130
    assert capsys.readouterr().err == "Stopped.\n"


def test_a_server_loads_its_model_again_after_the_engine_ended_but_not_after_that_load_ended_it(
    model: Path,
) -> None:
    submitted: list[Command] = []

    class Service:
        def submit(self, command: Command) -> None:
            submitted.append(command)

    load = Load(1, model)
    heard = cli_serve._Heard(load)
    heard.service = Service()  # type: ignore[assignment]
    ended = Failed(0, Fault(FaultKind.ENGINE_ENDED, {"status": -9}))
    loaded = Loaded(1, model_facts(model), 512, "cpu", 1, NONE, Sampling(), False, 0.1)
    heard.hear(ended)
    assert submitted == []
    heard.hear(loaded)
    heard.hear(ended)
    heard.hear(ended)
    assert submitted == [load]
