"""PDF, Office, books and web pages: what of them becomes text, and what is said of the others."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from app.documents import LIMITS, Document, DocumentFault, DocumentFaultKind, DocumentKind, Limits
from app.documents.reading import read
from tests.documents import files


def document(path: Path, password: str = "", limits: Limits = LIMITS) -> Document:
    found = read(path, limits, password)
    assert isinstance(found, Document), found
    return found


def fault(path: Path, password: str = "", limits: Limits = LIMITS) -> DocumentFault:
    found = read(path, limits, password)
    assert isinstance(found, DocumentFault), found
    return found


def test_a_pdf_is_read_page_by_page(tmp_path: Path) -> None:
    found = document(files.pdf(tmp_path / "lease.pdf", ["The rent is 1150", "", "Deposit 800"]))
    assert found.kind is DocumentKind.PDF
    assert [part.text for part in found.parts] == ["The rent is 1150", "", "Deposit 800"]
    assert [part.number for part in found.parts] == [1, 2, 3]


def test_a_pdf_is_known_by_its_beginning_whatever_its_name(tmp_path: Path) -> None:
    assert document(files.pdf(tmp_path / "lease", ["Rent"])).kind is DocumentKind.PDF


def test_a_long_pdf_ends_at_the_limit_and_says_how_many_pages_there_are(tmp_path: Path) -> None:
    path = files.pdf(tmp_path / "long.pdf", ["0123456789"] * 300)
    found = document(path, limits=Limits(characters=1_005))
    assert (len(found.parts), found.total_parts, found.is_cut) == (101, 300, True)


def test_an_encrypted_pdf_asks_for_its_password(tmp_path: Path) -> None:
    path = files.locked_pdf(tmp_path / "locked.pdf", "Secret words", "öpen")
    assert fault(path).kind is DocumentFaultKind.ENCRYPTED
    assert fault(path, "wrong").kind is DocumentFaultKind.WRONG_PASSWORD
    assert document(path, "öpen").parts[0].text == "Secret words"


def test_a_scan_has_no_text_and_says_how_many_pages(tmp_path: Path) -> None:
    found = fault(files.pdf(tmp_path / "scan.pdf", ["", "", ""]))
    assert found.kind is DocumentFaultKind.NO_TEXT
    assert found.figures == {"pages": 3}


@pytest.mark.parametrize("name", ["a.pdf", "a.docx", "a.xlsx", "a.pptx", "a.epub"])
def test_a_damaged_file_is_named_with_the_reason(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"%PDF-1.4\nnothing" if name == "a.pdf" else b"PK\x03\x04nothing")
    found = fault(path)
    assert (found.kind, found.name) == (DocumentFaultKind.DAMAGED, name)
    assert found.figures["reason"]


@pytest.mark.parametrize("name", ["a.docx", "a.xlsx", "a.pptx", "a.epub"])
def test_an_archive_of_something_else_is_damaged(tmp_path: Path, name: str) -> None:
    path = files.archive(tmp_path / name, {"readme.txt": "nothing of the kind"})
    assert fault(path).kind is DocumentFaultKind.DAMAGED


def test_a_zip_bomb_is_refused_before_it_unpacks(tmp_path: Path) -> None:
    path = files.archive(tmp_path / "bomb.docx", {"word/document.xml": "0" * 5_000_000})
    assert path.stat().st_size < 10_000
    found = fault(path, limits=Limits(unpacked_bytes=1_000_000))
    assert found.kind is DocumentFaultKind.BOMB
    assert found.figures == {"bytes": 5_000_000, "limit": 1_000_000}


def test_a_word_file_keeps_its_tables(tmp_path: Path) -> None:
    cells = "".join(f"<w:tc>{files.paragraph(text)}</w:tc>" for text in ("Rent", "1150"))
    body = files.paragraph("租房合同 &lt;b&gt;") + f"<w:tbl><w:tr>{cells}</w:tr></w:tbl>"
    found = document(files.docx(tmp_path / "lease.docx", body))
    assert found.kind is DocumentKind.WORD
    text = found.parts[0].text
    assert "租房合同" in text
    assert "| Rent | 1150 |" in text


def test_slides_keep_titles_and_notes(tmp_path: Path) -> None:
    slides = [("Tea", "Green\n80 °C", "say it slowly"), ("Oolong", "95 °C", "")]
    found = document(files.pptx(tmp_path / "tea.pptx", slides))
    assert [part.title for part in found.parts] == ["Tea", "Oolong"]
    assert found.parts[0].text == "Tea\n\nGreen\n80 °C\n\n> say it slowly"


def test_sheets_become_rows_with_plain_numbers_and_dates(tmp_path: Path) -> None:
    day = datetime.datetime(2026, 3, 1)
    sheets = {"收入": [["Day", "Sum"], [day, 1200.0], ["a,b", 0.5]], "Empty": []}
    found = document(files.xlsx(tmp_path / "book.xlsx", sheets))
    assert found.kind is DocumentKind.SHEETS
    assert [part.title for part in found.parts] == ["收入", "Empty"]
    assert found.parts[0].text == 'Day,Sum\n2026-03-01,1200\n"a,b",0.5'


def test_a_book_is_read_in_its_order(tmp_path: Path) -> None:
    chapters = [f"<html><body><h1>Chapter {k}</h1><p>Words {k}</p></body></html>" for k in (1, 2)]
    found = document(files.epub(tmp_path / "book.epub", chapters))
    assert [part.title for part in found.parts] == ["Chapter 1", "Chapter 2"]
    assert found.parts[1].text == "# Chapter 2\n\nWords 2"


def test_a_book_under_rights_management_is_refused(tmp_path: Path) -> None:
    scrambled = '<encryption><CipherReference URI="OEBPS/text/c%200.xhtml"/></encryption>'
    extra = {"META-INF/encryption.xml": scrambled}
    path = files.epub(tmp_path / "shop.epub", ["<p>x</p>"], extra)
    assert fault(path).kind is DocumentFaultKind.PROTECTED
    extra = {"META-INF/encryption.xml": scrambled.replace("c%200.xhtml", "serif.otf")}
    assert document(files.epub(path, ["<p>free</p>"], extra)).parts[0].text == "free"


def test_a_web_page_is_read_as_what_one_sees(tmp_path: Path) -> None:
    page = (
        '<html><head><meta charset="gb2312"><title>天气</title><script>x=1</script></head><body>'
        "<h2>今天</h2><ul><li>晴<li>北风</ul><img src='http://host.invalid/p.png' alt=p>"
        "<a href='/x'>更多</a></body></html>"
    )
    path = tmp_path / "page.html"
    path.write_bytes(page.encode("gb2312"))
    found = document(path)
    assert found.kind is DocumentKind.WEB_PAGE
    assert found.parts[0].text == "# 天气\n\n## 今天\n\n- 晴\n- 北风\n\n[更多](/x)"
