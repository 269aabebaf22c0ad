"""Traditional Chinese is made from the simplified texts: whole, in the right words, and kept."""

from __future__ import annotations

import json
import re
from pathlib import Path

import opencc
import pytest

import app.traditional
from app.language import Language, Texts, entries, first_language
from app.traditional import traditional, traditional_texts

FOLDER = Path(__file__).parents[2] / "resources" / "translations"
SIMPLIFIED, TRADITIONAL = FOLDER / "zh_CN", FOLDER / "zh_TW"
WORDS = json.loads((TRADITIONAL / "words.json").read_text("utf-8"))
ALIKE = {"台"}  # what Taiwan's programs write, though OpenCC knows an older form


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    return dict(entries(traditional_texts(SIMPLIFIED, TRADITIONAL, None)))


@pytest.fixture(scope="module")
def simplified() -> dict[str, str]:
    sources = (path.read_text("utf-8") for path in sorted(SIMPLIFIED.glob("*.ftl")))
    return dict(entries("\n".join(sources)))


def test_every_message_is_there_and_its_syntax_is_untouched(
    texts: dict[str, str], simplified: dict[str, str]
) -> None:
    """Ids, placeables, selectors, attributes and indents are ASCII: all of it, in its order."""
    assert texts.keys() == simplified.keys()
    for name, source in texts.items():
        assert _ascii(source) == _ascii(simplified[name]), name


def _ascii(text: str) -> str:
    return re.sub(r"[^\x00-\x7f]", "", text)


def test_no_simplified_character_is_left(texts: dict[str, str]) -> None:
    one = opencc.OpenCC("s2t")
    shown = set("".join(texts.values())) - ALIKE
    assert {character for character in shown if one.convert(character) != character} == set()


def test_no_mark_of_the_conversion_is_left(texts: dict[str, str]) -> None:
    assert not re.search("[\ue000-\uf8ff]", "".join(texts.values()))


@pytest.mark.parametrize(
    ("simple", "right"),
    [
        ("软件", "軟體"),
        ("文件", "檔案"),
        ("文件夹", "資料夾"),
        ("网络", "網路"),
        ("设置", "設定"),
        ("内存", "記憶體"),
        ("程序", "程式"),
        ("服务器", "伺服器"),
        ("线程", "執行緒"),
        ("显卡", "顯示卡"),
        ("默认设置", "預設設定"),
        ("自己的预设", "自己的預設集"),
        ("35 亿参数", "35 億參數"),
        ("两份许可证", "兩份授權條款"),
        ("写了三个词元后停下", "寫了三個詞元後停下"),
        ("最多只看十个", "最多只看十個"),
        ("这台电脑", "這台電腦"),
        ("已删除“标题”。", "已刪除「標題」。"),
    ],
)
def test_words_of_computing_are_taiwans(simple: str, right: str) -> None:
    assert traditional(simple, WORDS) == right


def test_every_word_of_ours_is_used(simplified: dict[str, str]) -> None:
    everything = "".join(simplified.values())
    assert [word for word in WORDS if word not in everything] == []


def test_the_window_speaks_it(texts: dict[str, str]) -> None:
    language = Language("zh_TW")
    assert language.text("settings") == "設定"
    assert language.text("draft-left", draft=1214, left=5232) == "草稿 1,214 詞元 · 還剩 5,232"
    assert language.seconds(168) == "2 分 48 秒"
    assert language.bytes_text(999) == "999 位元組"
    assert Texts(TRADITIONAL).ids() == frozenset(texts)


def test_a_conversion_is_kept_until_something_is_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    simple, folder, kept = tmp_path / "zh_CN", tmp_path / "zh_TW", tmp_path / "kept" / "zh_TW.ftl"
    simple.mkdir()
    folder.mkdir()
    (simple / "a.ftl").write_text("files = 文件\n", "utf-8")
    (folder / "words.json").write_text("{}", "utf-8")
    assert "files = 檔案" in traditional_texts(simple, folder, kept)
    asked: list[str] = []

    def counted(source: str, words: dict[str, str]) -> str:
        asked.append(source)
        return traditional(source, words)

    monkeypatch.setattr(app.traditional, "traditional", counted)
    assert "files = 檔案" in traditional_texts(simple, folder, kept)
    assert asked == []
    (folder / "words.json").write_text('{"文件": "文檔"}', "utf-8")
    assert "files = 文檔" in traditional_texts(simple, folder, kept)
    (simple / "a.ftl").write_text("files = 文件夹\n", "utf-8")
    assert "files = 文檔夾" in traditional_texts(simple, folder, kept)
    kept.write_bytes(b"\xff\xfe half")
    assert "files = 文檔夾" in traditional_texts(simple, folder, kept)
    assert len(asked) == 3


def test_a_place_that_cannot_be_written_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    kept = tmp_path / "file" / "zh_TW.ftl"
    assert "settings = 設定" in traditional_texts(SIMPLIFIED, TRADITIONAL, kept)


@pytest.mark.parametrize(
    ("names", "code"),
    [
        (["zh-TW"], "zh_TW"),
        (["zh-Hant-TW", "zh-TW", "zh"], "zh_TW"),
        (["zh-HK"], "zh_TW"),
        (["zh_MO"], "zh_TW"),
        (["zh-Hant"], "zh_TW"),
        (["zh-CN"], "zh_CN"),
        (["zh-Hans-HK"], "zh_CN"),
        (["zh-SG"], "zh_CN"),
        (["zh"], "zh_CN"),
        (["de-DE", "zh-TW"], "zh_TW"),
        (["en-HK", "zh-HK"], "en"),
        (["de-DE"], "en"),
        ([], "en"),
    ],
)
def test_the_system_chooses_the_script(names: list[str], code: str) -> None:
    assert first_language(names) == code
