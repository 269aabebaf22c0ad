"""Where a build says that newer versions are: both halves or none, and what programs believe."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from app.update.channel import read_channel
from installers.making import channel, sign_release
from installers.making.steps import BuildError

ADDRESS = "https://updates.example/inkstone"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The root that the release script makes; no channel is set."""
    for name in (channel.ADDRESS, channel.ROOT):
        monkeypatch.delenv(name, raising=False)
    sign_release.make_keys(tmp_path / "keys")
    return (tmp_path / "keys" / "root.json").read_text("utf-8")


def test_without_any_programs_look_nowhere(
    root: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert not channel.write_channel(tmp_path / "update", tmp_path / "none")
    assert not (tmp_path / "update").exists()
    assert "nowhere" in capsys.readouterr().err


def test_the_variables_become_what_the_program_reads(
    root: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(channel.ADDRESS, ADDRESS)
    monkeypatch.setenv(channel.ROOT, root)
    assert channel.write_channel(tmp_path / "update", tmp_path / "none")
    monkeypatch.setenv("INKSTONE_UPDATE", str(tmp_path / "update"))
    read = read_channel()
    assert read is not None
    assert read.address == ADDRESS
    assert json.loads(read.root) == json.loads(root)


def test_files_of_the_sources_count_where_no_variable_does(root: str, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "address.txt").write_text(ADDRESS)
    (kept / "root.json").write_text(root)
    assert channel.write_channel(tmp_path / "update", kept)


def expired(root: str) -> str:
    said = json.loads(root)
    said["signed"]["expires"] = f"{datetime.now(UTC) - timedelta(days=1):%Y-%m-%dT%H:%M:%SZ}"
    return json.dumps(said)


@pytest.mark.parametrize(
    ("address", "change", "words"),
    [
        (ADDRESS, lambda _: "", "INKSTONE_UPDATE_ROOT .* missing"),
        ("", lambda root: root, "INKSTONE_UPDATE_ADDRESS .* missing"),
        ("http://updates.example", lambda root: root, "no https address"),
        (ADDRESS, lambda _: "{}", "not what `keys` makes"),
        (ADDRESS, lambda _: "[", "not what `keys` makes"),
        (ADDRESS, expired, "expired"),
        (ADDRESS, lambda root: root.replace('"root",', '"targets",', 1), "no root|not what"),
    ],
)
def test_what_programs_could_not_use_stops_the_build(
    root: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str, change, words: str
) -> None:
    monkeypatch.setenv(channel.ADDRESS, address)
    monkeypatch.setenv(channel.ROOT, change(root))
    with pytest.raises(BuildError, match=words):
        channel.write_channel(tmp_path / "update", tmp_path / "none")
    assert not (tmp_path / "update").exists()
