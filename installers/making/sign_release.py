#!/usr/bin/env python3
"""Sign what ``build.py`` made, so that programs out there find it and believe it.

    python installers/making/sign_release.py keys   KEYS
    python installers/making/sign_release.py sign   KEYS SITE --version 1.3.0 --notes notes/ FILE…
    python installers/making/sign_release.py renew  KEYS SITE
    python installers/making/sign_release.py rotate KEYS SITE --new NEWKEYS

SITE is a folder for any web server: ``metadata/`` and ``packages/``. The framework is TUF; two keys
sign: ``root.pem``, which only names keys and stays off every network, and ``release.pem``.
Needs the program's own environment (tuf, cryptography).
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography.hazmat.primitives.serialization import load_pem_private_key
from securesystemslib.signer import CryptoSigner
from tuf.api.metadata import Metadata, MetaFile, Root, Snapshot, TargetFile, Targets, Timestamp

ROOT_DAYS, RELEASE_DAYS = 3650, 120
_RELEASE_ROLES = (Targets.type, Snapshot.type, Timestamp.type)
_FORMS = {
    ".deb": "deb", ".tar.xz": "tar", ".AppImage": "appimage", "-setup.exe": "setup",
    "-portable.zip": "zip", ".dmg": "dmg",
}  # fmt: skip
_BESIDE = (".cdx.json", "SHA256SUMS")  # lie in dist/ too, for people and not for programs


def make_keys(folder: Path) -> None:
    """Make both keys and the root that a build carries as ``resources/update/root.json``.

    Raises:
        FileExistsError: there are keys; nothing is overwritten.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("root", "release"):
        with (folder / f"{name}.pem").open("xb") as file:
            (folder / f"{name}.pem").chmod(0o600)
            file.write(CryptoSigner.generate_ed25519().private_bytes)
    root = Root(consistent_snapshot=True)
    _name_keys(root, folder)
    _write_root(root, [read_key(folder, "root")], folder / "root.json")


def read_key(folder: Path, name: str) -> CryptoSigner:
    """Read one of the two keys."""
    private = load_pem_private_key((folder / f"{name}.pem").read_bytes(), None)
    return CryptoSigner(private)


def sign(
    keys: Path,
    site: Path,
    version: str,
    notes: Mapping[str, str],
    packages: Sequence[Path],
    days: int = RELEASE_DAYS,
) -> None:
    """Publish a version: its packages, ``release.json``, and signatures over all of them.

    Args:
        keys: the folder with ``release.pem`` and ``root.json``.
        site: what was published before; the numbers go on from there.
        version: of the packages.
        notes: what is new, Markdown by language.
        packages: files that ``build.py`` made.
        days: until when the description holds, if nobody renews it.
    """
    metadata, files = site / "metadata", site / "packages"
    metadata.mkdir(parents=True, exist_ok=True)
    files.mkdir(exist_ok=True)
    if not list(metadata.glob("*.root.json")):
        shutil.copy(keys / "root.json", metadata / "1.root.json")
    described = {
        "version": version,
        "notes": dict(notes),
        "packages": {package_name(package): package.name for package in packages},
    }
    (files / "release.json").write_text(json.dumps(described, ensure_ascii=False), "utf-8")
    for package in packages:
        shutil.copy(package, files / package.name)
    names = ["release.json", *(package.name for package in packages)]
    signed = {name: TargetFile.from_file(name, str(files / name)) for name in names}
    _publish(keys, metadata, Targets(targets=signed), days)


def renew(keys: Path, site: Path, days: int = RELEASE_DAYS) -> None:
    """Sign what is published once more, before it expires."""
    metadata = site / "metadata"
    newest = _newest(metadata, Targets.type)
    targets = Metadata[Targets].from_file(str(newest)).signed
    _publish(keys, metadata, targets, days)


def rotate(keys: Path, site: Path, new: Path) -> None:
    """Let new keys take over: the root that names them is signed by the old and the new one."""
    metadata = site / "metadata"
    root = Metadata[Root].from_file(str(_newest(metadata, Root.type))).signed
    root.version += 1
    for role in (Root.type, *_RELEASE_ROLES):
        for key in list(root.roles[role].keyids):
            root.revoke_key(key, role)
    _name_keys(root, new)
    signers = [read_key(keys, "root"), read_key(new, "root")]
    _write_root(root, signers, metadata / f"{root.version}.root.json")
    shutil.copy(metadata / f"{root.version}.root.json", new / "root.json")
    renew(new, site)


def package_name(package: Path) -> str:
    """What programs ask for, as ``Place.package`` of the window names it."""
    form = next((form for ending, form in _FORMS.items() if package.name.endswith(ending)), "")
    if not form:
        raise SystemExit(f"{package.name}: no package that build.py makes.")
    system = {"setup": "win32-amd64", "zip": "win32-amd64", "dmg": "darwin-arm64"}
    return f"{system.get(form, 'linux-x86_64')}-{form}"


def _name_keys(root: Root, folder: Path) -> None:
    root.add_key(read_key(folder, "root").public_key, Root.type)
    for role in _RELEASE_ROLES:
        root.add_key(read_key(folder, "release").public_key, role)


def _write_root(root: Root, signers: Sequence[CryptoSigner], target: Path) -> None:
    root.expires = _in(ROOT_DAYS)
    signed = Metadata(root)
    for signer in signers:
        signed.sign(signer, append=True)
    signed.to_file(str(target))


def _publish(keys: Path, metadata: Path, targets: Targets, days: int) -> None:
    """Write targets, snapshot and timestamp, each one number on; the timestamp last."""
    release = read_key(keys, "release")
    targets.version = _number(_newest(metadata, Targets.type)) + 1
    snapshot = Snapshot(meta={"targets.json": MetaFile(targets.version)})
    snapshot.version = _number(_newest(metadata, Snapshot.type)) + 1
    stamp = metadata / "timestamp.json"
    timestamp = Timestamp(snapshot_meta=MetaFile(snapshot.version))
    if stamp.exists():
        timestamp.version = Metadata[Timestamp].from_file(str(stamp)).signed.version + 1
    targets.expires = snapshot.expires = timestamp.expires = _in(days)
    for name, each in (("targets", targets), ("snapshot", snapshot)):
        whole: Metadata[Targets] | Metadata[Snapshot] = Metadata(each)
        whole.sign(release)
        whole.to_file(str(metadata / f"{each.version}.{name}.json"))
    last = Metadata(timestamp)
    last.sign(release)
    last.to_file(str(stamp))


def _newest(metadata: Path, role: str) -> Path | None:
    return max(metadata.glob(f"*.{role}.json"), key=_number, default=None)


def _number(file: Path | None) -> int:
    return int(file.name.partition(".")[0]) if file is not None else 0


def _in(days: int) -> datetime:
    return datetime.now(UTC).replace(microsecond=0) + timedelta(days=days)


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what was asked for; the exit status."""
    parser = argparse.ArgumentParser(description="Sign releases.")
    deeds = parser.add_subparsers(dest="deed", required=True)
    for name in ("keys", "sign", "renew", "rotate"):
        deed = deeds.add_parser(name)
        deed.add_argument("keys", type=Path)
        if name != "keys":
            deed.add_argument("site", type=Path)
    signing, rotating = deeds.choices["sign"], deeds.choices["rotate"]
    signing.add_argument("--version", required=True)
    signing.add_argument("--notes", type=Path, required=True, help="a folder with en.md, zh_CN.md")
    signing.add_argument("packages", nargs="+", type=Path)
    rotating.add_argument("--new", type=Path, required=True, help="a folder made by keys")
    options = parser.parse_args(arguments)
    match options.deed:
        case "keys":
            make_keys(options.keys)
        case "renew":
            renew(options.keys, options.site)
        case "rotate":
            rotate(options.keys, options.site, options.new)
        case _:
            packages = [p for p in options.packages if not p.name.endswith(_BESIDE)]
            notes = {file.stem: file.read_text("utf-8") for file in options.notes.glob("*.md")}
            sign(options.keys, options.site, options.version, notes, packages)
    return 0


if __name__ == "__main__":
    sys.exit(main())
