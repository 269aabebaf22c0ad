"""Chats as PDF: pages of their own, with the transcript's look in the colours of paper."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QMarginsF, QRectF, QSizeF
from PySide6.QtGui import QColor, QPageLayout, QPageSize, QPainter, QPdfWriter

from app.chat.exporting import ExportWords, SaidChat, speaker
from app.chat.turn import Turn
from app.rendering.printed import Ink, PrintedPage
from app.rendering.printed_quotes import bars
from app.rendering.reader import Reader
from app.rendering.tool_calls import call_blocks
from engine.contract import Role

_DPI = 96  # what sizes are given in
_FINE = 1200  # dots an inch: where glyphs may stand
_SIDE, _TOP, _FOOT = 64, 56, 40  # px: the margins, and the room of the page's number
_PART = ".part"


def write_pdf(
    chats: Sequence[SaidChat],
    words: ExportWords,
    ink: Ink,
    number: str,
    path: Path,
    *,
    with_files: bool = False,
) -> Path:
    """Write chats to a PDF, each from a new page on; not on the window's thread.

    Args:
        chats: one or several.
        words: of the window's language.
        ink: families and colours to print with.
        number: the page's number, with ``{page}`` and ``{pages}`` in it.
        path: the file; it is replaced only by a whole one.
        with_files: print the text of attached files, not their names alone.

    Raises:
        OSError: it could not be written; what was there before is as it was.
    """
    part = path.with_name(path.name + _PART)
    part.write_bytes(b"")  # the system's own reason, where it does not let this be written
    writer = QPdfWriter(str(part))
    writer.setResolution(_FINE)
    margins = QMarginsF(0, 0, 0, 0)
    page = QPageLayout(
        QPageSize(QPageSize.PageSizeId.A4), QPageLayout.Orientation.Portrait, margins
    )
    writer.setPageLayout(page)
    writer.setTitle(" ".join(chats[0].title.split()))
    writer.setCreator("Inkstone")
    size = page.fullRect(QPageLayout.Unit.Point).size() * _DPI / 72
    room = QSizeF(size.width() - 2 * _SIDE, size.height() - 2 * _TOP - _FOOT)
    printed = PrintedPage(ink, room.width())
    for place, chat in enumerate(chats):
        if place:
            printed.break_page()
        _add_chat(printed, chat, words, with_files=with_files)
    printed.document.setPageSize(room)
    _paint(printed, writer, room, number, ink)
    part.replace(path)
    return path


def _paint(printed: PrintedPage, writer: QPdfWriter, room: QSizeF, number: str, ink: Ink) -> None:
    painter = QPainter()
    if not painter.begin(writer):
        raise OSError("the PDF could not be begun")
    painter.scale(_FINE / _DPI, _FINE / _DPI)
    pages = printed.document.pageCount()
    for page in range(pages):
        if page and not writer.newPage():
            painter.end()
            raise OSError("a page of the PDF could not be written")
        painter.save()
        painter.translate(_SIDE, _TOP - page * room.height())
        shown = QRectF(0, page * room.height(), room.width(), room.height())
        printed.document.drawContents(painter, shown)
        for bar in bars(printed.document):
            if bar.intersects(shown):
                painter.fillRect(bar.intersected(shown), QColor(ink.colors["edge"]))
        painter.restore()
        painter.setFont(printed.font(11))
        painter.setPen(QColor(ink.colors["ink3"]))
        foot = QRectF(_SIDE, _TOP + room.height() + 12, room.width(), _FOOT - 12)
        painter.drawText(foot, 0x84, number.format(page=page + 1, pages=pages))  # centred
    if not painter.end():
        raise OSError("the PDF could not be ended")


def _add_chat(page: PrintedPage, chat: SaidChat, words: ExportWords, *, with_files: bool) -> None:
    title = " ".join(chat.title.split())
    if title:
        page.add_line(title, 21, "ink", above=0, bold=True)
    reader = Reader()
    for turn in chat.turns:
        _add_turn(page, turn, words, reader, with_files=with_files)


def _add_turn(
    page: PrintedPage, turn: Turn, words: ExportWords, reader: Reader, *, with_files: bool
) -> None:
    when = turn.created.astimezone().strftime("%Y-%m-%d %H:%M")
    page.add_line(f"{speaker(turn, words)}  ·  {when}", 11, "ink3", above=16)
    if turn.reasoning:
        page.add_line(words.thought, 11, "ink2", above=2, bold=True)
        page.add_plain(turn.reasoning, size=12, color="ink2")
    for file in turn.attachments:
        name = " ".join(file.name.split())
        page.add_line(f"{words.attached} {name}", 11, "ink2", above=2, bold=with_files)
        if with_files:
            page.add_plain(file.text.strip("\n"), ground="code", size=11, color="ink2")
    if turn.role is Role.ASSISTANT:
        page.add_blocks([*reader.read(turn.content), *call_blocks(turn.tool_calls)])
    elif turn.content:
        page.add_plain(turn.content, ground="stone2")
