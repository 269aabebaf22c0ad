"""Models in several GGUF files."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from engine.contract import EngineError, FaultKind
from engine.storage.gguf_split import is_later_part
from engine.storage.open import open_checkpoint
from engine.weights import dense
from tests.storage.gguf_file import GgufFile

F32 = 0


def part(number: int, count: int, *names: str, **pairs: int) -> GgufFile:
    values = {"split.no": number, "split.count": count, **pairs}
    value = float(number + 1)
    tensors = [(n, (2, 4), F32, torch.full((8,), value).numpy().tobytes()) for n in names]
    return GgufFile(pairs=dict(values), tensors=list(tensors))


def write(folder: Path, *files: GgufFile, stem: str = "big model") -> list[Path]:
    return [
        file.write(folder / f"{stem}-{i:05}-of-{len(files):05}.gguf")
        for i, file in enumerate(files, 1)
    ]


def fault_of(path: Path) -> EngineError:
    with pytest.raises(EngineError) as caught:
        open_checkpoint(path)
    return caught.value


@pytest.mark.parametrize("opened", [0, 1, 2])
def test_any_part_opens_all(tmp_path: Path, opened: int) -> None:
    total = {"split.tensors.count": 4}
    paths = write(tmp_path, part(0, 3, "a", **total), part(1, 3, "b", "c"), part(2, 3, "d"))
    checkpoint = open_checkpoint(paths[opened])
    assert list(checkpoint.names()) == ["a", "b", "c", "d"]
    assert checkpoint.metadata["split.tensors.count"] == 4
    assert [float(dense(checkpoint.read(n))[1, 3]) for n in "abcd"] == [1, 2, 2, 3]


def test_a_missing_part_is_named(tmp_path: Path) -> None:
    paths = write(tmp_path, part(0, 2, "a"), part(1, 2, "b"))
    paths[1].unlink()
    error = fault_of(paths[0])
    assert error.fault.kind is FaultKind.FILE_MISSING
    assert error.fault.figures["path"] == str(paths[1])


def test_parts_that_do_not_belong_together_are_damage(tmp_path: Path) -> None:
    cases = [
        (part(0, 2, "a"), part(1, 3, "b")),
        (part(0, 2, "a"), part(1, 2, "a")),
        (part(0, 2, "a", **{"split.tensors.count": 5}), part(1, 2, "b")),
    ]
    for number, files in enumerate(cases):
        path, _ = write(tmp_path / str(number), *files)
        assert fault_of(path).fault.kind is FaultKind.FILE_DAMAGED


def test_a_renamed_part_is_not_taken_for_a_model(tmp_path: Path) -> None:
    path = part(0, 2, "a").write(tmp_path / "renamed.gguf")
    assert "one of 2 parts" in str(fault_of(path).fault.figures["detail"])
    path = part(0, 1, "a").write(tmp_path / "m-00007-of-00003.gguf")
    assert fault_of(path).fault.kind is FaultKind.FILE_DAMAGED


def test_a_single_part_is_a_model(tmp_path: Path) -> None:
    (path,) = write(tmp_path, part(0, 1, "a"))
    assert list(open_checkpoint(path).names()) == ["a"]


def test_later_parts_are_known_by_their_name() -> None:
    assert not is_later_part(Path("m-00001-of-00002.gguf"))
    assert is_later_part(Path("m-00002-of-00002.gguf"))
    assert not is_later_part(Path("m.gguf"))
