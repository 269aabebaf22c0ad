"""The README's figures of the safety layer are those of the bundled rules."""

from __future__ import annotations

import re
from pathlib import Path

from engine.safety import Profile
from engine.safety.scanner import Scanner
from engine.safety.words import LONGEST_PHRASE
from tests.safety.rules import protection

README = Path(__file__).resolve().parents[2] / "engine" / "README.md"


def held(profile: Profile) -> int:
    """How many folded characters of a reply wait."""
    rules = protection(profile)
    scanner = Scanner(rules.output, rules.folding)
    assert scanner._hold == rules.output.width + LONGEST_PHRASE + 1
    return scanner._hold


def test_the_readme_says_how_much_is_held_back() -> None:
    said = re.search(
        r"longest rule and (\d+) characters \(family: (\d+), organisation: (\d+)",
        README.read_text("utf-8"),
    )
    assert said
    known = (LONGEST_PHRASE + 1, held(Profile.FAMILY), held(Profile.ORGANISATION))
    assert tuple(map(int, said.groups())) == known
