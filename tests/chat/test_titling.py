"""Titles made by the model: when it asks, when it gives up, and what it takes for a title."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from pytestqt.qtbot import QtBot

from app.chat.title import model_title, title_question
from app.chat.titling import Titling
from engine.contract import Generate, Priority, Thinking
from tests.chat.conftest import Desk
from tests.doubles.engines import Reply

Desks = Callable[..., Desk]
Titled = Callable[..., tuple[Desk, Titling]]


@pytest.fixture
def titled(desks: Desks, qtbot: QtBot) -> Iterator[Titled]:
    made: list[Titling] = []

    def make(*replies: Reply, titles: tuple[str, ...] = ()) -> tuple[Desk, Titling]:
        desk = desks(*replies)
        desk.runner._titles.extend(titles)
        made.append(Titling(desk.library, desk.services, quiet_ms=0))
        return desk, made[-1]

    yield make
    for titling in made:
        titling.close()


def behind(desk: Desk) -> list[Generate]:
    """What was asked of the engine in the background."""
    return [each for each in desk.asked if each.settings.priority is Priority.BACKGROUND]


def talk(desk: Desk, text: str) -> int:
    session = desk.library.new()
    session.send(text)
    desk.run()
    return session.row.id


def finish(desk: Desk, qtbot: QtBot, count: int = 1) -> None:
    """Let the pause pass and the title be made."""
    qtbot.waitUntil(lambda: desk.service.step(1) or len(behind(desk)) >= count)
    desk.run()


REPLY = Reply("Seventeen years.", prefill=64)


def test_a_chat_gets_the_models_title_once_and_keeps_it(titled: Titled, qtbot: QtBot) -> None:
    desk, _ = titled(REPLY, REPLY, titles=("**Doubling savings**", "Another"))
    chat = talk(desk, "At 4 % a year, when do my savings double?")
    finish(desk, qtbot)
    row = desk.library.open(chat).row
    assert (row.title, row.title_by) == ("Doubling savings", "model")
    (asked,) = behind(desk)
    assert asked.thinking is Thinking.OFF
    assert [message.content for message in asked.messages[:2]] == [
        "At 4 % a year, when do my savings double?", "Seventeen years.",
    ]  # fmt: skip
    assert asked.messages[1].ids, "with its ids the engine finds what it holds of the chat"
    desk.library.open(chat).send("And at 5 %?")
    desk.run()
    qtbot.wait(30)
    desk.run()
    assert len(behind(desk)) == 1


def test_what_is_no_title_leaves_the_first_words(titled: Titled, qtbot: QtBot) -> None:
    desk, _ = titled(REPLY, titles=("Sure, here you are.\nA title",))
    chat = talk(desk, "How far is it?")
    finish(desk, qtbot)
    assert desk.library.open(chat).row.title == "How far is it?"


def test_it_is_given_up_when_something_is_asked_and_made_afterwards(
    titled: Titled, qtbot: QtBot
) -> None:
    desk, _ = titled(REPLY, REPLY, titles=("Never seen", "Distances"))
    chat = talk(desk, "How far?")
    qtbot.waitUntil(lambda: desk.service.step(1) or len(behind(desk)) == 1)
    desk.library.open(chat).send("And back?")
    desk.run()
    assert desk.library.open(chat).row.title == "How far?"
    finish(desk, qtbot, 2)
    assert desk.library.open(chat).row.title == "Distances"


def test_a_title_of_ones_own_and_the_switch_are_respected(titled: Titled, qtbot: QtBot) -> None:
    desk, _ = titled(REPLY, REPLY, titles=("No", "No"))
    desk.library.rename(talk(desk, "One?"), "Mine")
    desk.services.settings.change(model_titles=False)
    talk(desk, "Two?")
    qtbot.wait(30)
    desk.run()
    assert behind(desk) == []


def test_a_temporary_chat_is_named_by_nobody(titled: Titled, qtbot: QtBot) -> None:
    desk, _ = titled(REPLY, titles=("No",))
    desk.library.new_temporary().send("One?")
    desk.run()
    qtbot.wait(30)
    desk.run()
    assert behind(desk) == []


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("Doubling savings", "Doubling savings"),
        ('Title: "Doubling savings."', "Doubling savings"),
        ("## **存款翻倍**\n", "存款翻倍"),
        ("标题：《泡茶的水温》", "泡茶的水温"),
        ("", ""),
        ("***", ""),
        ("First line\nsecond line", ""),
        ("It takes about seventeen years and eight months to double the money at 4 %", ""),
    ],
)  # fmt: skip
def test_what_counts_as_a_title(said: str, title: str) -> None:
    assert model_title(said) == title


def test_the_question_for_it_speaks_the_chats_language() -> None:
    assert title_question("绿茶用多少度的水？八十度左右。").startswith("给上面")
    assert title_question("お茶は何度のお湯で淹れますか？").startswith("Give")
    assert title_question("How hot for green tea (绿茶)? About eighty degrees.").startswith("Give")
