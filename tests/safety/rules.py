"""Rule sets and protections for tests, without files of the user's."""

from __future__ import annotations

import json
import os
from pathlib import Path

from engine.safety.fold import Folding
from engine.safety.protection import Protection, build
from engine.safety.rule_files import read_rules
from engine.safety.rules import Rule, RuleSet, Side
from engine.safety.scanner import Scanner
from engine.safety.settings import Profile, read_settings

FOLDING = Folding()


def rules_of(folder: Path, text: str) -> list[Rule]:
    """The rules of a file with this text, which must be right."""
    path = folder / "list.yaml"
    path.write_text(text, "utf-8")
    found = read_rules(path, FOLDING)
    assert found.problems == []
    return found.rules


def output_of(rules: list[Rule]) -> RuleSet:
    return RuleSet(rules, Side.OUTPUT)


def through(rules: RuleSet, *pieces: str) -> str:
    """What leaves a scanner that is given these pieces."""
    scanner = Scanner(rules, FOLDING)
    return "".join(scanner.push(piece) for piece in pieces) + scanner.finish()


def protection(profile: Profile, **more: object) -> Protection:
    """What holds under a profile that the user has set."""
    home = Path(os.environ["INKSTONE_HOME"])
    home.mkdir(exist_ok=True)
    stored = {"safety_profile": profile.value} | more
    (home / "settings.json").write_text(json.dumps(stored), "utf-8")
    return build(read_settings())
