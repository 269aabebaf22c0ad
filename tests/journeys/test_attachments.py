"""A file in an old Chinese encoding, asked about with the real model, kept and printed."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pypdfium2

from app.application import Application
from app.chat.attachment import Attachment
from app.chat.turn import TurnState
from tests.journeys.conftest import Person

SAID = "The rent is 1150 euros a month.\n押金八百元，三月一日付清。\n测试GBK中文乱码\n"


def files_of(person: Person) -> tuple[Attachment, ...]:
    return person.turns()[0].attachments


def text_of_pdf(path: Path) -> str:
    """Return the words without spaces; radicals that share a glyph become their characters."""
    document = pypdfium2.PdfDocument(path)
    text = "".join(page.get_textpage().get_text_range() for page in document)
    document.close()
    return "".join(unicodedata.normalize("NFKC", text).split())


def test_S10_a_gbk_file_is_read_answered_about_kept_over_a_restart_and_printed(
    person: Person, shelf: Path, tmp_path: Path
) -> None:
    program = person.start_ready(shelf)
    person.settle(max_tokens=40)
    path = tmp_path / "租房合同.txt"
    path.write_bytes(SAID.encode("gbk"))
    program.files_on_screen.add([path])
    person.ask("How much is the rent?")  # before it is read: the message waits for the file
    person.wait(lambda: len(person.turns()) == 2)
    reply = person.wait_for_reply()
    assert reply.state in {TurnState.COMPLETE, TurnState.CUT}
    assert "1150" in reply.content.replace(",", "")
    (file,) = files_of(person)
    assert (file.name, file.text.strip()) == ("租房合同.txt", SAID.strip())
    person.leave()
    again: Application = person.start()
    person.wait(lambda: len(person.turns()) == 2)
    assert files_of(person) == (file,)
    assert person.turns()[1].content == reply.content
    chat = again.deeds.open_chat
    assert chat is not None
    target = tmp_path / "chat.pdf"
    again.transfer_on_screen.write([chat], "pdf-files", target)
    person.wait(target.exists)
    printed = text_of_pdf(target)
    assert "租房合同.txt" in printed
    assert "测试GBK中文乱码" in printed
