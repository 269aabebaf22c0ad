"""The parts that are no Python packages: whose they are, under what, and what must not go along."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import sysconfig
from importlib.metadata import Distribution
from pathlib import Path

import pytest

from app.about.carried import carried_parts
from app.about.licences import all_parts
from installers import licences
from installers.making import packages, system_parts
from installers.making.debian_copyright import licence_of
from installers.making.steps import BuildError

ROOT = Path(__file__).resolve().parents[2]
DEP5 = """Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: thing

Files: *
Copyright: 2020 Somebody
License: {whole}
 and words.

Files: debian/*
Copyright: 2020 A Packager
License: GPL-2+

License: GPL-2+
 words
"""
FREE = "Copyright A.\n\nPermission is hereby\ngranted, free of charge, to any person …"
GCC = "is under the GNU General Public License, version 3, with the GCC Runtime Library Exception"


@pytest.mark.parametrize(
    ("text", "licence"),
    [
        (DEP5.format(whole="Expat"), "Expat"),
        (DEP5.format(whole="GPL-3+"), "GPL-3+"),
        (DEP5.format(whole="X").replace("Files: *", "Files: src/*"), "X"),
        (FREE, "MIT"),
        (f"{FREE}\nApache License, Version 2.0", "MIT AND Apache-2.0"),
        (f"{FREE}\nThe tool is under the GNU General\nPublic License.", "GPL"),
        (GCC, "GPL-with-exception"),
        ("under the GNU Lesser General Public License", "LGPL"),
        ("nothing said", ""),
    ],
)
def test_debians_papers_name_the_licence_of_what_is_installed(text: str, licence: str) -> None:
    assert licence_of(text) == licence


@pytest.mark.parametrize(
    ("licence", "bound"),
    [
        ("GPL-3+", True),
        ("GPL-2.0-or-later", True),
        ("GPL v2 or later", True),
        ("GPLv3 or any later version", True),
        ("AGPL-3.0-only", True),
        ("GNU General Public License v3 (GPLv3)", True),
        ("MIT AND GPL-2.0-only", True),
        ("LGPL-3.0-only OR GPL-2.0-only OR GPL-3.0-only", False),
        ("GPL-2+ or AFL-2.1", False),
        ("LGPLv2+", False),
        ("GNU Lesser General Public License v3 or later (LGPLv3+)", False),
        ("GPL-2.0-or-later WITH Bootloader-exception", False),
        ("GPL-with-exception", False),
        ("GPL-3.0-or-later WITH GCC-exception-3.1 AND LGPL-2.1-or-later", False),
        ("GPL-3.0-or-later AND MIT WITH some-exception", True),
        ("MIT", False),
        ("", False),
    ],
)
def test_the_gpl_alone_is_told_from_a_choice_and_an_exception(licence: str, bound: bool) -> None:
    assert licences.is_gpl_only(licence) is bound


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    """An environment with a PyInstaller that says its licence."""
    folder = tmp_path / "environment"
    about = folder / "lib" / "site" / "pyinstaller-6.22.3.dist-info" / "licenses"
    about.mkdir(parents=True)
    (about / "COPYING.txt").write_text("the bootloader's exception")
    return folder


def test_python_the_bootloader_and_icu_are_named_with_their_texts(environment: Path) -> None:
    standard = Path(sysconfig.get_path("stdlib"))
    taken = [
        ("python3.11/lib-dynload/_x.so", str(standard / "lib-dynload" / "_x.so")),
        ("PySide6/Qt/lib/libicudata.so.73", str(environment / "PySide6" / "libicudata.so.73")),
        ("PySide6/QtCore.so", str(environment / "PySide6" / "QtCore.so")),
    ]
    parts = {part.name: part for part in system_parts.system_parts(taken, environment)}
    assert set(parts) == {"Python", "PyInstaller bootloader", "ICU"}
    assert parts["PyInstaller bootloader"].version == "6.22.3"
    assert "exception" in parts["PyInstaller bootloader"].text
    assert parts["ICU"].version == "73"
    assert len(parts["Python"].text) > 2000
    assert all(part.text and part.licence for part in parts.values())


@pytest.mark.skipif(shutil.which("dpkg-query") is None, reason="needs Debian's package database")
def test_a_library_of_the_system_is_its_packages(environment: Path) -> None:
    listed = subprocess.run(
        ["dpkg-query", "--listfiles", "zlib1g"], capture_output=True, text=True, check=True
    )
    library = next(line for line in listed.stdout.splitlines() if "/libz.so.1." in line)
    for source in (library, library.removeprefix("/usr"), f"/usr{library.removeprefix('/usr')}"):
        parts = {p.name: p for p in system_parts.system_parts([("libz.so.1", source)], environment)}
        assert parts["zlib1g"].licence == "Zlib"
        assert parts["zlib1g"].version
        assert "Jean-loup" in parts["zlib1g"].text
        assert parts["zlib1g"].purl.startswith("pkg:deb/")


@pytest.mark.parametrize(
    ("system", "file", "is_pythons"),
    [
        ("win32", "DLLs/_ssl.pyd", True),
        ("win32", "DLLs/libcrypto-3.dll", True),
        ("win32", "vcruntime140.dll", True),
        ("darwin", "lib/libssl.3.dylib", True),
        ("linux", "lib/x86_64-linux-gnu/libssl.so.3", False),
        ("linux", "lib/libpython3.11.so.1.0", True),
    ],
)
def test_a_python_with_a_folder_of_its_own_answers_for_what_lies_there(
    tmp_path: Path, system: str, file: str, is_pythons: bool
) -> None:
    prefix = tmp_path / "Python311"
    assert system_parts._is_python(prefix / file, system, str(prefix)) is is_pythons
    assert not system_parts._is_python(tmp_path / "System32" / "other.dll", system, str(prefix))


def test_a_library_that_nobody_answers_for_stops_the_build(
    environment: Path, tmp_path: Path
) -> None:
    stray = tmp_path / "libstray.so.1"
    stray.write_bytes(b"")
    with pytest.raises(BuildError, match=r"libstray\.so\.1 .*no package.*inkstone\.spec"):
        system_parts.system_parts([("libstray.so.1", str(stray))], environment)


def test_gccs_libraries_inside_packages_are_found(tmp_path: Path) -> None:
    assert system_parts.compilers_part(tmp_path) == []
    brought = ("torch/lib/libgomp.so.1", "numpy.libs/libgfortran-04.so.5.0.0", "x/libgompx.so",
               "numpy/.dylibs/libgcc_s.1.1.dylib")  # fmt: skip
    for name in brought:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    (part,) = system_parts.compilers_part(tmp_path)
    named = "libgcc_s.1.1.dylib, libgfortran-04.so.5.0.0, libgomp.so.1"
    assert part.text.startswith(f"These files: {named}.")
    assert "GCC RUNTIME LIBRARY EXCEPTION" in part.text


def one_part(folder: Path, licence: str) -> None:
    part = system_parts.SystemPart(
        "libthing1", "1.0-2", licence, "https://thing.example", "its words", "pkg:deb/debian/thing1"
    )
    system_parts.write_parts([part], folder)


def test_what_the_build_wrote_is_among_the_parts(tmp_path: Path) -> None:
    one_part(tmp_path, "MIT")
    part = next(p for p in all_parts([str(tmp_path)]) if p.name == "libthing1")
    assert (part.version, part.licence, part.purl) == ("1.0-2", "MIT", "pkg:deb/debian/thing1")
    assert list(part.texts()) == [("libthing1.txt", "its words")]


@pytest.mark.parametrize("text", ["", "{}x", '[{"name": "a"}]', "[1]"])
def test_a_damaged_list_is_no_list(tmp_path: Path, text: str) -> None:
    one_part(tmp_path, "MIT")
    (tmp_path / "resources" / "parts" / "parts.json").write_text(text)
    assert carried_parts(tmp_path) == []


def test_a_list_names_no_file_elsewhere(tmp_path: Path) -> None:
    one_part(tmp_path, "MIT")
    listed = tmp_path / "resources" / "parts" / "parts.json"
    listed.write_text(listed.read_text().replace("libthing1.txt", "../../secret.txt"))
    (part,) = carried_parts(tmp_path)
    assert part.texts == (listed.parent / "secret.txt",)


def test_a_part_under_the_gpl_alone_stops_the_build_with_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one_part(tmp_path, "GPL-3+")
    assert licences.main([str(tmp_path / "n.txt"), "--packages", str(tmp_path)]) == 1
    assert "Under the GPL alone: libthing1." in capsys.readouterr().err


def test_the_bill_has_the_systems_parts_and_what_packages_have_inside(tmp_path: Path) -> None:
    one_part(tmp_path, "MIT")
    about = tmp_path / "certifi-1.0.dist-info"
    (about / "sboms").mkdir(parents=True)
    (about / "METADATA").write_text(
        "Metadata-Version: 2.4\nName: certifi\nVersion: 1.0\nLicense: MIT\n"
    )
    crates = [
        {"name": "certifi", "purl": "pkg:cargo/certifi@1"},
        {"name": "crate", "version": "2", "purl": "pkg:cargo/crate@2?x=y",
         "licenses": [{"expression": "MIT OR Apache-2.0"}]},
        {"name": "openssl", "version": "4", "purl": "pkg:generic/openssl@4"},
    ]  # fmt: skip
    (about / "sboms" / "rust.json").write_text(json.dumps({"components": crates}))
    command = [sys.executable, "-W", "error", str(ROOT / "installers" / "sbom.py")]
    ran = subprocess.run(
        [*command, str(tmp_path / "b.json"), "--packages", str(tmp_path)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    said = json.loads((tmp_path / "b.json").read_text("utf-8"))
    parts = {each["name"]: each for each in said["components"]}
    assert parts["libthing1"]["purl"] == "pkg:deb/debian/thing1"
    assert [each["name"] for each in parts["certifi"]["components"]] == ["crate", "openssl"]
    assert parts["certifi"]["components"][0]["licenses"] == [{"expression": "MIT OR Apache-2.0"}]
    assert all(each["licenses"] for each in parts["certifi"]["components"])
    assert all(each["licenses"] for each in said["components"])


def test_a_package_of_which_nothing_stays_is_not_listed(tmp_path: Path) -> None:
    def installed(name: str, *files: str) -> Distribution:
        about = tmp_path / f"{name}-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.4\nName: {name}\nVersion: 1.0\n")
        listed = [*files, f"{about.name}/METADATA"]
        (about / "RECORD").write_text("".join(f"{file},,\n" for file in listed))
        for file in files:
            (tmp_path / file).parent.mkdir(exist_ok=True)
            (tmp_path / file).write_text("")
        return Distribution.at(about)

    gone, kept = installed("hf_xet", "hf_xet/hf_xet.so"), installed("thing", "thing/a.py")
    meta = installed("meta")
    assert list(packages._wanted(gone)) == []
    assert list(packages._wanted(kept)) == ["thing/a.py", "thing-1.0.dist-info/METADATA"]
    assert list(packages._wanted(meta)) == ["meta-1.0.dist-info/METADATA"]
