"""A page scrolls as far as its last part, and no further."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from app.ui.page_frame import scrolled, scrolled_paper
from app.ui.words import Plain, wrapped

SENTENCE = "A sentence that takes many lines where it is narrow and two where there is room. "


def test_there_is_no_room_below_the_last_sentence(qtbot: QtBot) -> None:
    paper, column = scrolled_paper()
    labels = [wrapped(Plain(SENTENCE * 2)) for _ in range(30)]
    for label in labels:
        column.addWidget(label)
    scroll = scrolled(paper)
    qtbot.addWidget(scroll)
    scroll.resize(700, 300)
    scroll.show()
    qtbot.waitExposed(scroll)
    assert scroll.verticalScrollBar().maximum() > 0
    foot = column.contentsMargins().bottom()
    qtbot.waitUntil(lambda: paper.height() - labels[-1].geometry().bottom() - 1 == foot)
    assert all(label.height() >= label.heightForWidth(label.width()) for label in labels)


def test_rows_of_a_fixed_height_are_not_squeezed(qtbot: QtBot) -> None:
    paper, column = scrolled_paper()
    labels = [Plain("A line") for _ in range(60)]
    for label in labels:
        column.addWidget(label)
    scroll = scrolled(paper)
    qtbot.addWidget(scroll)
    scroll.resize(300, 200)
    scroll.show()
    qtbot.waitExposed(scroll)
    qtbot.waitUntil(lambda: all(label.height() >= label.sizeHint().height() for label in labels))
