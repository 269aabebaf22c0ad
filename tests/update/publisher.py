"""A publisher on this machine: signed by the release script, served over loopback."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Mapping
from pathlib import Path

from app.update.channel import Channel
from app.update.form import Form, Place
from installers.making.sign_release import make_keys, renew, sign
from tests.library.file_server import Site

NOTES = {"en": "# New\n\n- *faster*", "zh_CN": "# 新\n\n- *更快*"}
TAR, DEB = "inkstone-1.3.0-linux-x86_64.tar.xz", "inkstone_1.3.0-1_amd64.deb"


def tar_package(version: str, size: int = 1000) -> bytes:
    """A tiny tree as ``build.py linux-tar`` packs the real one."""
    top = f"inkstone-{version}-linux-x86_64"
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:xz") as archive:
        for name, content, mode in (
            ("install.sh", b"#!/bin/sh\n", 0o755),
            ("program/inkstone-window", b"#!/bin/sh\necho %s\n" % version.encode(), 0o755),
            ("program/_internal/packages/resources/version.txt", version.encode() + b"\n", 0o644),
            ("program/rest", bytes(size), 0o644),
        ):
            entry = tarfile.TarInfo(f"{top}/{name}")
            entry.size, entry.mode = len(content), mode
            archive.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


class Publisher:
    """Publishes versions into a served site.

    Args:
        folder: of keys and site.
        site: where it is served.
    """

    def __init__(self, folder: Path, site: Site) -> None:
        self.keys, self.folder, self.site = folder / "keys", folder / "site", site
        make_keys(self.keys)

    @property
    def channel(self) -> Channel:
        """What a build of this publisher carries."""
        return Channel(self.site.address, (self.keys / "root.json").read_bytes())

    def publish(
        self, version: str = "1.3.0", packages: Mapping[str, bytes] | None = None, days: int = 100
    ) -> None:
        """Sign a version and serve it."""
        made = self.folder.with_name("made")
        made.mkdir(exist_ok=True)
        chosen = packages if packages is not None else {TAR: tar_package(version), DEB: b"deb" * 9}
        for name, content in chosen.items():
            (made / name).write_bytes(content)
        sign(self.keys, self.folder, version, NOTES, [made / name for name in chosen], days)
        self.serve()

    def renew(self, days: int = 100) -> None:
        """Sign once more what is published."""
        renew(self.keys, self.folder, days)
        self.serve()

    def serve(self) -> None:
        """Serve what the site's folder holds now."""
        self.site.files = self.files()

    def files(self) -> dict[str, bytes]:
        """Everything that is published, by its path."""
        found = (file for file in self.folder.rglob("*") if file.is_file())
        return {f"/{file.relative_to(self.folder).as_posix()}": file.read_bytes() for file in found}


def tar_place(root: Path) -> Place:
    return Place(Form.TAR, "linux-x86_64", root)
