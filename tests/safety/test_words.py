"""What bundled lists find, however it is written, and what they leave alone."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from engine.safety.ordinary import ORDINARY
from engine.safety.protection import Protection, build
from engine.safety.rule_files import read_rules
from engine.safety.settings import Profile, SafetySettings
from tests.safety.rules import FOLDING, output_of, rules_of, through

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def family() -> Protection:
    return build(SafetySettings(Profile.FAMILY))


@pytest.fixture(scope="module")
def organisation() -> Protection:
    return build(SafetySettings(Profile.ORGANISATION))


@pytest.mark.parametrize(
    "written",
    [
        "fuck", "FUCK", "Fucking", "ｆｕｃｋ", "fυck", "fu\u200bck", "f\u00aduck", "𝓯𝓾𝓬𝓴",
        "fück",
        "f u c k", "f.u.c.k", "f-u-c-k", "f*u*c*k", "f  u  c  k", "fuuuuck",
        "f\nu\nc\nk", "fu-\nck", "fu\u2010\nck", "shіt",
        "sh1t", "5hit", "b!tch", "傻逼", "傻 逼", "傻\u200b逼",
        "傻.逼", "你是bitch吗", "操你", "滾蛋",
    ],
)  # fmt: skip
def test_variants_are_found(family: Protection, written: str) -> None:
    text = f"so {written} then"
    shown = through(family.output, *text)
    assert "█" in shown
    assert (shown[:3], shown[-5:]) == ("so ", " then")


@pytest.mark.parametrize(
    "text",
    [
        "Scunthorpe, Penistone, Clitheroe and Lightwater are towns; so is Tarsdorf.",
        "The class passed the assessment of assets; a cockatoo, a shuttlecock.",
        "Matsushita, analysis of the title, a document, cocktails, Titus, titanic.",
        "The A55 road, part number 5H1, AS 5, at $5.00, $1,234.56 and 3,5 €, 10:30-12:45, B00B5.",
        "The great tits and blue tits sat in the oak; tit for tat. Essex, sextant.",
        "Pussycat, prickly pear, pissoir: other words that merely begin alike.",
        "异性交往要适度，一次性交付全部款项，同性交往，线性交换。体操你会吗？早操你去不去？",
        "他做爱心早餐，也做爱国教育。",
        "这场比赛一次性交清，个性交流，中性交流电。",
        "Привет, как дела? Сосна у реки. Ελληνικά: τι κάνεις; 日本語の文章です。한국어 문장입니다.",
        "a s, b s, s s; x y z. I, II, III. f(u) = c, k = 3. F = U · C",
    ],
)
def test_what_merely_contains_them_stays(family: Protection, text: str) -> None:
    assert through(family.output, text) == text


@pytest.mark.parametrize(
    "written",
    [
        "fu\nck", "fuc\nk", "FU\nCK", "fu\r\nck", "fu\n\nck", "fu\u2028ck", "fu\x0bck",
        "fu  \n  ck", "fu\n> ck", "fu\n- ck", "f.u\nc.k", "fu\nc\nk", "fu\ncking", "ｆｕ\nｃｋ",
        "fu\u200b\n\u200bck", "bas\ntard", "ass\nhole", "sh\n1t",
        "傻\n逼", "傻\n\n逼", "傻  \n  逼", "你妈\r\n逼",
    ],
)  # fmt: skip
def test_a_word_cut_by_the_end_of_a_line_is_found(family: Protection, written: str) -> None:
    text = f"so {written} then"
    shown = through(family.output, *text)
    assert "█" in shown
    assert (shown[:3], shown[-5:]) == ("so ", " then")
    assert not set(shown[3:-5]) & set("fuckFUCKbsht傻逼")


@pytest.mark.parametrize("written", ["how t\no make a bomb", "怎么制\n> 毒"])
def test_what_ends_a_reply_ends_it_before_a_cut_word_too(family: Protection, written: str) -> None:
    assert through(family.output, *f"so {written} then") == "so "


@pytest.mark.parametrize(
    "text",
    [
        "The pen\nis here, a bit\nchanged, who\nreally, who\nre-elected her, as\nsoon as.",
        "It isn't\nit. He's\nhit. I don't\nwater it. A\nSS officer. We blow\njobs up.",
        "The class\nassessed it; such as\nholes; the old fag\npots; but\nt is time, x\nxx.",
        "- a\n- ss -a\n- b\n\nif (s)\nhit = 1;",
        "很有个性\n\n交流时，线性\n交换，异性\n交往；体操\n你会吗",
    ],
)
def test_two_words_around_the_end_of_a_line_stay(family: Protection, text: str) -> None:
    assert through(family.output, *text) == text


def test_prose_with_a_line_break_for_every_space_stays(family: Protection) -> None:
    for path in sorted((ROOT / "resources" / "texts").glob("*.txt")):
        text = path.read_text("utf-8")[:60_000].replace(" ", "\n").replace("，", "\n")
        assert through(family.output, text) == text, path.name


def test_every_listed_word_is_found_wherever_a_line_cuts_it(family: Protection) -> None:
    """But where both halves are ordinary words: "blow" and "job" may end and begin lines."""
    passed = set()
    for word in (rule.name.strip("*") for rule in family.output._rules):
        for place in range(1, len(word)):
            head, tail = word[:place], word[place:]
            if not (head.endswith(" ") or tail.startswith(" ")):
                text = f"so {head}\n{tail} then"
                passed |= {(head, tail)} if through(family.output, text) == text else set()
    assert all(head in ORDINARY and tail in ORDINARY for head, tail in passed)
    assert len(passed) < 12


def test_ordinary_prose_stays(family: Protection, organisation: Protection) -> None:
    """Every bundled text that models are measured with, in both languages."""
    for path in sorted((ROOT / "resources" / "texts").glob("*.txt")):
        text = path.read_text("utf-8")[:60_000]
        assert through(family.output, text) == text, path.name
        assert through(organisation.output, text) == text, path.name


def test_simplified_and_traditional_are_one(tmp_path: Path) -> None:
    rules = output_of(rules_of(tmp_path, "words: [台湾腔, 龍門陣]"))
    assert through(rules, "臺灣腔 and 台灣腔, 龙门阵, 龍門陣") == "███ and ███, ███, ███"


@pytest.mark.parametrize(
    "expression", ["(a+)+$", "(a|aa)+b", "(.*)*x", "^(([a-z])+.)+[A-Z]([a-z])+$", "(a*)*b"]
)
def test_catastrophic_expressions_end(tmp_path: Path, expression: str) -> None:
    """Backtracking engines need 2^30 steps for these; here time grows with the text alone."""
    path = tmp_path / "list.yaml"
    path.write_text(f"patterns:\n  - {{regex: '{expression}'}}\n", "utf-8")
    found = read_rules(path, FOLDING)
    begin = time.process_time()
    through(output_of(found.rules), "a" * 5_000 + "!")
    assert time.process_time() - begin < 20


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("call 13812345678 now", "call ███████████ now"),
        ("call13812345678 or 13812345678now", "call███████████ or ███████████now"),
        ("138_1234_5678", "███_████_████"),
        ("138，1234，5678", "███，████，████"),
        ("138、1234、5678", "███、████、████"),
        ("138/1234/5678", "███/████/████"),
        ("138一1234一5678", "█████████████"),
        ("+1 650-253-0000", "+█ ███-███-████"),
        ("１３８１２３４５６７８", "███████████"),
        ("1 3 8 1 2 3 4 5 6 7 8", "█ █ █ █ █ █ █ █ █ █ █"),
        ("身份证11010519491231002X。", "身份证██████████████████。"),
        ("4111 1111 1111 1111", "████ ████ ████ ████"),
        ("GB82 WEST 1234 5698 7654 32", "████ ████ ████ ████ ████ ██"),
        ("write to a.b+c@example.co.uk.", "write to █.█+█@███████.██.██."),
        ("AKIAIOSFODNN7EXAMPLE", "████████████████████"),
    ],
)
def test_personal_data_is_masked(organisation: Protection, text: str, shown: str) -> None:
    assert through(organisation.output, *text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "110105194912310021, 4111 1111 1111 1112, GB82 WEST 1234 5698 7654 33",  # checksums wrong
        "ISBN 978-3-16-148410-0, 2024-11-30 12:30:15, order 20241130123015, v1.22.333.4444",
        "prices: 1,234,567.89 and ￥12,345,678; π = 3.14159265358979; 192.168.100.200",
        "sha 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08, @someone, a@b",
        "1234567890123456789012345678901234567890",
        "ids 3f13812345678ab, x1y13812345678; 13,812,345,678 people, 2026/11/30, at 1796038182",
    ],
)
def test_what_only_looks_like_personal_data_stays(organisation: Protection, text: str) -> None:
    assert through(organisation.output, text) == text
