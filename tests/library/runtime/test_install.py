"""The runtime comes whole or not at all, whatever the network, the disk and the files do."""

from __future__ import annotations

import errno
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from engine.contract import EngineError, FaultKind, NoticeKind
from engine.library.downloads.pace import RateLimit
from engine.library.downloads.transfer import Cancelled
from engine.library.runtime import install as installing
from engine.library.runtime import place
from engine.library.runtime.install import install, plan_install, unpack
from engine.library.runtime.place import (
    find_runtime,
    folder_of,
    give_up_runtime,
    held_bytes,
    remove_runtime,
    runtime_folder,
    runtime_notices,
    use_runtime,
)
from engine.library.runtime.variants import this_platform
from tests.library.file_server import Site, serve
from tests.library.runtime.wheelhouse import CUBLAS, TORCH, VARIANT, entry, index, settings, shop
from tests.library.runtime.wheelhouse import wheel as make_wheel

HERE = VARIANT.__class__(
    VARIANT.name, VARIANT.torch, (this_platform(),), VARIANT.driver, VARIANT.capability,
    VARIANT.wheels,
)  # fmt: skip


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("INKSTONE_HOME", str(tmp_path / "家"))
    monkeypatch.setattr(place, "read_variants", lambda: (HERE,))
    return tmp_path


def run(
    site: Site,
    attempt: Callable[[Path], str] = lambda _: "",
    cancelled: Callable[[], bool] = lambda: False,
) -> list[tuple[int, int]]:
    seen: list[tuple[int, int]] = []
    with serve(site):
        plan = plan_install(HERE, settings(site))
        progress = seen.append
        install(plan, settings(site), lambda *now: progress(now), cancelled, attempt, RateLimit())
    return seen


def fault_of(site: Site, attempt: Callable[[Path], str] = lambda _: "") -> FaultKind:
    with pytest.raises(EngineError) as caught:
        run(site, attempt)
    assert find_runtime() is None
    assert not list(runtime_folder().glob(".new-*"))
    return caught.value.fault.kind


def test_it_comes_whole_is_found_and_goes_again() -> None:
    seen = run(shop())
    folder = folder_of(HERE)
    for name, content in TORCH.items():
        assert (folder / name).read_bytes() == content
    assert (folder / "nvidia" / "cublas" / "lib.so").is_file()
    assert (folder / "nvidia" / "more.py").read_bytes() == b"# more\n"
    assert find_runtime() == place.Runtime(folder)
    assert (
        seen[-1][0]
        == seen[-1][1]
        == sum(len(content) for content in (make_wheel(TORCH), make_wheel(CUBLAS)))
    )
    assert not list(runtime_folder().glob(".wheels-*"))
    held = held_bytes()
    assert held > 16384
    assert remove_runtime() == held
    assert find_runtime() is None
    assert not runtime_folder().exists()


def test_a_connection_that_breaks_is_continued() -> None:
    site = shop()
    site.breaks_after = 100_000  # the pages pass; then in a file
    torch = make_wheel(TORCH | {"torch/more.bin": _noise(200_000)})
    site.files["/files/torch-2.13.0-py3-none-any.whl"] = torch
    index(site, "torch", entry("torch-2.13.0-py3-none-any.whl", torch))
    with serve(site):
        plan = plan_install(HERE, settings(site))
        site.breaks_after, site.ranges = 100_000, []
        install(plan, settings(site), lambda *_: None, lambda: False, lambda _: "", RateLimit())
    assert "bytes=100000-" in site.ranges
    assert find_runtime() is not None


def test_a_stopped_one_keeps_what_arrived() -> None:
    site = shop()
    asked: list[str] = []

    def after_torch() -> bool:
        return any(runtime_folder().rglob("torch-2.13.0*.whl"))

    with pytest.raises(Cancelled):
        run(site, cancelled=after_torch)
    assert find_runtime() is None
    site.ranges.clear()
    run(site, lambda folder: asked.append(folder.name) or "")  # type: ignore[func-returns-value]
    assert len(site.ranges) == 3  # two pages, and the one wheel that was missing
    assert asked == [f".new-{folder_of(HERE).name}"]
    assert find_runtime() is not None


def test_a_wrong_hash_leaves_nothing_to_trust() -> None:
    site = shop()
    site.files["/files/torch-2.13.0-py3-none-any.whl"] = bytes(len(make_wheel(TORCH)))
    assert fault_of(site) is FaultKind.HASH_MISMATCH
    assert not list(runtime_folder().rglob("torch-*"))


def test_what_is_no_wheel_is_named() -> None:
    site = shop()
    site.files["/files/torch-2.13.0-py3-none-any.whl"] = b"no archive"
    index(site, "torch", entry("torch-2.13.0-py3-none-any.whl", b"no archive"))
    assert fault_of(site) is FaultKind.FILE_DAMAGED


@pytest.mark.parametrize("name", ["../out.py", "/out.py", "a/../../out.py", "c:\\out.py"])
def test_a_file_that_leads_out_is_refused(tmp_path: Path, name: str) -> None:
    wheel, folder = tmp_path / "x.whl", tmp_path / "in"
    wheel.write_bytes(make_wheel({name: b"x"}))
    folder.mkdir()
    with pytest.raises(EngineError) as caught:
        unpack(wheel, folder, lambda: False)
    assert caught.value.fault.kind is FaultKind.FILE_DAMAGED
    assert not list(tmp_path.rglob("out.py"))


def test_a_full_disk_is_said_before_anything_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    site = shop()
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=100))
    assert fault_of(site) is FaultKind.DISK_FULL
    assert len(site.ranges) == 2  # the pages alone


def test_a_disk_that_fills_while_unpacking(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(installing, "_write", full)
    assert fault_of(shop()) is FaultKind.DISK_FULL


def test_one_that_does_not_start_is_not_used_and_not_fetched_twice() -> None:
    site = shop()
    assert fault_of(site, lambda _: "no libcuda.so.1") is FaultKind.RUNTIME_FAILS
    site.ranges.clear()
    run(site)
    assert len(site.ranges) == 2  # the pages alone


@pytest.mark.parametrize(
    ("files", "kind"),
    [
        ((), FaultKind.FILE_GONE),
        ((entry("torch-2.13.0-cp27-cp27m-win32.whl", b""),), FaultKind.FILE_GONE),
        ((entry("torch-2.12.0-py3-none-any.whl", b""),), FaultKind.FILE_GONE),
        ((entry("torch-2.13.0-py3-none-any.whl", b"", yanked="broken"),), FaultKind.FILE_GONE),
        ((entry("torch-2.13.0.tar.gz", b""),), FaultKind.FILE_GONE),
        ((entry("torch-2.13.0-py3-none-any.whl", b"", hashes={}),), FaultKind.HUB_UNREADABLE),
    ],
)
def test_an_index_without_the_wheel(files: tuple[dict[str, object], ...], kind: FaultKind) -> None:
    site = shop()
    index(site, "torch", *files)
    assert fault_of(site) is kind


def test_an_index_that_speaks_otherwise_and_one_that_is_not_there() -> None:
    site = shop()
    site.files["/simple/torch/"] = b"<html>"
    assert fault_of(site) is FaultKind.HUB_UNREADABLE
    site.status = 404
    assert fault_of(site) is FaultKind.FILE_GONE
    with pytest.raises(EngineError) as caught:
        plan_install(HERE, settings(site))  # nobody listens there any more
    assert caught.value.fault.kind is FaultKind.NETWORK_UNREACHABLE


def test_the_module_path_begins_with_it_and_falls_back() -> None:
    paths = ["a", "b"]
    assert use_runtime(paths) is None
    run(shop())
    folder = folder_of(HERE)
    assert use_runtime(paths) == folder
    use_runtime(paths)
    assert paths == [str(folder), "a", "b"]
    assert runtime_notices() == ()
    ours, other = ModuleType("torch"), ModuleType("json")
    ours.__file__, other.__file__ = str(folder / "torch" / "__init__.py"), "/lib/json.py"
    modules = {"torch": ours, "json": other, "builtin": ModuleType("builtin")}
    assert give_up_runtime("libcudart.so.13: no such file", paths, modules)
    assert paths == ["a", "b"]
    assert set(modules) == {"json", "builtin"}
    (notice,) = runtime_notices()
    assert notice.kind is NoticeKind.RUNTIME_UNUSABLE
    assert notice.figures == {"reason": "libcudart.so.13: no such file"}
    assert use_runtime(paths) is None
    assert not give_up_runtime("again", paths, modules)


def test_one_of_another_python_or_another_torch_is_not_used() -> None:
    run(shop())
    folder = folder_of(HERE)
    assert f"cp{sys.version_info.major}{sys.version_info.minor}" in folder.name
    folder.rename(folder.with_name("cu130-2.12.0-cp311"))
    assert find_runtime() is None
    assert remove_runtime() > 0


def _noise(count: int) -> bytes:
    import random

    return random.Random(1).randbytes(count)
