"""``advise`` in a terminal: sentences, JSON, and the exit status that says whether all is well."""

from __future__ import annotations

import json
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest

from engine import cli, cli_advise, cli_terminal
from engine.answering import Answering
from engine.cli_advice_words import action_sentence, finding_sentence
from engine.contract import EngineError, Event, FaultKind, Load, Progress, Stage
from engine.engine import Engine
from engine.library.advice.facts import Surroundings
from engine.library.advice.findings import Remedy
from engine.library.advice.rules import RULES, advise
from tests.doubles.models import mock_loaded
from tests.doubles.scripts import model_facts
from tests.library.advice.test_rules import BARE, LEAST, SIDES, refused

QUIET = Surroundings(cores=2, memory=16_000_000_000, free=8_000_000_000)


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A path that stands for the mock model, on a quiet computer."""

    def load(command: Load) -> Generator[Event, None, Answering]:
        yield Progress(command.request, Stage.READING, 1, 1)
        if command.settings.context == 1024:
            raise EngineError(FaultKind.MEMORY_SHORT, needed=9, free=1, context=1024)
        loaded = mock_loaded()
        large = replace(loaded.facts, parameters=4_000_000_000, bits_per_weight=5.0)
        return Answering(replace(loaded, facts=large))

    monkeypatch.setattr(cli_terminal, "Engine", lambda: Engine(load))
    monkeypatch.setattr(cli_advise, "_surroundings", lambda _: QUIET)
    monkeypatch.setattr(cli_advise, "_here", tuple)
    path = tmp_path / "mock.gguf"
    path.touch()
    monkeypatch.setattr(cli_advise, "read_surroundings", lambda: QUIET)
    giant = replace(model_facts(path), size_bytes=10**13)
    monkeypatch.setattr(cli_advise, "identify", lambda _: giant)
    return path


def run(model: Path, capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str]:
    status = cli.main(["advise", str(model), *options])
    return status, capsys.readouterr().out


def test_what_is_wrong_is_said_with_what_to_type(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out = run(model, capsys, "--temperature", "2", "--threads", "1", "--max-tokens", "4")
    assert status == cli_advise.FOUND_STATUS
    assert "The temperature is 2; the model wants" in out
    assert "leave the options of the sampler away" in out
    assert "cut at the limit of 4 tokens" in out


def test_json_has_findings_and_figures(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out = run(model, capsys, "--temperature", "2", "--json")
    told = json.loads(out)
    assert status == cli_advise.FOUND_STATUS
    assert "hot" in [each["rule"] for each in told["findings"]]
    assert told["answered"]["generated_tokens"] > 0
    assert told["around"]["cores"] == 2


def test_a_model_that_does_not_fit_is_judged_and_fails(
    model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out = run(model, capsys, "--context", "1024")
    assert status == 1
    assert "are more than the 8.0 GB that are free" in out


def test_every_finding_has_a_sentence() -> None:
    told = {found.rule: found for _, facts, _ in SIDES for found in advise(facts)}
    for free in (BARE - 1, BARE, LEAST):
        told |= {found.rule: found for found in advise(refused(free))}
    assert set(told) | {"gpu-full"} == {rule.name for rule in RULES}
    for found in told.values():
        assert "{" not in finding_sentence(found)
        for action in found.actions:
            said = action_sentence(action)
            assert said or action.remedy in {
                Remedy.UNLOAD, Remedy.MONITOR, Remedy.SHOW_FILE, Remedy.MODEL_SETTINGS,
                Remedy.NO_SCHEMA, Remedy.TEMPLATE, Remedy.OWN_TEMPLATE,
            }  # fmt: skip


def test_a_fault_of_another_kind_is_the_usual_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["advise", str(tmp_path / "none.gguf")]) == 1
    assert "There is no file or folder" in capsys.readouterr().err
