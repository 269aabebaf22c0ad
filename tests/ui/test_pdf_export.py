"""A chat as PDF, read back: its words in order, its code, its tables, Chinese, page numbers."""

from __future__ import annotations

import threading
import unicodedata
from datetime import UTC, datetime
from pathlib import Path

import pypdfium2
import pytest
from PySide6.QtCore import QSizeF

from app.chat.attachment import Attachment
from app.chat.exporting import ExportWords, SaidChat
from app.chat.turn import Turn, TurnState
from app.rendering.printed import Ink, PrintedPage
from app.rendering.printed_quotes import bars
from app.rendering.reader import Reader
from app.ui.look import Look
from app.ui.pdf_export import write_pdf
from engine.contract import Role

# ziamath reads its font by a deprecated function when it is imported
pytestmark = pytest.mark.filterwarnings("ignore:path is deprecated")

WORDS = ExportWords("en", "You", "Answer", "Instructions", "Thought", "Attached:")
REPLY = """About **17 years**, see `ln`.

## Where from

$$ t = \\frac{\\ln 2}{\\ln(1 + r)} $$

| Rate | Years |
|---|---:|
| 2 % | 35.00 |
| 4 % | 17.67 |

```python
def years(rate: float) -> float:
    return log(2) / log(1 + rate)
```

- [x] done
- 押金是**两个月**的房租。
  1. inner

> quoted

Inline $x^2$ and $\\broken{$.
"""


def turn(role: Role, content: str, **values: object) -> Turn:
    moment = datetime(2026, 11, 29, 12, tzinfo=UTC)
    return Turn(1, 1, None, role, content, "", TurnState.COMPLETE, moment, **values)  # type: ignore[arg-type]


def chat(*turns: Turn, title: str = "Doubling savings 存款") -> SaidChat:
    return SaidChat(title, turns)


def pages(path: Path) -> list[str]:
    """The text of each page without its spaces: pdfium tells columns of one digit otherwise.

    Noto's Chinese glyphs are shared with radicals, whose code points a PDF names; they are the same
    characters in compatibility form.
    """
    document = pypdfium2.PdfDocument(path)
    texts = [page.get_textpage().get_text_range() for page in document]
    document.close()
    return ["".join(unicodedata.normalize("NFKC", text).split()) for text in texts]


@pytest.fixture
def ink(look: Look) -> Ink:
    return Ink(
        look.theme.families("reading"), look.theme.families("code"), look.theme.print_colors()
    )


def test_everything_that_was_said_is_on_the_page_in_its_order(ink: Ink, tmp_path: Path) -> None:
    said = chat(
        turn(Role.USER, "When does it double?\n  <b>& why</b>"),
        turn(Role.ASSISTANT, REPLY, model="Qwen3 4B"),
    )
    (text,) = pages(write_pdf([said], WORDS, ink, "{page} / {pages}", tmp_path / "a.pdf"))
    places = [
        text.index("".join(part.split()))
        for part in (
            "Doubling savings 存款", "You", "When does it double?", "<b>& why</b>",
            "Answer · Qwen3 4B", "17 years", "Where from", "Rate", "35.00", "17.67",
            "def years", "return log(2)", "押金是两个月的房租", "inner", "quoted", "\\broken{",
            "1 / 1",
        )
    ]  # fmt: skip
    assert places == sorted(places)
    assert "**" not in text
    assert "frac" not in text, "a formula is drawn"


def test_a_long_chat_has_as_many_pages_as_it_needs_each_numbered(ink: Ink, tmp_path: Path) -> None:
    code = "```\n" + "\n".join(f"line {n}" for n in range(200)) + "\n```"
    said = chat(turn(Role.USER, "long " * 2000), turn(Role.ASSISTANT, code))
    path = write_pdf([said], WORDS, ink, "page {page} of {pages}", tmp_path / "long.pdf")
    texts = pages(path)
    assert len(texts) > 5
    assert all(f"page{n}of{len(texts)}" in text for n, text in enumerate(texts, 1))
    whole = "\n".join(texts)
    assert all(f"line{n}" in whole for n in range(200))


def test_several_chats_begin_on_pages_of_their_own(ink: Ink, tmp_path: Path) -> None:
    chats = [chat(turn(Role.USER, f"question {n}"), title=f"Chat {n}") for n in (1, 2)]
    first, second = pages(write_pdf(chats, WORDS, ink, "{page}", tmp_path / "two.pdf"))
    assert ("question1" in first, "question2" in first) == (True, False)
    assert "Chat2" in second


def test_it_is_written_beside_the_window_and_a_refusal_leaves_the_old_file(
    ink: Ink, tmp_path: Path
) -> None:
    said, done = chat(turn(Role.ASSISTANT, REPLY)), list[Path]()
    work = threading.Thread(
        target=lambda: done.append(write_pdf([said], WORDS, ink, "{page}", tmp_path / "b.pdf"))
    )
    work.start()
    work.join(20)
    assert done == [tmp_path / "b.pdf"]
    with pytest.raises(OSError, match="folder"):
        write_pdf([said], WORDS, ink, "{page}", tmp_path / "no folder" / "c.pdf")


def test_files_are_named_and_printed_where_that_is_wanted(ink: Ink, tmp_path: Path) -> None:
    files = (
        Attachment("lease\n租房.pdf", "pdf", "Clause 1\n押金八百元"),
        Attachment("b.txt", "text", "b!"),
    )
    said = chat(turn(Role.USER, "", attachments=files), turn(Role.ASSISTANT, "Yes."))
    (named,) = pages(write_pdf([said], WORDS, ink, "{page}", tmp_path / "a.pdf"))
    assert "Attached:lease租房.pdf" in named
    assert ("Clause1" in named, "b!" in named) == (False, False)
    path = write_pdf([said], WORDS, ink, "{page}", tmp_path / "b.pdf", with_files=True)
    (whole,) = pages(path)
    places = [
        whole.index(part)
        for part in ("lease租房.pdf", "Clause1", "押金八百元", "b.txt", "b!", "Yes.")
    ]
    assert places == sorted(places)


def test_items_boxes_and_footnotes_have_their_marks(ink: Ink) -> None:
    page = PrintedPage(ink, 500)
    page.add_blocks(
        Reader().read("So[^1].\n\n- [x] done\n- [ ] open\n\n7. seven\n\n   more\n\n[^1]: The note.")
    )
    text = page.document.toPlainText().split("\n")
    assert text == ["So1.", "☑\tdone", "☐\topen", "7.\tseven", "more", "1\tThe note."]


def test_a_quote_has_its_bar_and_a_quote_in_it_another(ink: Ink) -> None:
    page = PrintedPage(ink, 500)
    page.add_blocks(
        Reader().read("before\n\n> one\n>\n> two\n>\n> > inner\n\nafter\n\n- > in a list")
    )
    page.document.setPageSize(QSizeF(500, 700))
    found = list(bars(page.document))
    assert [round(bar.left()) for bar in found] == [6, 6, 6, 28, 28]
    first, second, third = found[:3]
    assert first.bottom() == second.top()
    assert second.bottom() == third.top()
    assert 10 < first.height() < 60
