"""The same weights twice on a disk."""

from __future__ import annotations

from pathlib import Path

from engine.library.scan import Found, scan
from engine.library.sources import Source, SourceKind
from engine.library.twins import mark_twins
from tests.library.model_files import llama_folder, llama_gguf


def twins(folder: Path) -> dict[str, str]:
    found = mark_twins(scan([Source(SourceKind.ADDED, folder)]))
    return {f.path.name: f.twin.name for f in found if f.twin}


def with_first_byte(value: int, **pairs: object) -> bytes:
    made = llama_gguf(**pairs)
    name, shape, kind, content = made.tensors[0]
    made.tensors[0] = (name, shape, kind, bytes([value]) + content[1:])
    return made.to_bytes()


def test_the_same_weights_under_another_name_are_a_twin(tmp_path: Path) -> None:
    (tmp_path / "a.gguf").write_bytes(with_first_byte(1))
    renamed = {"general.name": "A much longer name than before", "tokenizer.chat_template": None}
    (tmp_path / "b.gguf").write_bytes(with_first_byte(1, **renamed))
    (tmp_path / "c.gguf").write_bytes(with_first_byte(2))
    assert twins(tmp_path) == {"b.gguf": "a.gguf"}


def test_folders_are_compared_too(tmp_path: Path) -> None:
    for name in ("one", "two"):
        llama_folder(tmp_path / name)
    assert twins(tmp_path) == {"two": "one"}


def test_a_file_that_vanishes_is_no_twin(tmp_path: Path) -> None:
    (tmp_path / "a.gguf").write_bytes(with_first_byte(1))
    (tmp_path / "b.gguf").write_bytes(with_first_byte(1))
    found: list[Found] = scan([Source(SourceKind.ADDED, tmp_path)])
    (tmp_path / "a.gguf").unlink()
    assert [f.twin for f in mark_twins(found)] == [None, None]
