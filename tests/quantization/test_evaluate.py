"""The quality report of a real model against itself: the same file must be found the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.cli import main
from engine.contract import EngineError, FaultKind
from engine.evaluating import evaluate
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


def test_a_model_without_a_tokenizer_is_a_named_fault(tmp_path: Path) -> None:
    folder = write_llama(tmp_path / "bare", layers=1)
    with pytest.raises(EngineError) as caught:
        evaluate(folder, folder, 8, lambda stage, done, total: None)
    assert caught.value.fault.kind is FaultKind.TOKENIZER_MISSING
