"""What is believed of a newer version, and what is not: everything over a server on loopback."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.update.channel import Channel, read_channel
from app.update.form import Form, Place
from app.update.looking import look
from app.update.release import Refusal, Release
from engine.contract import EngineError, FaultKind
from engine.library.downloads.client import open_client
from installers.making.sign_release import make_keys, rotate
from tests.update.publisher import DEB, NOTES, TAR, Publisher, tar_place

HERE = Place(Form.DEB, "linux-x86_64")


def asked(
    publisher: Publisher,
    folder: Path,
    running: str = "1.2.0",
    place: Place = HERE,
    channel: Channel | None = None,
) -> Release | Refusal | None:
    with open_client() as client:
        return look(client, channel or publisher.channel, place, running, folder)


def test_a_newer_version_is_offered_with_its_size_and_notes(
    publisher: Publisher, tmp_path: Path
) -> None:
    publisher.publish()
    found = asked(publisher, tmp_path)
    assert isinstance(found, Release)
    assert (found.version, found.package, found.size) == ("1.3.0", DEB, 27)
    assert found.notes_in("zh_CN") == NOTES["zh_CN"]
    assert found.notes_in("fr") == NOTES["en"]
    other = asked(publisher, tmp_path, place=tar_place(tmp_path))
    assert isinstance(other, Release)
    assert other.package == TAR


@pytest.mark.parametrize("running", ["1.3.0", "1.3.0+4.gabc1234", "1.10.0", "2.0"])
def test_the_same_or_an_older_version_is_none(
    publisher: Publisher, tmp_path: Path, running: str
) -> None:
    publisher.publish()
    assert asked(publisher, tmp_path, running) is None


def test_an_older_release_shown_again_is_refused(publisher: Publisher, tmp_path: Path) -> None:
    publisher.publish("1.3.0")
    older = publisher.files()
    publisher.publish("1.3.1")
    assert isinstance(asked(publisher, tmp_path), Release)
    publisher.site.files = older
    assert asked(publisher, tmp_path) is Refusal.REPLAYED


def test_a_description_that_is_over_is_refused(publisher: Publisher, tmp_path: Path) -> None:
    publisher.publish(days=-1)
    assert asked(publisher, tmp_path) is Refusal.EXPIRED
    publisher.renew()
    assert isinstance(asked(publisher, tmp_path), Release)


@pytest.mark.parametrize(
    "path", ["/metadata/timestamp.json", "/metadata/1.targets.json", "/packages/release.json"]
)
def test_what_was_changed_on_its_way_is_refused(
    publisher: Publisher, tmp_path: Path, path: str
) -> None:
    publisher.publish()
    content = publisher.site.files[path]
    publisher.site.files[path] = content.replace(b'"version"', b'"Version"')
    assert publisher.site.files[path] != content
    assert asked(publisher, tmp_path) is Refusal.UNTRUSTED


def test_keys_of_somebody_else_are_refused(publisher: Publisher, tmp_path: Path) -> None:
    make_keys(tmp_path / "thief")
    publisher.publish()
    trusted = publisher.channel
    publisher.keys = tmp_path / "thief"
    publisher.publish("9.9.9")
    assert asked(publisher, tmp_path, channel=trusted) is Refusal.UNTRUSTED


def test_keys_can_be_changed_and_the_old_ones_sign_nothing_more(
    publisher: Publisher, tmp_path: Path
) -> None:
    publisher.publish()
    shipped = publisher.channel
    make_keys(tmp_path / "new keys")
    rotate(publisher.keys, publisher.folder, tmp_path / "new keys")
    publisher.serve()
    assert isinstance(asked(publisher, tmp_path, channel=shipped), Release)
    old_keys, publisher.keys = publisher.keys, tmp_path / "new keys"
    publisher.publish("1.4.0")
    found = asked(publisher, tmp_path, channel=shipped)
    assert isinstance(found, Release)
    assert found.version == "1.4.0"
    publisher.keys = old_keys
    publisher.publish("1.5.0")
    assert asked(publisher, tmp_path, channel=shipped) is Refusal.UNTRUSTED


def test_a_signed_description_that_is_none_is_refused(publisher: Publisher, tmp_path: Path) -> None:
    publisher.publish("newest")
    assert asked(publisher, tmp_path) is Refusal.UNREADABLE


def test_no_package_for_this_form_says_so(publisher: Publisher, tmp_path: Path) -> None:
    publisher.publish(packages={TAR: b"x"})
    assert asked(publisher, tmp_path) is Refusal.NO_PACKAGE


def test_a_name_that_leads_elsewhere_is_no_package(publisher: Publisher, tmp_path: Path) -> None:
    publisher.publish()
    described = json.loads((publisher.folder / "packages" / "release.json").read_bytes())
    assert described["packages"] == {"linux-x86_64-tar": TAR, "linux-x86_64-deb": DEB}
    away = Place(Form.SOURCE, "..")
    assert asked(publisher, tmp_path, place=away) is Refusal.NO_PACKAGE


@pytest.mark.parametrize(
    ("status", "kind"), [(404, FaultKind.FILE_GONE), (503, FaultKind.DOWNLOAD_REFUSED)]
)
def test_a_server_that_has_nothing_is_a_named_fault(
    publisher: Publisher, tmp_path: Path, status: int, kind: FaultKind
) -> None:
    publisher.site.status = status
    with pytest.raises(EngineError) as caught:
        asked(publisher, tmp_path)
    assert caught.value.fault.kind is kind


def test_no_network_is_a_named_fault(publisher: Publisher, tmp_path: Path) -> None:
    nobody = Channel("http://127.0.0.1:9", publisher.channel.root)
    with pytest.raises(EngineError) as caught:
        asked(publisher, tmp_path, channel=nobody)
    assert caught.value.fault.kind is FaultKind.NETWORK_UNREACHABLE


@pytest.mark.parametrize(
    ("address", "is_one"),
    [
        ("https://example.org/inkstone/", True),
        ("http://127.0.0.1:8000", True),
        ("http://example.org", False),
        ("file:///etc", False),
        ("", False),
    ],
)
def test_only_protected_addresses_are_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str, is_one: bool
) -> None:
    monkeypatch.setenv("INKSTONE_UPDATE", str(tmp_path))
    assert read_channel() is None
    (tmp_path / "root.json").write_bytes(b"{}")
    (tmp_path / "address.txt").write_text(f"{address}\n")
    channel = read_channel()
    assert (channel is not None) is is_one
    assert channel is None or not channel.address.endswith("/")


def test_the_sources_look_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("INKSTONE_UPDATE", raising=False)
    assert read_channel() is None
