"""Finding models wherever they lie."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from engine.contract import FaultKind
from engine.library.folders import models_folder
from engine.library.scan import Found, scan
from engine.library.sources import Source, SourceKind
from tests.library.model_files import llama_folder, llama_gguf
from tests.library.stores import ollama_store


def scan_added(*folders: Path) -> list[Found]:
    return scan([Source(SourceKind.ADDED, folder) for folder in folders])


def names(found: list[Found]) -> list[str]:
    return [f.facts.name if f.facts else f"!{f.path.name}" for f in found]


def test_D10_models_are_found_at_any_depth(tmp_path: Path) -> None:
    for depth in range(6):
        folder = tmp_path.joinpath(*(f"d{i}" for i in range(depth)))
        llama_gguf().write(folder / f"m{depth}.gguf")
    llama_folder(tmp_path / "a" / "b" / "hub model")
    assert names(scan_added(tmp_path)) == ["hub model", "m0", "m1", "m2", "m3", "m4", "m5"]


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_D11_one_dangling_link_hides_nothing(tmp_path: Path) -> None:
    llama_gguf().write(tmp_path / "m.gguf")
    (tmp_path / "gone.gguf").symlink_to(tmp_path / "nowhere.gguf")
    (tmp_path / "gone").symlink_to(tmp_path / "nowhere")
    (tmp_path / "self").symlink_to(tmp_path / "self")
    (tmp_path / "up").symlink_to(tmp_path)
    assert names(scan_added(tmp_path)) == ["m"]


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_model_behind_a_link_is_found_once(tmp_path: Path) -> None:
    llama_gguf().write(tmp_path / "store" / "m.gguf")
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "link.gguf").symlink_to(tmp_path / "store" / "m.gguf")
    (tmp_path / "models" / "folder").symlink_to(tmp_path / "store")
    assert len(scan_added(tmp_path / "models")) == 1
    assert len(scan_added(tmp_path / "models", tmp_path / "store")) == 1


def test_D7_chinese_names_and_spaces_are_names_like_any(tmp_path: Path) -> None:
    llama_gguf().write(tmp_path / "資料 測試 檔" / "模型 一.gguf")
    assert names(scan_added(tmp_path / "資料 測試 檔")) == ["模型 一"]


def test_a_bad_file_is_listed_with_its_fault_and_hides_nothing(tmp_path: Path) -> None:
    good = llama_gguf().to_bytes()
    (tmp_path / "cut.gguf").write_bytes(good[:-100])
    (tmp_path / "text.gguf").write_text("<html>")
    (tmp_path / "good.gguf").write_bytes(good)
    (tmp_path / "pickled").mkdir()
    (tmp_path / "pickled" / "config.json").write_text('{"model_type": "llama"}')
    (tmp_path / "pickled" / "pytorch_model.bin").write_bytes(b"")
    found = {f.path.name: f.fault.kind if f.fault else None for f in scan_added(tmp_path)}
    assert found == {
        "cut.gguf": FaultKind.FILE_TRUNCATED,
        "text.gguf": FaultKind.FORMAT_UNSUPPORTED,
        "good.gguf": None,
        "pickled": FaultKind.PICKLE_REFUSED,
    }


def test_what_is_no_model_is_not_listed(tmp_path: Path) -> None:
    llama_gguf(**{"general.architecture": "clip"}).write(tmp_path / "mmproj.gguf")
    (tmp_path / "m.gguf.part").write_bytes(b"GGUF")
    (tmp_path / "pooling").mkdir()
    (tmp_path / "pooling" / "config.json").write_text('{"word_embedding_dimension": 3}')
    (tmp_path / "pooling" / "model.safetensors").write_bytes(b"")
    (tmp_path / "a folder.gguf").mkdir()
    assert scan_added(tmp_path, tmp_path / "absent") == []


def test_a_model_in_parts_is_listed_once(tmp_path: Path) -> None:
    first = llama_gguf(**{"split.count": 2, "split.tensors.count": 3})
    second = llama_gguf(**{"split.count": 2})
    second.tensors = [("output.weight", *first.tensors[0][1:])]
    first.write(tmp_path / "m-Q8_0-00001-of-00002.gguf")
    second.write(tmp_path / "m-Q8_0-00002-of-00002.gguf")
    (found,) = scan_added(tmp_path)
    assert found.facts is not None
    assert found.facts.name == "m"
    assert found.facts.parameters == 2 * 96 * 64 + 64
    assert found.facts.size_bytes == sum(p.stat().st_size for p in tmp_path.iterdir())


def test_the_models_folder_follows_inkstone_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INKSTONE_HOME", str(tmp_path / "家 目录"))
    assert models_folder() == tmp_path / "家 目录" / "models"
    monkeypatch.delenv("INKSTONE_HOME")
    assert models_folder().name == "models"
    assert models_folder().parent.name == "Inkstone"


def test_a_part_whose_first_part_is_missing_is_listed_once_and_says_so(tmp_path: Path) -> None:
    for number in (2, 3):
        llama_gguf().write(tmp_path / f"big-0000{number}-of-00003.gguf")
    (found,) = scan_added(tmp_path)
    assert found.fault is not None
    assert found.fault.kind is FaultKind.FILE_MISSING
    assert found.fault.figures["path"] == str(tmp_path / "big-00001-of-00003.gguf")
    assert found.called == "big-00002-of-00003.gguf"


def test_what_cannot_be_read_is_called_what_the_person_knows_it_as(tmp_path: Path) -> None:
    store, cut = tmp_path / "ollama", tmp_path / "cut.gguf"
    cut.write_bytes(llama_gguf().to_bytes()[:-100])
    ollama_store(store, cut, "someone/cut:4b")
    hub = tmp_path / "hub" / "models--x--Broken" / "snapshots" / "c0ffee"
    llama_folder(hub)
    (hub / "model.safetensors").write_bytes(b"")
    sources = [
        Source(SourceKind.OLLAMA, store),
        Source(SourceKind.HUGGING_FACE, tmp_path / "hub"),
    ]
    assert [each.called for each in scan(sources) if each.fault] == ["Broken", "someone/cut:4b"]
