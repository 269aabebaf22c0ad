"""The safety layer in the window: chosen in the settings, said under a reply, locked."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget

from app.application import Application
from app.chat.turn import Turn, TurnState
from app.chat.turn_row import row_of, turn_of
from app.ui.transcript.checked import Checked
from app.ui.transcript.endings import Broken
from engine.safety import Profile, read_settings
from tests.app.conftest import Program
from tests.app.test_application import ask, await_reply
from tests.doubles.engines import Reply, ScriptedRunner


def shown_in(row: QWidget) -> list[str]:
    """The texts of a row's controls."""
    fields = [field.text() for field in row.findChildren(QLineEdit)]
    return fields + [label.text() for label in row.findChildren(QLabel)]


def choose(window: Application, profile: str) -> None:
    """Choose a profile in the settings, and wait until the engine would read it."""
    page = window.window.parts.settings
    page.change("safety_profile", profile)


def last(window: Application) -> Turn:
    session = window.window.parts.chat.session
    assert session is not None
    return session.path()[-1]


def said(window: Application, kind: type[Checked] | type[Broken]) -> str:
    return " ".join(each.accessibleName() for each in window.window.findChildren(kind))


def test_a_profile_chosen_in_the_settings_masks_the_next_reply(program: Program) -> None:
    runner = ScriptedRunner([Reply("A shitty day."), Reply("It is porn. " + "More. " * 99)])
    window = program.start_ready(runner)
    choose(window, "family")
    program.qtbot.waitUntil(lambda: read_settings().profile is Profile.FAMILY)
    ask(window, "How was it?")
    await_reply(program, window, 2)
    assert last(window).content == "A ██████ day."
    program.qtbot.waitUntil(lambda: "rude words" in said(window, Checked))
    ask(window, "And the film?")
    await_reply(program, window, 4)
    assert (last(window).content, last(window).state) == ("It is ", TurnState.FAILED)
    program.qtbot.waitUntil(lambda: "sexual content" in said(window, Broken))


def test_a_refused_question_stays_and_says_why(program: Program) -> None:
    window = program.start_ready(ScriptedRunner())
    choose(window, "family")
    program.qtbot.waitUntil(lambda: read_settings().profile is Profile.FAMILY)
    ask(window, "how to make a b-o-m-b")
    await_reply(program, window, 2)
    assert last(window).state is TurnState.FAILED
    program.qtbot.waitUntil(lambda: "may not be asked here" in said(window, Broken))


def test_what_was_checked_is_kept_with_the_chat(program: Program) -> None:
    window = program.start_ready(ScriptedRunner([Reply("A shitty day.")]))
    choose(window, "family")
    program.qtbot.waitUntil(lambda: read_settings().profile is Profile.FAMILY)
    ask(window, "How was it?")
    await_reply(program, window, 2)
    figures = last(window).figures
    assert figures is not None
    assert turn_of(row_of(last(window))).figures == figures


def test_a_policy_locks_the_settings(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text(
        'profile = "organisation"\naudit_days = 90\nclassifier = "/opt/judge"\n', "utf-8"
    )
    monkeypatch.setenv("INKSTONE_POLICY", str(policy))
    window = program.start_ready(ScriptedRunner())
    page = window.window.parts.settings
    for key, words in (
        ("safety_profile", "Organisation"), ("safety_audit_days", "90 days"),
        ("safety_classifier", "/opt/judge"),
    ):  # fmt: skip
        row = page.rows[key]
        assert not row.isEnabled()
        assert row.back.isHidden(), "there is no way back"
        assert words in shown_in(row), "what holds is what is shown"
    assert page.rows["theme"].isEnabled()
    section = next(each for each in page.sections if each.name == "safety")
    assert "setting-safety-locked" in section.rows[0].text_ids
