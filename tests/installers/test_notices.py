"""The licences and the bill of materials that a package carries."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from app.about.licences import all_parts
from installers import licences
from installers.making import deb, freeze, papers
from installers.making.packages import site_packages
from installers.making.version import Version

ROOT = Path(__file__).resolve().parents[2]


def run(script: str, out: Path) -> str:
    ran = subprocess.run(
        [sys.executable, "-W", "error", str(ROOT / "installers" / script), str(out)],
        cwd=out.parent, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return out.read_text("utf-8")


def test_the_notices_name_every_part_and_explain_qt(tmp_path: Path) -> None:
    text = run("licences.py", tmp_path / "notices.txt")
    head, _, rest = text.partition("=" * 78)
    assert "download.qt.io" in head
    for name in ("Qt 6.11", "torch 2.13", "SmolLM2-135M-Instruct Apache-2.0"):
        assert name in head
    assert "GNU LESSER GENERAL PUBLIC LICENSE" in rest


def test_the_bill_of_materials_is_valid_and_the_same_twice(tmp_path: Path) -> None:
    text = run("sbom.py", tmp_path / "bill.json")
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    assert run("sbom.py", tmp_path / "again.json") == text
    said = json.loads(text)
    names = {each["name"] for each in said["components"]}
    assert {"torch", "pyside6-essentials", "Qt", "Python"} <= names
    assert said["metadata"]["component"]["name"] == "inkstone"


@pytest.mark.parametrize("form", ["inkstone", "Inkstone.app"])
def test_a_package_carries_both_about_what_lies_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    monkeypatch.setattr(papers, "tool_python", lambda _: Path(sys.executable))
    packages = tmp_path / "packages"
    for name in ("torch", "pyside6_essentials"):
        (about,) = site_packages(Path(sys.prefix)).glob(f"{name}-*.dist-info")
        shutil.copytree(about, packages / about.name)
    frozen = freeze.Frozen(tmp_path / form, packages, Path(sys.executable))
    folder = papers.papers_folder(frozen)
    folder.mkdir(parents=True)
    papers.add_papers(frozen, Version("1.2.3+4.gabc", 0), tmp_path)
    listed = (folder / papers.NOTICES).read_text("utf-8").partition("=" * 78)[0]
    assert "Inkstone 1.2.3+4.gabc" in listed
    assert "\ntorch 2." in listed
    assert "numpy" not in listed
    said = json.loads((folder / papers.BILL).read_text("utf-8"))
    assert said["metadata"]["component"]["version"] == "1.2.3+4.gabc"
    names = {each["name"] for each in said["components"]}
    assert {"torch", "Python", "Qt"} <= names
    assert "numpy" not in names


def test_a_part_without_a_text_stops_the_build(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    about = tmp_path / "mute-1.0.dist-info"
    about.mkdir()
    named = "Metadata-Version: 2.4\nName: mute\nVersion: 1.0\nLicense-Expression: "
    (about / "METADATA").write_text(f"{named}BSD-3-Clause\n")
    arguments = [str(tmp_path / "notices.txt"), "--packages", str(tmp_path)]
    parts = licences.bundled_parts(tmp_path)
    assert "mute" not in [part.name for part in parts]  # no requirement leads to it
    packages = [part for part in all_parts([str(tmp_path)]) if part.folder]
    assert licences.without_licence(packages) == []
    assert licences.without_text(packages) == ["mute"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(licences, "bundled_parts", lambda _: packages)
        assert licences.main(arguments) == 1
    assert "No text of their licences: mute" in capsys.readouterr().err
    (about / "LICENSE").write_text("You may.")
    assert licences.without_text(packages) == []


def test_debian_finds_the_papers_at_its_own_place(tmp_path: Path) -> None:
    home = tmp_path / deb.HOME
    home.mkdir(parents=True)
    for name in (papers.NOTICES, papers.BILL):
        (home / name).write_text(name)
    doc = tmp_path / "usr" / "share" / "doc" / "inkstone"
    deb.add_papers_links(doc)
    assert (doc / "copyright").read_text() == papers.NOTICES
    assert (doc / papers.BILL).read_text() == papers.BILL


def test_a_build_takes_along_every_resource_that_the_program_reads() -> None:
    there = {f"resources/{each.name}" for each in (ROOT / "resources").iterdir() if each.is_dir()}
    made_by_the_build, of_the_readme = "resources/starter", "resources/screenshots"
    taken = {name for name in freeze._OURS if name.startswith("resources/")}
    assert taken == there - {made_by_the_build, of_the_readme}
