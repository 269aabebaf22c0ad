"""Tokens of long texts, slice by slice; the double counts words."""

from __future__ import annotations

from collections.abc import Callable

from app.chat.options import ChatOptions
from app.chat.text_count import TextCount, _slices
from engine.contract import CountTokens
from engine.contract.templates import TEMPLATES
from tests.chat.conftest import Desk, Heard

Desks = Callable[..., Desk]


def test_texts_are_counted_in_turn_and_whole(desks: Desks) -> None:
    desk = desks()
    count, heard = TextCount(desk.services.bridge, desk.services.model), Heard()
    long = "some words\n" * 12_000
    count.count(long, lambda tokens: heard("long", tokens))
    count.count("three more words", lambda tokens: heard("short", tokens))
    count.count("", lambda tokens: heard("none", tokens))
    desk.run()
    assert heard.said == [("long", 24_000), ("short", 3), ("none", 0)]


def test_a_text_that_cannot_be_counted_is_told_and_the_next_one_is_counted(desks: Desks) -> None:
    desk = desks()
    desk.runner.uncountable = "rogue"
    count, heard = TextCount(desk.services.bridge, desk.services.model), Heard()
    count.count("a rogue text", heard, lambda: heard("failed"))
    count.count("two words", heard, lambda: heard("failed"))
    desk.run()
    assert heard.said == ["failed", 2]


def test_texts_are_counted_with_the_template_of_the_open_chat(desks: Desks) -> None:
    """What was counted with another one, or still waits to be, is asked for again."""
    desk = desks()
    count, heard, renewed = TextCount(desk.services.bridge, desk.services.model), Heard(), Heard()
    count.renewed.connect(lambda: renewed("again"))
    count.count("two words", lambda tokens: heard("before", tokens))
    count.set_options(ChatOptions(template="chatml"))
    count.set_options(ChatOptions(template="chatml", stop=("END",)))
    assert renewed.said == ["again"]
    count.count("two words", lambda tokens: heard("after", tokens))
    desk.run()
    assert heard.said == [("after", 2)]
    asked = [each for each in desk.runner.commands if isinstance(each, CountTokens)]
    assert {each.template for each in asked[-2:]} == {TEMPLATES["chatml"]}


def test_slices_end_with_a_line_and_lose_nothing() -> None:
    for text in ("x" * 150_001, "line\n" * 30_000, "", "短"):
        slices = list(_slices(text))
        assert "".join(slices) == text
        assert all(len(each) <= 60_000 for each in slices)
    assert all(each.endswith("\n") for each in _slices("line\n" * 30_000))


def test_nothing_is_counted_without_a_model_and_all_again_with_one(desks: Desks) -> None:
    desk = desks(model=False)
    count, heard, renewed = TextCount(desk.services.bridge, desk.services.model), Heard(), Heard()
    count.renewed.connect(lambda: renewed("again"))
    count.count("words", heard)
    desk.run()
    assert not count.is_ready
    assert (heard.said, renewed.said) == ([], [])
    desk.services.model.load(desk.folder / "tiny.gguf")
    desk.run()
    assert renewed.said == ["again"]
    count.count("two words", heard)
    desk.run()
    assert heard.said == [2]
