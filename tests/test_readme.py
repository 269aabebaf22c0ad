"""The READMEs are true: their trees are the folders, commands exist, links lead somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
READMES = [ROOT / "README.md", ROOT / "engine" / "README.md", ROOT / "app" / "README.md"]


def tracked() -> list[str]:
    """Every tracked file, relative to the checkout."""
    ran = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return ran.stdout.split()


def test_the_tree_in_the_readme_equals_the_folders() -> None:
    text = READMES[0].read_text("utf-8")
    block = re.search(r"<!-- tree -->\n```\n(.*?)```", text, re.DOTALL)
    assert block, "README.md has no tree block"
    told = {line.split()[0].rstrip("/") for line in block[1].splitlines() if line.strip()}
    there = {
        str(Path(*Path(f).parts[: depth + 1]))
        for f in tracked()
        for depth in range(2)
        if len(Path(f).parts) > depth + 1 and Path(f).parts[0] in {"app", "engine"}
    }
    assert told >= there, f"the README's tree lacks {there - told}"
    assert all((ROOT / t).exists() for t in told), [t for t in told if not (ROOT / t).exists()]


@pytest.mark.parametrize("readme", READMES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_and_pictures_lead_somewhere(readme: Path) -> None:
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", readme.read_text("utf-8"))
    assert [link for link in links if not (readme.parent / link).exists()] == []


@pytest.mark.parametrize("readme", READMES, ids=lambda p: str(p.relative_to(ROOT)))
def test_every_command_in_a_readme_exists(readme: Path) -> None:
    """Files and modules that a command names are there; subcommands answer ``--help``."""
    for block in re.findall(
        r"```(?:sh|bash|console)\n(.*?)```", readme.read_text("utf-8"), re.DOTALL
    ):
        for line in filter(None, map(str.strip, block.splitlines())):
            words = line.split("#")[0].split()
            scripts = [w for w in words if w.endswith(".py")]
            assert [s for s in scripts if not (ROOT / s).exists()] == [], line
            if words[1:3] == ["-m", "engine"] and len(words) > 3:
                ran = subprocess.run(
                    [sys.executable, "-m", "engine", words[3], "--help"],
                    cwd=ROOT,
                    capture_output=True,
                    check=False,
                )
                assert ran.returncode == 0, line
