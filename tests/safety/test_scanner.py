"""What leaves the scanner depends on the text alone, and nothing forbidden leaves."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.safety.protection import build
from engine.safety.rules import Action, Rule, RuleSet, Side
from engine.safety.scanner import Scanner
from engine.safety.settings import Profile, SafetySettings
from engine.safety.source import BUNDLED
from engine.safety.words import word_rule
from tests.safety.rules import FOLDING, through

BOTH = frozenset(Side)


def word(text: str, action: Action = Action.MASK, *phrases: str) -> Rule:
    return word_rule(text, "test", action, BOTH, FOLDING, phrases)


RULES = RuleSet(
    [
        word("ass"),
        word("fuck*"),
        word("性交", Action.MASK, "异性交往"),
        word("secret plan"),
        word("warned", Action.WARN),
        word("bomb", Action.STOP),
    ],
    Side.OUTPUT,
)
PARTS = st.sampled_from(
    [
        *(
            "ass",
            "class",
            "fuck",
            "fucking",
            "f.u.c.k",
            "ｆｕｃｋ",
            "secret",
            "plan",
            "warned",
            "bomb",
        ),
        *("bombast", "a", "s", ".", "é", "㏂", "🙂"),
        *("f u c k", "fu\u200bck", "性交", "异性交往", "性\n交", " plan", " ", "\n", "e\u0301"),
        *("Hello, world. ", "你好，世界。", "\u200b" * 9, "x" * 40),
    ]
)


@st.composite
def texts_with_cuts(draw: st.DrawFn) -> tuple[str, list[str]]:
    text = "".join(draw(st.lists(PARTS, max_size=40)))
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=30)))
    edges = [0, *cuts, len(text)]
    return text, [text[a:b] for a, b in pairwise(edges)]


@settings(max_examples=400, deadline=None)
@given(texts_with_cuts())
def test_any_split_gives_what_one_piece_gives(case: tuple[str, list[str]]) -> None:
    text, pieces = case
    assert through(RULES, *pieces) == through(RULES, text) == through(RULES, *text)


@settings(max_examples=200, deadline=None)
@given(texts_with_cuts())
@example(("fuckfucking异性交往", ["fuckfucking异性交往"]))
def test_nothing_forbidden_leaves_and_nothing_allowed_is_lost(case: tuple[str, list[str]]) -> None:
    text, pieces = case
    scanner = Scanner(RULES, FOLDING)
    shown = "".join(scanner.push(piece) for piece in pieces) + scanner.finish()
    assert not [h for h in RULES.find(FOLDING.fold(shown)) if h.rule.action is not Action.WARN]
    original = text if scanner.stopped_by is None else text[: len(shown)]
    assert len(shown) == len(original)
    changed = [(a, b) for a, b in zip(original, shown, strict=True) if a != b]
    assert all(b == "█" and a.isalnum() for a, b in changed)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("fucking异性交往", "███████异性交往"),
        ("他说fuckfucking你好", "他说███████████你好"),
        ("あfuckedです", "あ██████です"),
        ("fuckérà！", "███████！"),
    ],
)
def test_an_open_word_ends_where_a_script_without_spaces_begins(text: str, shown: str) -> None:
    assert through(RULES, text).startswith(shown)


def test_every_moment_of_a_stream_is_clean() -> None:
    """Not one character of a masked word is seen on the way, whatever stands before it."""
    for before in range(0, 200, 7):
        scanner = Scanner(RULES, FOLDING)
        seen = ""
        for piece in "x" * before + " secret   plan " + "y" * 100:
            seen += scanner.push(piece)
            assert "secr" not in seen
        assert "secr" not in seen + scanner.finish()


def test_a_stop_ends_the_text_before_its_word() -> None:
    scanner = Scanner(RULES, FOLDING)
    text = "The ass built a bomb and more. " + "z" * 300
    shown = "".join(scanner.push(c) for c in text) + scanner.finish()
    assert shown == "The ███ built a "
    assert scanner.stopped_by is not None
    assert scanner.push("more") == scanner.finish() == ""
    assert [rule.name for rule in scanner.found] == ["ass", "bomb"]


def test_a_warning_changes_nothing_and_is_told_once() -> None:
    scanner = Scanner(RULES, FOLDING)
    text = "You are warned. " * 3 + "q" * 400
    assert "".join(scanner.push(c) for c in text) + scanner.finish() == text
    assert [rule.name for rule in scanner.found] == ["warned"] * 3


def test_a_reply_that_goes_on_is_joined_to_what_stands_there() -> None:
    scanner = Scanner(RULES, FOLDING, seen="You are an as")
    assert scanner.push("s, he said.") + scanner.finish() == "█, he said."


def test_a_long_text_holds_back_only_what_the_rules_need() -> None:
    """Memory and delay are bounded: the longest rule, one step, one phrase."""
    scanner = Scanner(RULES, FOLDING)
    for _ in range(500):
        scanner.push("an ordinary sentence. ")
        assert scanner.held <= RULES.width + 2 * 17
    assert len(scanner._raw) < 1000


@pytest.mark.parametrize("profile", [Profile.FAMILY, Profile.ORGANISATION])
def test_the_bundled_lists_are_right(profile: Profile) -> None:
    protection = build(SafetySettings(profile))
    assert protection.problems == []
    assert protection.output
    assert len(list(BUNDLED.glob("*.yaml"))) == 4
