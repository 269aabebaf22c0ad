"""The quality report of a real model against itself: the same file must be found the same."""

from __future__ import annotations

import gc
import json
from dataclasses import replace
from pathlib import Path

import pytest

from engine import evaluating
from engine.cli import main
from engine.contract import EngineError, FaultKind
from engine.evaluating import QualityReport, Spoken, evaluate
from engine.layers.fused import FusedDecoder
from engine.library.smaller import copies_of
from engine.loaded import LoadedModel
from engine.quantization.likeness import Likeness
from tests.quantization.models import write_llama


def test_a_model_is_its_own_equal(starter_model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = str(starter_model)
    assert main(["evaluate", model, "--against", model, "--tokens", "40", "--events"]) == 0
    *progress, found = map(json.loads, capsys.readouterr().out.splitlines())
    assert {line["stage"] for line in progress} == {"loading", "reading"}
    assert found["event"] == "evaluated"
    like = found["likeness"]
    assert like["tokens"] == 78  # each text's last token predicts nothing that is known
    assert like["divergence"] < 1e-6
    assert like["same_top"] == 1
    assert like["perplexity"] == pytest.approx(like["source_perplexity"])
    assert found["copy"]["reply"] == found["source"]["reply"] != ""
    assert found["copy"]["tokens_per_second"] > 0


def test_the_source_is_forgotten_before_the_copy_is_loaded(
    starter_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A computer that holds one of them is enough."""
    load, there = evaluating._load, list[int]()

    def loaded(path: Path) -> LoadedModel:
        there.append(sum(type(each) is FusedDecoder for each in gc.get_objects()))
        return load(path)

    gc.collect()  # what other tests left
    monkeypatch.setattr(evaluating, "_load", loaded)
    evaluate(starter_model, starter_model, 4, lambda stage, done, total: None)
    assert len(there) == 2
    assert there[0] == there[1]


def test_a_model_without_a_tokenizer_is_a_named_fault(tmp_path: Path) -> None:
    folder = write_llama(tmp_path / "bare", layers=1)
    with pytest.raises(EngineError) as caught:
        evaluate(folder, folder, 8, lambda stage, done, total: None)
    assert caught.value.fault.kind is FaultKind.TOKENIZER_MISSING


SPOKEN = Spoken("m", 8, 4.0, "Ice floats.", 9.0, 4, "end_of_turn")
REPORT = QualityReport(SPOKEN, SPOKEN, Likeness(2, 0.1, 0.1, 0.2, 0.5, 9.0, 8.0), [0.1], {})


@pytest.mark.parametrize(
    ("made_of", "asked", "kept"),
    [
        ("source", [], True), ("source", ["--no-keep"], False), ("source", ["--json"], True),
        ("another", [], True), ("another", ["--no-keep"], False),
        ("", [], False), ("", ["--keep"], True),
    ],
)  # fmt: skip
def test_a_report_stays_beside_the_copy_that_was_made_of_the_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made_of: str, asked: list[str], kept: bool
) -> None:
    """Named as one stands beside them, found by the path that the window knows."""
    monkeypatch.setattr("engine.evaluating.evaluate", lambda *asked: REPORT)
    monkeypatch.chdir(tmp_path)
    for name in ("source", "copy"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text("{}")
    if made_of:
        facts = {"source": made_of, "errors": [0.1]}
        (tmp_path / "copy/quantization.json").write_text(json.dumps(facts))
    assert main(["evaluate", "copy", "--against", "source", *asked]) == 0
    found = list(copies_of(tmp_path / "source", [tmp_path / "copy"]))
    assert [one.report["copy"]["reply"] for one in found] == ["Ice floats."] * kept


@pytest.mark.parametrize("ended", ["length", "end_of_turn"])
def test_the_report_says_which_answer_its_limit_ended(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    ended: str,
) -> None:
    cut = replace(SPOKEN, reply="Ice is", tokens=96, ended=ended)
    report = replace(REPORT, source=cut)
    monkeypatch.setattr("engine.evaluating.evaluate", lambda *asked: report)
    for name in ("source", "copy"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text("{}")
    pair = [str(tmp_path / "copy"), "--against", str(tmp_path / "source")]
    assert main(["evaluate", *pair]) == 0
    said = capsys.readouterr().out.splitlines()
    is_cut = ended == "length"
    assert ("source: Ice is … (ended at 96 tokens)" in said) == is_cut
    assert "copy:   Ice floats." in said
    assert ("--ask lets both go on" in said[-1]) == is_cut
    assert main(["evaluate", *pair, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["source"]
    assert (told["tokens"], told["ended"]) == (96, ended)


def test_a_report_against_another_model_does_not_take_the_place_of_the_sources(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.evaluating.evaluate", lambda *asked: REPORT)
    for name in ("source", "another", "copy"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text("{}")
    facts = {"source": "source", "errors": [0.1]}
    copy = tmp_path / "copy"
    (copy / "quantization.json").write_text(json.dumps(facts))
    for name in ("source", "another"):
        assert main(["evaluate", str(copy), "--against", str(tmp_path / name)]) == 0
    assert [one.copy for one in copies_of(tmp_path / "source", [copy])] == [copy]
    assert list(copies_of(tmp_path / "another", [copy])) == []
