"""Verifying a model, and deleting one of ours."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from engine.contract import EngineError, FaultKind
from engine.library.removal import is_ours, remove_model
from engine.library.verify import Verdict, verify
from tests.library import stores
from tests.library.model_files import llama_folder, llama_gguf


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "own" / "tiny" / "m.gguf"
    llama_gguf().write(path)
    return path


def test_a_hash_is_compared_with_the_earlier_one(model: Path) -> None:
    counted: list[tuple[int, int]] = []
    first = verify(model, progress=lambda *both: counted.append(both))
    assert first is not None
    assert first.verdict is Verdict.FIRST
    assert first.sha256 == hashlib.sha256(model.read_bytes()).hexdigest()
    assert counted[-1] == (model.stat().st_size, model.stat().st_size)
    again = verify(model, first.sha256)
    assert again is not None
    assert again.verdict is Verdict.MATCHES_EARLIER
    content = bytearray(model.read_bytes())
    content[-1] ^= 1
    model.write_bytes(content)
    changed = verify(model, first.sha256)
    assert changed is not None
    assert changed.verdict is Verdict.CHANGED


def test_a_store_that_names_its_files_by_their_hash_publishes_it(
    tmp_path: Path, model: Path
) -> None:
    blob = stores.ollama_store(tmp_path / "models", model, "tiny:4b")
    matches = verify(blob)
    assert matches is not None
    assert matches.verdict is Verdict.MATCHES_PUBLISHED
    content = bytearray(blob.read_bytes())
    content[-1] ^= 1
    blob.unlink()
    blob.write_bytes(content)
    changed = verify(blob)
    assert changed is not None
    assert changed.verdict is Verdict.CHANGED


def test_a_folder_has_a_hash_over_its_weights(tmp_path: Path) -> None:
    folder = llama_folder(tmp_path / "folder")
    found = verify(folder)
    assert found is not None
    weights = (folder / "model.safetensors").read_bytes()
    assert found.sha256 == hashlib.sha256(weights).hexdigest()


def test_a_cut_file_is_named_before_anything_is_hashed(model: Path) -> None:
    model.write_bytes(model.read_bytes()[:-64])
    with pytest.raises(EngineError) as fault:
        verify(model)
    assert fault.value.fault.kind is FaultKind.FILE_TRUNCATED


def test_verifying_can_be_cancelled(model: Path) -> None:
    assert verify(model, cancelled=lambda: True) is None


def test_a_model_of_ours_is_deleted_with_its_empty_folders(tmp_path: Path, model: Path) -> None:
    own, size = tmp_path / "own", model.stat().st_size
    assert is_ours(model, own)
    assert remove_model(model, own) == size
    assert own.is_dir()
    assert list(own.iterdir()) == []


def test_a_folder_is_deleted_without_the_models_beside_it(tmp_path: Path, model: Path) -> None:
    own = tmp_path / "own"
    llama_folder(own)  # the files of a model among other models
    remove_model(own, own)
    assert [path.name for path in own.rglob("*")] == ["tiny", "m.gguf"]


def test_other_programs_files_are_never_deleted(tmp_path: Path, model: Path) -> None:
    theirs = stores.lm_studio_tree(tmp_path / "lm", "org", "tiny", model)
    with pytest.raises(EngineError):
        remove_model(theirs, tmp_path / "own")
    assert theirs.exists()


def test_all_parts_of_a_model_are_deleted(tmp_path: Path) -> None:
    first = llama_gguf(**{"split.count": 2, "split.tensors.count": 3})
    second = llama_gguf(**{"split.count": 2})
    second.tensors = [("output.weight", *first.tensors[0][1:])]
    own = tmp_path / "own"
    first.write(own / "m-00001-of-00002.gguf")
    second.write(own / "m-00002-of-00002.gguf")
    remove_model(own / "m-00001-of-00002.gguf", own)
    assert list(own.iterdir()) == []
