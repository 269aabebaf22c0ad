"""Which profile holds, and who says so: the user's settings, or an administrator's policy.

The settings are the window's own file, so that the window, the local server and the command line
obey the same. A policy file, where there is one, decides alone. One that cannot be read, or that
says something unknown, refuses everything: a slip of the pen must never open what was closed.
"""

from __future__ import annotations

import json
import os
import sys
import tomllib
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

import platformdirs

from engine.safety.problems import Problem

POLICY_VARIABLE = "INKSTONE_POLICY"
"""A policy file for where the system has none; it never replaces the system's."""

_POLICY_KEYS = frozenset(
    {"profile", "rules", "classifier", "classifier_least", "audit_days", "audit_folder"}
)


class Profile(StrEnum):
    """How much is checked."""

    OFF = "off"
    FAMILY = "family"
    ORGANISATION = "organisation"


@dataclass(frozen=True, slots=True)
class SafetySettings:
    """What holds.

    Attributes:
        profile: which lists hold; in the organisation's, whatever is broken refuses everything.
        rules: further folders with rule files.
        classifier: a folder with a model that classifies texts; None is none.
        classifier_least: how sure it has to be, 0 to 1.
        audit_folder: where the log lies.
        audit_days: how long it is kept; 0 is for ever.
        policy: the file that decides; None is the user.
        problem: what is wrong with the policy.
    """

    profile: Profile = Profile.OFF
    rules: tuple[Path, ...] = ()
    classifier: Path | None = None
    classifier_least: float = 0.8
    audit_folder: Path = Path()
    audit_days: int = 365
    policy: Path | None = None
    problem: Problem | None = None

    @property
    def is_locked(self) -> bool:
        """Whether an administrator decides."""
        return self.policy is not None


def home_folder() -> Path:
    """The folder of the user's things, as the window has it."""
    home = os.environ.get("INKSTONE_HOME")
    if home:
        return Path(home).expanduser()
    return Path(platformdirs.user_data_dir("Inkstone", appauthor=False))


def settings_path() -> Path:
    """The window's settings file."""
    return home_folder() / "settings.json"


def rules_folder() -> Path:
    """Where the user's own rule files lie."""
    return home_folder() / "safety-rules"


def policy_path() -> Path:
    """Where a policy is looked for: the system's place if there is a file, else the variable's."""
    if sys.platform == "win32":
        system = Path(os.environ.get("ProgramData", "C:/ProgramData")) / "Inkstone" / "policy.toml"  # noqa: SIM112 (its name on Windows)
    elif sys.platform == "darwin":
        system = Path("/Library/Application Support/Inkstone/policy.toml")
    else:
        system = Path("/etc/inkstone/policy.toml")
    given = os.environ.get(POLICY_VARIABLE)
    return Path(given) if given and not _is_there(system) else system


def _is_there(path: Path) -> bool:
    """Whether there is a file, or something that cannot be looked at: that must be obeyed too."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def read_settings() -> SafetySettings:
    """What holds now."""
    policy = policy_path()
    usual = SafetySettings(audit_folder=home_folder() / "audit")
    if _is_there(policy):
        return _of_policy(policy, replace(usual, policy=policy))
    return _of_settings(usual)


def _of_settings(usual: SafetySettings) -> SafetySettings:
    try:
        stored = json.loads(settings_path().read_bytes())
    except (OSError, ValueError):
        return usual
    if not isinstance(stored, dict):
        return usual
    profile = stored.get("safety_profile")
    classifier, days = stored.get("safety_classifier"), stored.get("safety_audit_days")
    return replace(
        usual,
        profile=Profile(profile) if profile in set(Profile) else Profile.OFF,
        rules=(rules_folder(),),
        classifier=Path(classifier) if isinstance(classifier, str) and classifier else None,
        audit_days=days if type(days) is int and days >= 0 else usual.audit_days,
    )


def _of_policy(path: Path, usual: SafetySettings) -> SafetySettings:
    closed = replace(usual, profile=Profile.ORGANISATION)
    try:
        said = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        return replace(closed, problem=Problem(path, _line_of(error), str(error)))
    if unknown := sorted(set(said) - _POLICY_KEYS):
        return replace(closed, problem=_problem(path, unknown[0], "is unknown"))
    checks = {
        "profile": said.get("profile") in set(Profile),
        "rules": _are_texts(said.get("rules", [])),
        "classifier": isinstance(said.get("classifier", ""), str),
        "classifier_least": _is_share(said.get("classifier_least", 0.8)),
        "audit_days": _is_count(said.get("audit_days", 0)),
        "audit_folder": isinstance(said.get("audit_folder", ""), str),
    }
    for key, is_right in checks.items():
        if not is_right:
            reason = "is missing" if key not in said else "is no value that it may have"
            return replace(closed, problem=_problem(path, key, reason))
    return replace(
        usual,
        profile=Profile(said["profile"]),
        rules=tuple(Path(folder) for folder in said.get("rules", [])),
        classifier=Path(said["classifier"]) if said.get("classifier") else None,
        classifier_least=float(said.get("classifier_least", 0.8)),
        audit_days=said.get("audit_days", usual.audit_days),
        audit_folder=Path(said["audit_folder"]) if "audit_folder" in said else usual.audit_folder,
    )


def _problem(path: Path, key: str, reason: str) -> Problem:
    """A mistake of a key, at its line."""
    lines = path.read_text("utf-8").splitlines()
    found = (n for n, line in enumerate(lines, 1) if line.split("=")[0].strip() == key)
    return Problem(path, next(found, 1), f"{key} {reason}")


def _line_of(error: Exception) -> int:
    """The line that a TOML error names in its words ("… (at line 3, column 4)")."""
    words = str(error).partition("at line ")[2]
    number = words.split(",")[0]
    return int(number) if number.isdecimal() else 1


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_share(value: object) -> bool:
    return isinstance(value, int | float) and 0 <= value <= 1


def _is_count(value: object) -> bool:
    return type(value) is int and value >= 0
