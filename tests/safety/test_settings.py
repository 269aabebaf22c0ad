"""Who decides: the user's settings or an administrator's file, which always closes."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from engine.contract import EngineError, FaultKind, Generate, Message, Role
from engine.safety import Profile, read_settings
from engine.safety.guard import Guarded
from engine.safety.settings import policy_path
from engine.safety.source import ProtectionSource
from tests.doubles.engines import ScriptedRunner


@pytest.fixture
def policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "policy.toml"
    monkeypatch.setenv("INKSTONE_POLICY", str(path))
    return path


def choose(profile: str) -> None:
    home = Path(os.environ["INKSTONE_HOME"])
    (home / "settings.json").write_text(json.dumps({"safety_profile": profile}), "utf-8")


@pytest.mark.parametrize(
    "stored", ["", "[]", "{", '{"safety_profile": 3}', '{"safety_profile": "x"}']
)
def test_off_is_the_default(stored: str) -> None:
    Path(os.environ["INKSTONE_HOME"], "settings.json").write_text(stored, "utf-8")
    assert read_settings().profile is Profile.OFF
    assert not read_settings().is_locked


def test_a_change_holds_with_the_next_request() -> None:
    source = ProtectionSource()
    assert source() is None
    choose("family")
    family = source()
    assert family is not None
    assert source() is family
    rules = Path(os.environ["INKSTONE_HOME"], "safety-rules")
    rules.mkdir()
    (rules / "mine.yaml").write_text("words: [plan]\n", "utf-8")
    changed = source()
    assert changed is not None
    assert changed is not family
    assert changed.output.find("the plan")
    choose("off")
    assert source() is None


def test_a_policy_decides_over_the_user(policy: Path, tmp_path: Path) -> None:
    choose("off")
    policy.write_text(
        f'profile = "organisation"\nrules = ["{tmp_path.as_posix()}"]\naudit_days = 30\n', "utf-8"
    )
    (tmp_path / "house.yaml").write_text("words: [plan]\n", "utf-8")
    found = read_settings()
    assert (found.profile, found.policy, found.audit_days) == (Profile.ORGANISATION, policy, 30)
    source = ProtectionSource()()
    assert source is not None
    assert source.output.find("the plan")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("profile = ", 1),
        ('profile = "organisation"\nprofil = "off"\n', 2),
        ('profile = "lax"\n', 1),
        ("audit_days = 3\n", 1),
        ('profile = "off"\naudit_days = -1\n', 2),
        ('profile = "off"\nrules = "x"\n', 2),
    ],
)
def test_a_broken_policy_refuses_everything(policy: Path, text: str, line: int) -> None:
    policy.write_text(text, "utf-8")
    problem = read_settings().problem
    assert problem is not None
    assert (problem.path, problem.line) == (policy, line)
    command = Generate(1, (Message(Role.USER, "Hello"),))
    with pytest.raises(EngineError) as raised:
        list(Guarded(ScriptedRunner()).run(command, lambda: False))
    assert raised.value.fault.kind is FaultKind.POLICY_INVALID


def test_a_policys_missing_folder_refuses_everything(policy: Path) -> None:
    policy.write_text('profile = "organisation"\nrules = ["/nowhere/at/all"]\n', "utf-8")
    protection = ProtectionSource()()
    assert protection is not None
    with pytest.raises(EngineError) as raised:
        protection.check_ready()
    assert raised.value.fault.kind is FaultKind.RULES_INVALID


def test_a_policy_without_a_file_is_none(policy: Path) -> None:
    assert policy_path() in {policy, Path("/etc/inkstone/policy.toml")}
    assert not read_settings().is_locked
