"""What ``python -m engine models`` lists, and which names it takes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.cli import main
from engine.cli_options import model_path
from engine.contract import EngineError, FaultKind
from engine.library.folders import models_folder
from tests.library.model_files import llama_folder, llama_gguf
from tests.library.stores import ollama_store


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without other programs' models."""
    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    monkeypatch.delenv("OLLAMA_MODELS", raising=False)
    return tmp_path / "home"


def test_what_cannot_be_used_is_listed_with_its_reason(
    capsys: pytest.CaptureFixture[str],
) -> None:
    own = models_folder()
    llama_gguf().write(own / "good.gguf")
    llama_gguf(**{"general.architecture": "nomic-bert"}).write(own / "embed.gguf")
    (own / "cut.gguf").write_bytes(llama_gguf().to_bytes()[:-100])
    llama_gguf().write(own / "two\nlines.gguf")
    assert main(["models"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines if line] == [
        "embed", "good", "two", "These", "cut.gguf:",
    ]  # fmt: skip
    assert lines[0].endswith("(cannot be run: it writes no replies)")
    assert "is incomplete" in lines[-1]
    assert main(["models", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert {name: (row["support"], row["fault"]) for name, row in rows.items()} == {
        "cut.gguf": ("", "file_truncated"), "embed": ("unsupported", ""),
        "good": ("fast", ""), "two lines": ("fast", ""),
    }  # fmt: skip


def test_names_of_two_columns_a_letter_leave_the_sizes_below_each_other(
    capsys: pytest.CaptureFixture[str],
) -> None:
    llama_gguf().write(models_folder() / "a.gguf")
    llama_gguf().write(models_folder() / "模型.gguf")
    assert main(["models"]) == 0
    latin, chinese = capsys.readouterr().out.splitlines()
    assert latin.index("kB") == chinese.index("kB") + len("模型")


def test_a_name_of_ollama_without_a_tag_is_the_latest(home: Path, tmp_path: Path) -> None:
    blob = ollama_store(
        home / ".ollama" / "models", llama_gguf().write(tmp_path / "m.gguf"), "small:latest"
    )
    assert model_path("small") == blob


def test_a_folder_that_is_no_model_stands_for_the_one_below_it(tmp_path: Path) -> None:
    cache = tmp_path / "models--me--Small"
    inside = llama_folder(cache / "snapshots" / "c0ffee")
    assert model_path(str(cache)) == inside
    llama_gguf().write(cache / "other" / "second.gguf")
    with pytest.raises(EngineError) as caught:
        model_path(str(cache))
    assert "second.gguf" in str(caught.value.fault.figures["allowed"])


@pytest.mark.parametrize(("beside", "kind"), [("", "unknown"), ("adapter_config.json", "adapter")])
def test_a_folder_without_a_model_is_named_as_what_it_is(
    tmp_path: Path, beside: str, kind: str
) -> None:
    (tmp_path / "notes").mkdir()
    if beside:
        (tmp_path / "notes" / beside).write_text("{}")
    with pytest.raises(EngineError) as caught:
        model_path(str(tmp_path / "notes"))
    assert caught.value.fault.kind is FaultKind.FORMAT_UNSUPPORTED
    assert caught.value.fault.figures["format"] == kind
