"""What is noted of models outlives the program, and damage costs nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.store.model_notes import ModelNote, ModelNotes
from app.store.worker import InlineWorker

MODEL = Path("/模型/m.gguf")


def test_notes_are_there_again(tmp_path: Path) -> None:
    file = tmp_path / "models.json"
    notes = ModelNotes(file, InlineWorker())
    notes.change(MODEL, name="我的", pinned=True)
    notes.change(MODEL, last_used=7)
    notes.change(Path("/other"), sha256="ab")
    notes.forget(Path("/other"))
    again = ModelNotes(file, InlineWorker())
    assert again.of(MODEL) == ModelNote("我的", True, 7)
    assert again.of(Path("/other")) == ModelNote()


@pytest.mark.parametrize("damage", ["{", "[]", '{"/m": 3}', '{"/m": {"pinned": "yes"}}'])
def test_damaged_notes_are_none(tmp_path: Path, damage: str) -> None:
    (tmp_path / "models.json").write_text(damage)
    assert ModelNotes(tmp_path / "models.json", InlineWorker()).of(Path("/m")) == ModelNote()
