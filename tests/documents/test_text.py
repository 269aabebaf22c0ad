"""Text files in the encodings that people have."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest

from app.documents import LIMITS, Document, DocumentFault, DocumentFaultKind, DocumentKind
from app.documents.excerpts import beginning, whole
from app.documents.kept import pack, unpack
from app.documents.limits import Limits
from app.documents.reading import read

CHINESE = "测试GBK中文乱码"
TABLE = "姓名,年龄,城市\n张三,25,北京\n李四,30,上海\n"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(64)
TRADITIONAL = "繁體中文測試檔案，臺灣的天氣很好。"


def text_of(path: Path) -> str:
    read_ = read(path, LIMITS)
    assert isinstance(read_, Document), read_
    return read_.parts[0].text


def fault_of(path: Path, limits: Limits = LIMITS) -> DocumentFaultKind:
    fault = read(path, limits)
    assert isinstance(fault, DocumentFault), fault
    assert fault.name == path.name
    return fault.kind


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (CHINESE, "gbk"),
        (CHINESE, "gb2312"),
        (CHINESE, "gb18030"),
        (TABLE, "gbk"),
        (TABLE, "gb2312"),
        (TRADITIONAL, "big5"),
        ("繁體中文測試", "big5"),
        ("これは日本語のテストです。漢字も含まれます。", "shift_jis"),
        ("これは日本語のテストです。漢字も含まれます。", "euc_jp"),
        ("한국어 테스트 문장입니다.", "euc_kr"),
        ("名称,数量\n苹果,3\n", "gbk"),  # a few characters: chardet is sure of nothing
        ("押金", "gbk"),
        ("名稱,數量\n", "big5"),
        ("日本語", "shift_jis"),
        ("Größe: 12 mm, Öl für Straße", "cp1252"),
        ("Müller;Köln\n", "cp1252"),
        ("naïve café résumé", "cp1252"),
        ("GRÖSSE ÄNDERN", "cp1252"),
        ("Привет, это тестовый файл.", "cp1251"),
        ("Plain words", "ascii"),
        (CHINESE, "utf-8"),
        (CHINESE, "utf-8-sig"),
        (CHINESE, "utf-16"),
        (TABLE, "utf-32"),
        (f"line one\nline two {CHINESE}\n", "utf-16-le"),
        (f"line one\nline two {CHINESE}\n", "utf-16-be"),
    ],
)
def test_S10_text_of_any_encoding_is_readable(tmp_path: Path, text: str, encoding: str) -> None:
    path = tmp_path / "file.txt"
    path.write_bytes(text.encode(encoding))
    assert text_of(path) == text


def test_S10_a_chinese_table_of_a_spreadsheet_program(tmp_path: Path) -> None:
    path = tmp_path / "表格.csv"
    path.write_bytes(f"{CHINESE},数量\r\n苹果,3\r\n".encode("gb2312"))
    found = read(path, LIMITS)
    assert isinstance(found, Document)
    assert found.kind is DocumentKind.TABLE
    assert found.parts[0].text == f"{CHINESE},数量\n苹果,3\n"
    assert found.encoding == "gb18030"


def test_a_mark_of_order_is_not_part_of_the_text(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(codecs.BOM_UTF8 + b"import os\n")
    found = read(path, LIMITS)
    assert isinstance(found, Document)
    assert (found.kind, found.parts[0].text) == (DocumentKind.CODE, "import os\n")


def test_control_characters_go_and_line_breaks_are_one_kind(tmp_path: Path) -> None:
    path = tmp_path / "old.log"
    path.write_bytes(b"one\r\ntwo\rthree\x1b[0m and a good many more words on this line\f")
    assert text_of(path) == "one\ntwo\nthree[0m and a good many more words on this line\n"


def test_what_is_no_text_is_refused_by_name(tmp_path: Path) -> None:
    for name, data, kind in (
        ("photo.jpg", b"\xff\xd8\xff\xe0" + bytes(range(256)), DocumentFaultKind.IMAGE),
        ("photo", b"\x89PNG\r\n\x1a\n" + bytes(64), DocumentFaultKind.IMAGE),
        ("song.mp3", b"ID3\x03" + bytes(range(256)), DocumentFaultKind.NOT_TEXT),
        ("data.bin", bytes(range(256)) * 8, DocumentFaultKind.NOT_TEXT),
        (
            "letter.doc",
            OLE,
            DocumentFaultKind.OLD_OFFICE,
        ),
        (
            "secret.docx",
            OLE,
            DocumentFaultKind.PROTECTED,
        ),
        ("empty.txt", b" \n\n", DocumentFaultKind.EMPTY),
    ):
        path = tmp_path / name
        path.write_bytes(data)
        assert fault_of(path) is kind, name
    assert fault_of(tmp_path) is DocumentFaultKind.FOLDER
    assert fault_of(tmp_path / "gone.txt") is DocumentFaultKind.MISSING


def test_a_long_text_is_read_as_far_as_the_limit_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "long.log"
    path.write_text("一行文字\n" * 10_000, "utf-8")
    found = read(path, Limits(characters=1_000))
    assert isinstance(found, Document)
    assert found.is_cut
    assert len(found.parts[0].text) == 1_000
    assert 0.015 < found.share <= 0.02, "a thousand of fifty thousand characters, not nearly all"
    assert 0.015 < whole(found).share <= 0.02
    assert beginning(found, 100).share < 0.0021
    kept = unpack(pack(found))
    assert kept == found
    assert fault_of(path, Limits(file_bytes=1_000)) is DocumentFaultKind.TOO_LARGE
