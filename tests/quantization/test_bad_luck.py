"""What can go wrong around a copy while it is made: each has its name, and is gone on from."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from engine.cli import main
from engine.contract import EngineError, Fault, FaultKind
from engine.library.partial_copies import partial_folder
from engine.library.recipes import PRESETS
from engine.quantization import partial
from engine.quantization.job import Job, Made
from engine.quantizing import open_source
from tests.library.model_files import llama_gguf
from tests.quantization.models import source_of, write_llama

RECIPE = PRESETS["4"]
Told = Callable[[Made], None]


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_llama(tmp_path_factory.mktemp("models") / "llama")


@pytest.fixture(scope="module")
def whole(llama: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("whole") / "copy"
    Job(source_of(llama), target, RECIPE, lambda made: None).run()
    return target


def refused(source: Path, target: Path, told: Told = lambda made: None) -> EngineError:
    with pytest.raises(EngineError) as caught:
        Job(source_of(source), target, RECIPE, told).run()
    return caught.value


def goes_on(source: Path, target: Path, whole: Path) -> list[Made]:
    """Make it again; it ends with the copy that was never interrupted."""
    seen: list[Made] = []
    Job(source_of(source), target, RECIPE, seen.append).run()
    for file in sorted(whole.glob("*.safetensors")):
        kept, wanted = load_file(target / file.name), load_file(file)
        assert kept.keys() == wanted.keys()
        assert all(kept[name].equal(wanted[name]) for name in wanted)
    return seen


@pytest.mark.parametrize("at", [1, 3, 6, 9])
def test_a_disk_that_fills_up_is_named_with_figures_and_gone_on_from(
    llama: Path, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    """safetensors says it in words: they hold the system's number. In either pass."""
    written = 0

    def fills(tensors: object, path: Path, **named: object) -> None:
        nonlocal written
        written += 1
        if written > at:
            path.write_bytes(b"half")
            words = "Error while serializing: I/O error: No space left on device (os error 28)"
            raise SafetensorError(words)
        save_file(tensors, path, **named)  # type: ignore[arg-type]

    target = tmp_path / "copy"
    with monkeypatch.context() as patch:
        patch.setattr(partial, "save_file", fills)
        error = refused(llama, target)
    figures = error.fault.figures
    assert error.fault.kind is FaultKind.DISK_FULL
    assert figures["path"] == str(target)
    assert int(figures["needed"]) > 0
    assert int(figures["kept"]) == Job(source_of(llama), target, RECIPE, print)._partial.taken > 0
    assert not list(partial_folder(target).glob("*.tmp"))  # half a file would take the room
    assert not target.exists()
    goes_on(llama, target, whole)


@pytest.mark.parametrize("stage", ["measuring", "rounding"])
@pytest.mark.parametrize("done", [1, 2])
def test_what_is_stopped_in_either_pass_goes_on_with_the_next_layer(
    llama: Path, whole: Path, tmp_path: Path, stage: str, done: int
) -> None:
    def told(made: Made) -> None:
        if (made.stage, made.done) == (stage, done):
            raise KeyboardInterrupt

    target = tmp_path / "copy"
    with pytest.raises(KeyboardInterrupt):
        Job(source_of(llama), target, RECIPE, told).run()
    seen = goes_on(llama, target, whole)
    again = [made.done for made in seen if made.stage == "rounding"]
    assert again[0] == (done if stage == "rounding" else 0)


def test_a_place_that_may_not_be_written_is_said_before_anything_is_read(
    llama: Path, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.quantization.plan.os.access", lambda *_: False)
    error = refused(llama, tmp_path / "copy")
    assert error.fault.kind is FaultKind.UNWRITABLE
    assert error.fault.figures["reason"] == f"{os.strerror(errno.EACCES)}."
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_goes_away_in_the_middle_is_named_and_begun_anew_when_it_is_back(
    llama: Path, whole: Path, tmp_path: Path
) -> None:
    """As a disk that is taken out, of which an empty place is left."""
    disk = tmp_path / "disk"
    disk.mkdir()

    def told(made: Made) -> None:
        if made.stage == "rounding" and made.done == 2:
            shutil.rmtree(disk)

    error = refused(llama, disk / "copy", told)
    assert error.fault.kind is FaultKind.FOLDER_GONE
    disk.mkdir()
    goes_on(llama, disk / "copy", whole)


def test_a_source_that_is_deleted_in_the_middle_is_named_and_gone_on_from_when_it_is_back(
    llama: Path, whole: Path, tmp_path: Path
) -> None:
    source = shutil.copytree(llama, tmp_path / "source")

    def told(made: Made) -> None:
        if made.stage == "rounding" and made.done == 2:
            shutil.rmtree(source)

    error = refused(source, tmp_path / "copy", told)
    assert error.fault.kind is FaultKind.FILE_MISSING
    assert error.fault.figures["path"] == str(source / "model.safetensors")
    shutil.copytree(llama, source)
    goes_on(source, tmp_path / "copy", whole)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of a megabyte, where this user may make one."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)]
    try:
        mounted = subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        mounted = False
    if not mounted:
        pytest.skip("this user may not mount a disk")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def test_a_real_disk_that_fills_up_is_named_and_gone_on_from(
    llama: Path, whole: Path, small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.quantization.plan._SPARE", 0)
    other = small_disk / "other"

    def told(made: Made) -> None:
        if (made.stage, made.done) == ("rounding", 1):
            free = shutil.disk_usage(small_disk).free
            other.write_bytes(bytes(free - (free % 4096)))

    subprocess.run(["mount", "-o", "remount,size=64m", str(small_disk)], check=True)
    error = refused(llama, small_disk / "copy", told)
    assert error.fault.kind is FaultKind.DISK_FULL
    assert error.fault.figures["free"] == 0
    other.unlink()
    goes_on(llama, small_disk / "copy", whole)


def test_a_text_without_words_is_named_and_not_called_a_prompt(
    starter_model: Path, tmp_path: Path
) -> None:
    empty = tmp_path / "empty.txt"
    empty.write_bytes(b"")
    with pytest.raises(EngineError) as caught:
        open_source(starter_model, empty)
    assert caught.value.fault == Fault(FaultKind.TEXT_EMPTY, {"path": str(empty)})


def test_what_writes_no_replies_is_not_made_smaller(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    embed = llama_gguf(**{"general.architecture": "nomic-bert"}).write(tmp_path / "embed.gguf")
    assert main(["quantize", str(embed), str(tmp_path / "copy")]) == 1
    assert "writes none" in capsys.readouterr().err


@pytest.mark.parametrize("share", ["7", "-1", "nan"])
def test_a_share_is_between_nothing_and_all(
    share: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["quantize", "starter", str(tmp_path / "copy"), "--kept", share])
    assert "outside 0 to 1" in capsys.readouterr().err
