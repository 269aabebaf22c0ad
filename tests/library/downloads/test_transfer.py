"""Downloads: every way in which servers and networks break them."""

from __future__ import annotations

import errno
import hashlib
import io
import shutil
import socket
from pathlib import Path
from typing import Any

import httpx
import pytest

from engine.contract import EngineError, FaultKind
from engine.library.downloads.client import open_client, without_secrets
from engine.library.downloads.pace import Patience, RateLimit
from engine.library.downloads.transfer import Cancelled, Download, Terms, fetch
from tests.library.file_server import Site, serve

CONTENT = bytes(range(256)) * 8 + b"end."  # 2,052 bytes
SHA256 = hashlib.sha256(CONTENT).hexdigest()


def get(site: Site, target: Path, sha256: str = SHA256) -> list[tuple[int, int]]:
    seen: list[tuple[int, int]] = []
    with serve(site), httpx.Client() as client:
        download = Download(f"{site.address}/m", target, sha256)
        fetch(
            client,
            download,
            lambda done, total: seen.append((done, total)),
            lambda: False,
            Terms(RateLimit()),
        )
    assert not download.part.exists()
    return seen


def fault_of(site: Site, target: Path) -> EngineError:
    with pytest.raises(EngineError) as caught:
        get(site, target)
    return caught.value


def test_a_file_arrives_with_progress_in_bytes(tmp_path: Path) -> None:
    seen = get(Site({"/m": CONTENT}), tmp_path / "資料" / "m")
    assert (tmp_path / "資料" / "m").read_bytes() == CONTENT
    assert seen[0] == (0, 2052)
    assert seen[-1] == (2052, 2052)


@pytest.mark.parametrize("there", [1, 516, 2011])
def test_D6_a_partial_file_continues_where_it_ended(tmp_path: Path, there: int) -> None:
    (tmp_path / "m.part").write_bytes(CONTENT[:there])
    site = Site({"/m": CONTENT})
    seen = get(site, tmp_path / "m")
    assert (tmp_path / "m").read_bytes() == CONTENT
    assert site.ranges == [f"bytes={there}-"]
    assert seen[0] == (there, 2052)


def test_D1_a_partial_file_of_full_length_is_verified_and_finished(tmp_path: Path) -> None:
    (tmp_path / "m.part").write_bytes(CONTENT)
    get(Site({"/m": CONTENT}), tmp_path / "m")
    assert (tmp_path / "m").read_bytes() == CONTENT


@pytest.mark.parametrize("there", [b"x" * 2052, b"x" * 5000, b"x" * 100])
def test_D1_a_partial_file_of_something_else_starts_over(tmp_path: Path, there: bytes) -> None:
    (tmp_path / "m.part").write_bytes(there)
    get(Site({"/m": CONTENT}), tmp_path / "m")
    assert (tmp_path / "m").read_bytes() == CONTENT


def test_D2_a_server_that_ignores_ranges_is_read_from_the_start(tmp_path: Path) -> None:
    (tmp_path / "m.part").write_bytes(CONTENT[:516])
    get(Site({"/m": CONTENT}, ignores_ranges=True), tmp_path / "m")
    assert (tmp_path / "m").read_bytes() == CONTENT


def test_D4_a_connection_that_ends_early_is_continued(tmp_path: Path) -> None:
    site = Site({"/m": CONTENT}, breaks_after=1682)  # 82 %
    get(site, tmp_path / "m")
    assert (tmp_path / "m").read_bytes() == CONTENT
    assert site.ranges == ["", "bytes=1682-"]


def test_other_bytes_than_promised_are_removed(tmp_path: Path) -> None:
    error = fault_of(Site({"/m": CONTENT + b"!"}), tmp_path / "m")
    assert error.fault.kind is FaultKind.HASH_MISMATCH
    assert error.fault.figures["expected"] == SHA256
    assert list(tmp_path.iterdir()) == []


def test_a_refusal_has_its_status_and_no_password(tmp_path: Path) -> None:
    error = fault_of(Site({"/m": CONTENT}, status=451), tmp_path / "m")
    assert error.fault.kind is FaultKind.DOWNLOAD_REFUSED
    assert error.fault.figures["status"] == 451
    assert without_secrets("https://me:pw@host:1/a?sig=1#f") == "https://host:1/a"


def test_no_server_is_an_unreachable_network_and_keeps_what_is_there(tmp_path: Path) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    (tmp_path / "m.part").write_bytes(b"abc")
    download = Download(f"http://127.0.0.1:{port}/m", tmp_path / "m")
    with httpx.Client() as client, pytest.raises(EngineError) as caught:
        fetch(
            client, download, lambda *_: None, lambda: False, Terms(RateLimit(), Patience(pause=0))
        )
    assert caught.value.fault.kind is FaultKind.NETWORK_UNREACHABLE
    assert caught.value.fault.figures["host"] == "127.0.0.1"
    assert download.part.read_bytes() == b"abc"


def test_a_cancelled_download_keeps_what_arrived(tmp_path: Path) -> None:
    content = bytes(1 << 20)
    done = 0

    def progress(now: int, _: int) -> None:
        nonlocal done
        done = now

    with serve(Site({"/m": content})) as site, httpx.Client() as client:
        download = Download(f"{site.address}/m", tmp_path / "m")
        with pytest.raises(Cancelled):
            fetch(client, download, progress, lambda: done > 0, Terms(RateLimit()))
    assert 0 < download.part.stat().st_size < len(content)
    assert not download.target.exists()


def test_a_full_disk_is_found_before_it_is_filled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = 1000
    monkeypatch.setattr(
        "engine.library.downloads.disk.shutil.disk_usage",
        lambda _: type("Usage", (), {"free": free})(),
    )
    error = fault_of(Site({"/m": CONTENT}), tmp_path / "m")
    assert error.fault.kind is FaultKind.DISK_FULL
    assert (error.fault.figures["needed"], error.fault.figures["free"]) == (2052, free)


class Filling(io.FileIO):
    """A file on a disk with room for 1,000 more bytes."""

    def write(self, piece: bytes) -> int:  # type: ignore[override]
        super().write(piece[:1000])
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_disk_that_fills_up_on_the_way_is_named_and_a_later_try_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    really = Path.open

    def opened(path: Path, mode: str = "r", *rest: Any, **named: Any) -> Any:
        if path.suffix == ".part":
            return Filling(path, mode.removesuffix("b"))
        return really(path, mode, *rest, **named)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", opened)
        error = fault_of(Site({"/m": CONTENT}), tmp_path / "m")
    assert error.fault.kind is FaultKind.DISK_FULL
    assert error.fault.figures["kept"] == 1000
    assert (tmp_path / "m.part").read_bytes() == CONTENT[:1000]
    site = Site({"/m": CONTENT})  # somebody made room
    get(site, tmp_path / "m")
    assert (tmp_path / "m").read_bytes() == CONTENT
    assert site.ranges == ["bytes=1000-"]


def test_a_folder_that_cannot_be_written_has_a_name(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    error = fault_of(Site({"/m": CONTENT}), tmp_path / "file" / "m")
    assert error.fault.kind is FaultKind.UNWRITABLE


def test_a_folder_that_goes_away_on_the_way_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a disk that is taken out: what is left of its name is an empty place."""
    folder = tmp_path / "disk"

    def gone(path: Path, *_: Any, **__: Any) -> Any:
        shutil.rmtree(folder)
        raise FileNotFoundError(errno.ENOENT, "No such file or directory", str(path))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", gone)
        error = fault_of(Site({"/m": CONTENT}), folder / "m")
    assert error.fault.kind is FaultKind.FOLDER_GONE
    get(Site({"/m": CONTENT}), folder / "m")
    assert (folder / "m").read_bytes() == CONTENT


def test_the_client_trusts_the_systems_certificates_and_one_more() -> None:
    import certifi

    with open_client(certificate=certifi.where()) as client:
        assert client.follow_redirects
