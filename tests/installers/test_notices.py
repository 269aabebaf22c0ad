"""The licences and the bill of materials that a package carries."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

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
