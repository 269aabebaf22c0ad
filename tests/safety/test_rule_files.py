"""Rule files: what is right holds, what is wrong is told with its line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.safety.rule_files import read_rules
from engine.safety.rules import Action, Side
from tests.safety.rules import FOLDING, output_of, rules_of, through


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("list: x\nwords: [a\n", 3, "expected"),
        ("list: x\n- y\n", 2, "expected"),
        ("wrds: [a]\n", 1, "wrds is unknown"),
        ("action: kill\n", 1, "there is no action kill"),
        ("sides: [left]\n", 1, "there is no left"),
        ("words: damn\n", 1, "here belongs a list"),
        ("words:\n  - ok\n  - {wrd: a}\n", 3, "wrd is unknown"),
        ("words:\n  - ok\n  - {action: stop}\n", 3, "word is missing"),
        ("words:\n  - '!!'\n", 2, "no letter"),
        ("words: [" + "a" * 60 + "]\n", 1, "longer than 48"),
        ("words:\n  - {word: a, except: [" + "b" * 40 + "]}\n", 2, "more than 16"),
        ("patterns:\n  - ok\n  - '(a'\n", 3, "missing )"),
        ("patterns:\n  - '(?=a)b'\n", 2, "invalid"),
        ("patterns: ['x*']\n", 1, "matches where nothing is"),
        ("patterns:\n  - {regex: x, longest: 9999}\n", 2, "from 1 to 240"),
        ("personal: [telefon]\n", 1, "there is no kind telefon"),
        ("- a\n", 1, "names with values"),
        ("\x00", 1, "special characters"),
        ("\ufffe\x01", 1, ""),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, text: str, line: int, words: str) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(text, "utf-8")
    problem = read_rules(path, FOLDING).problems[0]
    assert (problem.path, problem.line) == (path, line)
    assert words in problem.reason


def test_a_mistake_costs_its_rule_alone(tmp_path: Path) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text("words: [one, '!!', two]\npatterns: ['(', 'th.ee']\n", "utf-8")
    found = read_rules(path, FOLDING)
    assert [rule.name for rule in found.rules] == ["one", "two", "th.ee"]
    assert len(found.problems) == 2


def test_a_file_that_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "bytes.yaml").write_bytes(b"words: [\xff\xfe]")
    assert read_rules(tmp_path / "bytes.yaml", FOLDING).problems
    assert read_rules(tmp_path / "none.yaml", FOLDING).problems
    (tmp_path / "large.yaml").write_bytes(b"#" * (5 << 20))
    assert "larger than" in read_rules(tmp_path / "large.yaml", FOLDING).problems[0].reason


def test_what_a_list_says_holds_for_its_rules(tmp_path: Path) -> None:
    text = "list: mine\nsides: [input]\naction: warn\nwords: [a1, {word: b, action: stop}]\n"
    first, second = rules_of(tmp_path, text)
    assert (first.group, first.action, first.sides) == ("mine", Action.WARN, {Side.INPUT})
    assert second.action is Action.STOP
    assert not output_of([first, second])


def test_patterns_read_folded_text(tmp_path: Path) -> None:
    rules = output_of(rules_of(tmp_path, "patterns: ['plan\\s?[0-9]{2}', 'café']\n"))
    assert through(rules, "ＰＬＡＮ 42, Cafe") == "████ ██, ████"


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=80))
def test_no_file_breaks_the_reader(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "list.yaml"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    read_rules(path, FOLDING)
