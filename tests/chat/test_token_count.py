"""Tokens of drafts and of unanswered chats, counted by the engine; the double counts words."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.chat.options import ChatOptions
from app.chat.token_count import TokenCount
from engine.contract import CountTokens, Message, Role, Thinking
from engine.contract.templates import TEMPLATES
from tests.chat.conftest import Desk, make_desk


@pytest.fixture
def counter(tmp_path: Path, qtbot: QtBot) -> tuple[Desk, TokenCount, list[int], list[int]]:
    desk = make_desk(tmp_path, model=False)
    count = TokenCount(desk.services.bridge, desk.services.model)
    drafts: list[int] = []
    paths: list[int] = []
    count.draft_counted.connect(drafts.append)
    count.path_counted.connect(paths.append)
    return desk, count, drafts, paths


def load(desk: Desk) -> None:
    desk.services.model.load(Path("model.gguf"))
    desk.run()


def test_a_draft_is_counted_once_after_the_last_key(
    counter: tuple[Desk, TokenCount, list[int], list[int]], qtbot: QtBot
) -> None:
    desk, count, drafts, _ = counter
    load(desk)
    drafts.clear()
    for text in ("one", "one two", "one two three"):
        count.set_draft(text)
    qtbot.waitUntil(lambda: desk.run() or drafts == [3])  # type: ignore[func-returns-value]
    asked = [c for c in desk.runner.commands if isinstance(c, CountTokens)]
    assert len(asked) == 2  # the empty message, and the draft as it is now
    count.set_draft("   ")
    assert drafts == [3, 0]
    desk.close()


def test_a_path_without_figures_is_counted_when_a_model_is_there(
    counter: tuple[Desk, TokenCount, list[int], list[int]],
) -> None:
    desk, count, _, paths = counter
    count.set_path((Message(Role.USER, "one two"), Message(Role.ASSISTANT, "three")))
    assert paths == []
    load(desk)
    assert paths == [3]
    count.set_path(())
    load(desk)
    assert paths == [3]
    desk.close()


def test_an_answer_to_an_older_question_is_dropped(
    counter: tuple[Desk, TokenCount, list[int], list[int]],
) -> None:
    desk, count, _, paths = counter
    load(desk)
    count.set_path((Message(Role.USER, "one two"),))
    count.set_path((Message(Role.USER, "one two three four"),))
    desk.run()
    assert paths == [4]
    desk.close()


def test_another_template_or_thinking_is_counted_anew(
    counter: tuple[Desk, TokenCount, list[int], list[int]],
) -> None:
    desk, count, _, paths = counter
    load(desk)
    count.set_path((Message(Role.USER, "one two"),))
    desk.run()
    count.set_options(ChatOptions(template="chatml", thinking=Thinking.OFF))
    desk.run()
    asked = [c for c in desk.runner.commands if isinstance(c, CountTokens)]
    assert {(c.template, c.thinking) for c in asked[-2:]} == {(TEMPLATES["chatml"], Thinking.OFF)}
    assert paths == [2, 2]
    count.set_options(ChatOptions(template="chatml", thinking=Thinking.OFF, max_tokens=9))
    assert [c for c in desk.runner.commands if isinstance(c, CountTokens)] == asked
    desk.close()
