"""Notices: one for a matter, at most three, gone when acted on, dismissed, or over."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.ui.faults import FaultAction, FaultText
from app.ui.look import Look
from app.ui.notices import Announcement, NoticeBar, Notices, Tone


@pytest.fixture
def notices(look: Look, qtbot: QtBot) -> Notices:
    notices = Notices(look)
    qtbot.addWidget(notices)
    return notices


def saying(key: str, lead: str, acted: list[str] | None = None) -> Announcement:
    return Announcement(
        key,
        Tone.WARNING,
        lambda language: FaultText(lead, "Rest.", language.text("undo"), FaultAction.UNDO),
        (lambda: acted.append(key)) if acted is not None else None,
    )


def bar(notices: Notices, key: str) -> NoticeBar:
    return notices._bars[key]


def test_a_notice_takes_the_place_of_the_one_about_the_same_matter(notices: Notices) -> None:
    notices.announce(saying("a", "First."))
    notices.announce(saying("a", "Second."))
    assert notices.keys() == ["a"]
    assert bar(notices, "a").accessibleName() == "Second. Rest."


def test_no_more_than_three_stand(notices: Notices) -> None:
    for key in "abcd":
        notices.announce(saying(key, key))
    assert notices.keys() == ["b", "c", "d"]


def test_the_remedy_acts_once_and_ends_the_notice(notices: Notices) -> None:
    acted: list[str] = []
    notices.announce(saying("a", "First.", acted))
    button = bar(notices, "a").findChild(QPushButton)
    assert isinstance(button, QPushButton)
    assert button.text() == "Undo"
    button.click()
    assert (acted, notices.keys(), notices.isHidden()) == (["a"], [], True)


def test_without_anything_to_do_there_is_no_button(notices: Notices) -> None:
    notices.announce(saying("a", "First."))
    button = bar(notices, "a").findChild(QPushButton)
    assert isinstance(button, QPushButton)
    assert button.isHidden()


def test_M21_what_comes_from_outside_is_never_markup(notices: Notices) -> None:
    notices.announce(saying("a", "<img src=x onerror=alert(1)> & <b>"))
    said = bar(notices, "a")._words.text()
    assert "<img" not in said
    assert "&lt;img src=x onerror=alert(1)&gt; &amp; &lt;b&gt;" in said


def test_a_notice_speaks_the_language_of_now(notices: Notices, look: Look) -> None:
    notices.announce(saying("a", "First.", []))
    look.language.use("zh_CN")
    button = bar(notices, "a").findChild(QPushButton)
    assert isinstance(button, QPushButton)
    assert button.text() == "撤销"


def test_a_passing_notice_passes(notices: Notices, qtbot: QtBot) -> None:
    said = saying("a", "First.")
    notices.announce(Announcement("a", Tone.INFO, said.phrase, None, 20))
    qtbot.waitUntil(lambda: notices.keys() == [], timeout=1000)


def seen(notices: Notices) -> list[str]:
    return [key for key, bar in notices._bars.items() if not bar.isHidden()]


def test_at_the_foot_of_another_page_the_newest_stands_and_a_line_opens_the_others(
    notices: Notices,
) -> None:
    for key in "abc":
        notices.announce(saying(key, key))
    notices.announce(replace(saying("d", "d"), of_chats=True))
    assert (seen(notices), notices.more.isHidden()) == (["b", "c", "d"], True)
    notices.stand_at_foot()
    assert (seen(notices), notices.more.text()) == (["c"], "1 more notice")
    notices.more.click()
    assert (seen(notices), notices.more.text()) == (["b", "c"], "Fewer notices")
    notices.dismiss("c")
    assert (seen(notices), notices.more.isHidden()) == (["b"], True)
    notices.stand_in_chat()
    assert (seen(notices), notices.more.isHidden()) == (["b", "d"], True)


def test_what_is_about_chats_waits_for_the_chat(notices: Notices) -> None:
    notices.stand_at_foot()
    notices.announce(replace(saying("a", "a"), of_chats=True))
    assert (notices.isHidden(), notices.keys()) == (True, ["a"])
    notices.stand_in_chat()
    assert (notices.isHidden(), seen(notices)) == (False, ["a"])
