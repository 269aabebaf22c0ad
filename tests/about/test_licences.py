"""The licences are read from the packages that are there, and what leads to none is left out."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from app.about.licences import all_parts, notices_text, plain_name, source_roots

ROOT = Path(__file__).parents[2]


def package(folder: Path, name: str, metadata: str, **texts: bytes) -> None:
    info = folder / f"{name}-1.0.dist-info"
    (info / "licenses").mkdir(parents=True)
    head = f"Metadata-Version: 2.4\nName: {name}\nVersion: 1.0\n"
    (info / "METADATA").write_text(f"{head}{metadata}\n")
    for file, text in texts.items():
        (info / "licenses" / file.upper()).write_bytes(text)


@pytest.mark.parametrize(
    ("metadata", "licence"),
    [
        ("License-Expression: MIT", "MIT"),
        ("License: BSD", "BSD"),
        (
            f"License: {'x' * 500}\nClassifier: License :: OSI Approved :: MIT License",
            "MIT License",
        ),
        ("License: UNKNOWN", ""),
        ("Summary: nothing", ""),
    ],
)
def test_a_licence_is_named_as_the_package_names_it(
    tmp_path: Path, metadata: str, licence: str
) -> None:
    package(tmp_path, "one", metadata)
    assert next(p for p in all_parts([str(tmp_path)]) if p.name == "one").licence == licence


def test_every_text_is_there_whatever_its_encoding(tmp_path: Path) -> None:
    package(tmp_path, "one", "", license=b"\xa9 me", notice=b"words")
    part = next(p for p in all_parts([str(tmp_path)]) if p.name == "one")
    assert dict(part.texts()) == {"licenses/LICENSE": "� me", "licenses/NOTICE": "words"}
    text = notices_text([part], "HEAD")
    assert text.startswith("HEAD\n\none 1.0\n")
    assert text.rstrip().endswith("--- licenses/NOTICE ---\n\nwords")


def test_only_what_the_requirements_lead_to_is_listed(tmp_path: Path) -> None:
    package(tmp_path, "Root_Thing", "Requires-Dist: needed.one>=1; python_version > '3'")
    package(tmp_path, "needed-one", "Requires-Dist: extra-thing; extra == 'test'")
    package(tmp_path, "extra_thing", "")
    package(tmp_path, "tool", "")
    parts = all_parts([str(tmp_path)], ["root-thing[x]>=1", "absent"])
    assert [p.name for p in parts if p.folder] == ["needed-one", "Root_Thing"]


def test_every_part_of_this_program_says_its_licence_and_has_its_text() -> None:
    """One that names none, or of which there is no text, must be looked at before it is bundled."""
    parts = all_parts(roots=source_roots(ROOT / "pyproject.toml"))
    assert {"torch", "PySide6_Essentials", "Qt", "Python"} <= {part.name for part in parts}
    assert "ruff" not in {part.name for part in parts}
    assert [p.name for p in parts if not p.licence and not any(p.texts())] == []
    assert [p.name for p in parts if not any(text.strip() for _, text in p.texts())] == []


def test_a_package_without_a_text_gets_the_one_that_is_kept_for_it(tmp_path: Path) -> None:
    classified = "Classifier: License :: OSI Approved :: {}"
    package(tmp_path, "Loguru", classified.format("MIT License"))
    package(tmp_path, "fluent.runtime", "License: APL 2")
    package(tmp_path, "tokenizers", classified.format("Apache Software License"))
    package(tmp_path, "other", classified.format("MIT License"))  # whose names are in no text here
    package(tmp_path, "cobble", "License: Apache-2.0", license=b"its own")
    texts = {p.name: dict(p.texts()) for p in all_parts([str(tmp_path)]) if p.folder}
    assert list(texts["Loguru"]) == ["packages/loguru.txt"]
    assert list(texts["fluent.runtime"]) == list(texts["tokenizers"]) == ["Apache-2.0.txt"]
    assert texts["other"] == {}
    assert texts["cobble"] == {"licenses/LICENSE": "its own"}


def test_no_text_is_kept_for_a_package_that_is_not_there_or_brings_its_own() -> None:
    parts = {plain_name(p.name): dict(p.texts()) for p in all_parts(sys.path) if p.folder}
    for file in (ROOT / "resources" / "licences" / "packages").iterdir():
        assert list(parts[file.stem]) == [f"packages/{file.name}"]


def test_qt_brings_the_texts_of_its_licence() -> None:
    parts = {part.name: part for part in all_parts(sys.path)}
    for name in ("Qt", "PySide6_Essentials", "shiboken6"):
        texts = dict(parts[name].texts())
        assert "GNU LESSER GENERAL PUBLIC LICENSE" in texts["LGPL-3.0.txt"]
        assert "GNU GENERAL PUBLIC LICENSE" in texts["GPL-3.0.txt"]
