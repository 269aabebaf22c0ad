"""A tokenizer of another model is a named fault, never a read past the embedding."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import transformers

from engine.contract import (
    Complete,
    Event,
    Failed,
    FaultKind,
    Finished,
    GenerateSettings,
    Load,
    LoadSettings,
)
from engine.engine import Engine
from tests.doubles.engines import DirectService
from tests.doubles.model_folders import END, VOCABULARY, write_model
from tests.families.parity import tiny


def llama_folder(folder: Path, rows: int) -> Path:
    """A tiny Llama of so many ids with a tokenizer of ``VOCABULARY``."""
    config = transformers.LlamaConfig(
        vocab_size=rows, hidden_size=32, intermediate_size=32, num_hidden_layers=1,
        num_attention_heads=2, bos_token_id=None, eos_token_id=None,
    )  # fmt: skip
    return write_model(folder, tiny(transformers.LlamaForCausalLM, config))


def run(folder: Path, prompt: str) -> list[Event]:
    events: list[Event] = []
    service = DirectService(events.append, Engine)
    service.submit(Load(1, folder, LoadSettings(context=64, threads=1)))
    service.submit(Complete(2, prompt, GenerateSettings(max_tokens=2)))
    service.run_all()
    return [event for event in events if isinstance(event, Failed | Finished)]


@pytest.fixture(autouse=True)
def plain_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INKSTONE_KERNELS", "reference")


def test_a_larger_tokenizer_than_the_model_is_refused_before_it_is_read(tmp_path: Path) -> None:
    refused: Any = run(llama_folder(tmp_path, 200), "abc")[0]
    assert isinstance(refused, Failed)
    assert refused.fault.kind is FaultKind.TOKENIZER_INVALID
    assert refused.fault.figures["detail"] == "token 200 of 257, 200 rows of the embedding"


def test_a_control_token_past_the_embedding_is_named_when_a_prompt_holds_it(
    tmp_path: Path,
) -> None:
    """Gemma 3's tokenizer has one, which text alone never needs."""
    folder = llama_folder(tmp_path, END)
    assert VOCABULARY == END + 1
    answered = run(folder, "abc")
    assert [type(event) for event in answered] == [Finished, Finished]
    path = folder / "tokenizer_config.json"
    settings = json.loads(path.read_text("utf-8")) | {"bos_token": "<end>", "add_bos_token": True}
    path.write_text(json.dumps(settings), encoding="utf-8")
    _, refused = run(folder, "abc")
    assert isinstance(refused, Failed)
    assert refused.fault.kind is FaultKind.TOKENIZER_INVALID
    assert refused.fault.figures["detail"] == "token 256, 256 rows of the embedding"
