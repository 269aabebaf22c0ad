"""The tar form's versions: unpacked beside, switched by one link, taken back, on tiny trees."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from app.update import versions
from app.update.form import Form, frozen_place
from app.update.record import Step, keep_step, read_step
from app.update.versions import drop_others, first_version, has_version, switch, unpack
from engine.contract import EngineError, FaultKind
from engine.library.downloads.disk import Cancelled
from installers.making.steps import INSTALLERS
from tests.update.publisher import tar_package

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the tar form is for Linux")
NEVER: Callable[[], bool] = lambda: False  # noqa: E731


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """What somebody unpacked of 1.2.0, with the launchers that are shipped."""
    with tarfile.open(fileobj=io.BytesIO(tar_package("1.2.0"))) as archive:
        archive.extractall(tmp_path, filter="data")
    folder = tmp_path / "inkstone-1.2.0-linux-x86_64"
    for name in ("inkstone", "inkstone-window"):
        shutil.copy(INSTALLERS / "linux" / "launcher.sh", folder / name)
    return folder


def package(folder: Path, version: str) -> Path:
    file = folder / f"inkstone-{version}.tar.xz"
    file.write_bytes(tar_package(version))
    return file


def started(root: Path) -> str:
    """What the launcher starts; over a link to it, as the menu's entry is one."""
    link = root.parent / "link to inkstone-window"
    if not link.exists():
        (root.parent / "bin").mkdir()
        link = root.parent / "bin" / "inkstone-window"
        link.symlink_to(root / "inkstone-window")
    ran = subprocess.run(["sh", str(link)], capture_output=True, text=True, check=True)
    shutil.rmtree(root.parent / "bin")
    return ran.stdout.strip()


def test_a_version_is_unpacked_beside_and_starts_when_it_is_switched_to(root: Path) -> None:
    made = unpack(package(root.parent, "1.3.0"), root, "1.3.0", NEVER)
    assert made == root / "versions" / "1.3.0"
    assert started(root) == "1.2.0"
    switch(root, "1.3.0")
    assert started(root) == "1.3.0"
    switch(root, "1.2.0")
    assert started(root) == "1.2.0"


def test_the_version_before_is_kept_until_the_next_update(root: Path) -> None:
    for version, kept in (("1.3.0", {"1.2.0", "1.3.0"}), ("1.4.0", {"1.3.0", "1.4.0"})):
        unpack(package(root.parent, version), root, version, NEVER)
        switch(root, version)
        drop_others(root, kept)
    assert not has_version(root, "1.2.0")
    assert has_version(root, "1.3.0")
    assert first_version(root) == ""
    assert started(root) == "1.4.0"
    switch(root, "1.3.0")
    assert started(root) == "1.3.0"


def test_an_archive_that_is_cut_or_holds_no_program_changes_nothing(root: Path) -> None:
    file = package(root.parent, "1.3.0")
    file.write_bytes(file.read_bytes()[:120])
    with pytest.raises(EngineError) as caught:
        unpack(file, root, "1.3.0", NEVER)
    assert caught.value.fault.kind is FaultKind.FILE_DAMAGED
    with tarfile.open(file, "w:xz") as archive:
        archive.addfile(tarfile.TarInfo("something/else"))
    with pytest.raises(EngineError):
        unpack(file, root, "1.3.0", NEVER)
    assert list((root / "versions").iterdir()) == []


def test_a_file_that_leads_out_of_the_folder_is_refused(root: Path) -> None:
    file = root.parent / "bad.tar.xz"
    with tarfile.open(file, "w:xz") as archive:
        archive.addfile(tarfile.TarInfo("inkstone/../../../escaped"))
    with pytest.raises(EngineError) as caught:
        unpack(file, root, "1.3.0", NEVER)
    assert caught.value.fault.kind is FaultKind.FILE_DAMAGED
    assert not list(root.parent.rglob("escaped"))


def test_a_full_disk_and_a_wish_to_stop_leave_nothing(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = package(root.parent, "1.3.0")
    with pytest.raises(Cancelled):
        unpack(file, root, "1.3.0", lambda: True)

    def full(path: Path, needed: int) -> None:
        raise EngineError(FaultKind.DISK_FULL, path=str(path), needed=needed, free=0)

    monkeypatch.setattr(versions, "check_space", full)
    with pytest.raises(EngineError) as caught:
        unpack(file, root, "1.3.0", NEVER)
    assert caught.value.fault.kind is FaultKind.DISK_FULL
    assert list((root / "versions").iterdir()) == []


def test_a_folder_that_cannot_be_written_is_a_named_fault(root: Path) -> None:
    file = package(root.parent, "1.3.0")
    (root / "versions").write_text("in the way")
    with pytest.raises(EngineError) as caught:
        unpack(file, root, "1.3.0", NEVER)
    assert caught.value.fault.kind is FaultKind.UNWRITABLE


def test_where_the_program_runs_is_told_by_where_it_lies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    monkeypatch.delenv("APPIMAGE", raising=False)
    first = tmp_path / "inkstone-1.2.0" / "program" / "inkstone-window"
    place = frozen_place(first, "linux", "")
    assert (place.form, place.root, place.package) == (
        Form.TAR, tmp_path / "inkstone-1.2.0", "linux-x86_64-tar",
    )  # fmt: skip
    later = tmp_path / "inkstone-1.2.0" / "versions" / "1.3.0" / "program" / "inkstone-window"
    assert frozen_place(later, "linux", "").root == tmp_path / "inkstone-1.2.0"
    assert frozen_place(first, "linux", f"/usr\n{first}\n").form is Form.DEB
    assert frozen_place(first, "darwin", "").package == "darwin-x86_64-dmg"
    assert frozen_place(first, "win32", "").form is Form.WINDOWS_ZIP
    first.parent.mkdir(parents=True)
    (first.parent / "unins000.exe").touch()
    assert frozen_place(first, "win32", "").package == "win32-x86_64-setup"
    monkeypatch.setenv("APPIMAGE", "/home/a/Inkstone.AppImage")
    assert frozen_place(first, "linux", "").form is Form.APPIMAGE


def test_a_step_is_kept_and_a_torn_file_is_none(tmp_path: Path) -> None:
    assert read_step(tmp_path) is None
    step = Step("1.2.0", "1.3.0", 5, "", "inkstone_1.3.0-1_amd64.deb")
    keep_step(tmp_path, step)
    assert read_step(tmp_path) == step
    (tmp_path / "step.json").write_text("[")
    assert read_step(tmp_path) is None
