"""Texts are parsed when they are asked for, figures are written as people read them."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.chat.turn import TurnFigures
from app.language import LANGUAGES, Language, Texts, entries
from app.store.catalogue import PROGRAM
from app.ui.settings.naming import value_text
from app.ui.transcript.figures import figure_texts

ROOT = Path(__file__).parents[2]
USE = re.compile(r'"([a-z][a-z0-9-]*(?:\.[a-z]+)?)"')


def test_a_message_is_parsed_with_what_it_refers_to(tmp_path: Path) -> None:
    folder = tmp_path / "en"
    folder.mkdir()
    source = "-name = Ink\nstone = { -name }stone\n    .more = from { stone }\nnever = {\n"
    (folder / "a.ftl").write_text(source, "utf-8")
    texts = Texts(folder)
    assert texts.format("stone", {}) == "Inkstone"
    assert texts.format("stone.more", {}) == "from Inkstone"


def test_a_missing_text_and_a_missing_figure_are_bugs() -> None:
    language = Language("en")
    with pytest.raises(KeyError):
        language.text("no-such-text")
    with pytest.raises(ValueError, match="draft"):
        language.text("draft-left", left=3)


def test_plural_and_grouping_follow_the_language() -> None:
    language = Language("en")
    assert language.text("draft-left", draft=1, left=5232) == "Draft 1 token · 5,232 left"
    language.use("zh_CN")
    assert language.text("draft-left", draft=1214, left=5232) == "草稿 1,214 词元 · 还剩 5,232"


@pytest.mark.parametrize(
    ("count", "length", "reused", "left"),
    [
        (1, "Length <b>1</b> token", "Reused <b>1</b> token", "Left out <b>1</b> oldest turn"),
        (1204, "Length <b>1,204</b> tokens", "Reused <b>1,204</b> tokens",
         "Left out <b>1,204</b> oldest turns"),
    ],
)  # fmt: skip
def test_one_of_a_thing_is_not_told_as_many(
    count: int, length: str, reused: str, left: str
) -> None:
    figures = TurnFigures(None, 0.3, count, count, count, 0, 0.0, 1.0, left_out_turns=count)
    assert {length, reused, left} <= set(figure_texts(figures, Language("en")))
    assert "长度 <b>1</b> 词元" in figure_texts(
        replace(figures, generated_tokens=1), Language("zh_CN")
    )


def test_a_setting_of_one_has_a_unit_of_one() -> None:
    days = next(each for each in PROGRAM if each.unit == "days")
    threads = next(each for each in PROGRAM if each.unit == "threads")
    english = Language("en")
    said = [value_text(english, each, number) for each in (days, threads) for number in (1, 2)]
    assert said == ["1 day", "2 days", "1 thread", "2 threads"]


def test_switching_tells_everyone_once(qtbot: QtBot) -> None:
    language = Language("en")
    with qtbot.waitSignal(language.changed, timeout=100):
        language.use("zh_CN")
    with qtbot.assertNotEmitted(language.changed):
        language.use("zh_CN")
    with pytest.raises(ValueError, match="xx"):
        language.use("xx")


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (999, "999 bytes"),
        (145_000, "145 kB"),
        (98_362_432, "98 MB"),
        (2_500_000_000, "2.50 GB"),
        (16_400_000_000, "16.4 GB"),
        (214_000_000_000, "214 GB"),
    ],
)
def test_sizes_have_three_digits_and_a_unit(count: int, shown: str) -> None:
    assert Language("en").bytes_text(count) == shown


def test_durations_and_speeds_are_short() -> None:
    english, chinese = Language("en"), Language("zh_CN")
    assert [english.seconds(s) for s in (0.314, 0.8449, 10.26, 168)] == [
        "0.31 s", "0.84 s", "10.3 s", "2 min 48 s",
    ]  # fmt: skip
    assert english.seconds(6.4, whole=True) == "6 s"
    assert chinese.seconds(168) == "2 分 48 秒"
    assert [english.speed(s) for s in (13.21, 130.6)] == ["13.2", "131"]
    assert english.number(-1204.5, 1) == "−1,204.5"
    assert re.fullmatch(r"\d\d:\d\d", english.clock(datetime(2026, 11, 29, tzinfo=UTC)))


def test_every_text_that_the_window_names_exists() -> None:
    """Ids are written as plain strings beside ``text``, ``Words``, ``Button`` and tables of ids.

    A lower-case string with a dash, or the first argument of ``text(…)``, is taken for an id.
    """
    known = set(Texts(ROOT / "resources" / "translations" / "en").ids())
    missing = {
        f"{path.name}: {name}"
        for path in (ROOT / "app").rglob("*.py")
        for name in re.findall(r'\btext\(\s*"([a-z][a-z0-9.-]*)"', path.read_text("utf-8"))
        if name.partition(".")[0] not in known
    }
    assert missing == set()


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_text_parses(code: str) -> None:
    """A message that Fluent cannot parse would be junk, and missing only when it is shown."""
    texts = Texts(ROOT / "resources" / "translations" / code)
    for name in sorted(texts.ids()):
        texts._parse(name)
        if not name.startswith("-"):
            assert texts._bundle.has_message(name), name


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_id_is_written_twice(code: str) -> None:
    folder = ROOT / "resources" / "translations" / code
    ids = [i for path in sorted(folder.glob("*.ftl")) for i, _ in entries(path.read_text("utf-8"))]
    assert sorted(ids) == sorted(set(ids))


def test_chinese_has_a_space_between_scripts_and_full_punctuation() -> None:
    """LOOK.md's voice, where it can be checked: no half-width comma or full stop after 汉字."""
    folder = ROOT / "resources" / "translations" / "zh_CN"
    for path in folder.glob("*.ftl"):
        for name, source in entries(path.read_text("utf-8")):
            body = source.partition("=")[2]
            assert not re.search(r"[\u4e00-\u9fff][,.;:?!]", body), name
            assert not re.search(r"[\u4e00-\u9fff][A-Za-z]|[A-Za-z][\u4e00-\u9fff]", body), name
            assert "您" not in body, name


def test_a_size_takes_the_unit_of_the_larger_one_beside_it() -> None:
    language = Language("en")
    assert language.bytes_text(80_000, 92_871_040) == "0.1 MB"
    assert language.bytes_text(31_000_000, 92_871_040) == "31 MB"
    assert language.bytes_text(400_000_000, 10_800_000_000) == "0.40 GB"
    assert language.bytes_text(10_800_000_000, 400_000_000) == "10.8 GB"


def test_the_sizes_of_one_sentence_have_one_unit_and_are_told_apart() -> None:
    language = Language("en")
    few, many = 5_000_000, 98_362_432
    short = language.sizes({"size": few, "expected": many})
    assert short == {"size": "5.0 MB", "expected": "98 MB"}
    near = language.sizes({"size": many - 1, "expected": many})
    assert near == {"size": "98,362,431 bytes", "expected": "98,362,432 bytes"}
    close = language.sizes({"needed": 10_812_000_000, "free": 10_795_000_000})
    assert close == {"needed": "10.81 GB", "free": "10.79 GB"}
    apart = language.sizes({"size": 62_000_000, "free": 62_000_000_000})
    assert apart == {"size": "62 MB", "free": "62.0 GB"}
    assert language.sizes({}) == {}
