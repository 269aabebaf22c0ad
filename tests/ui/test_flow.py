"""Cards in rows: as tall and as wide as they are, also when the words in them grow."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.chat.attachment import Attachment
from app.ui.attachments.cards import FileCard
from app.ui.attachments.flow import Flow
from app.ui.look import Look


def test_cards_are_whole_when_text_grows_and_all_comes_closer(look: Look, qtbot: QtBot) -> None:
    window, flow = QWidget(), Flow()
    column = QVBoxLayout(window)
    column.addWidget(flow)
    column.addStretch()
    qtbot.addWidget(window)
    window.resize(600, 200)
    window.show()
    names = ("lease of the flat.txt", "code.py", "second lease of the flat.txt")
    cards = [FileCard(look, name, Attachment(name, "text", "x")) for name in names]
    flow.show_widgets(cards)

    def are_whole() -> bool:
        return all(
            card.width() >= card.sizeHint().width()
            and card.geometry().right() < flow.width()
            and card.geometry().bottom() < flow.height()
            for card in cards
        )

    qtbot.waitUntil(are_whole)
    before = [card.width() for card in cards]
    look.theme.use("light", 1.6)
    qtbot.waitUntil(lambda: all(c.width() > w for c, w in zip(cards, before, strict=True)))
    qtbot.waitUntil(are_whole)


def test_a_card_of_fixed_height_has_its_row_whatever_it_would_like(qtbot: QtBot) -> None:
    flow, card = Flow(), QWidget()
    qtbot.addWidget(flow)
    card.setFixedSize(80, 30)  # and no hint at all
    flow.show_widgets([card])
    assert flow.fit(300) == 30
    assert card.geometry().height() == 30


def test_what_is_hidden_takes_no_room_and_rows_are_as_tall_as_their_tallest(qtbot: QtBot) -> None:
    flow = Flow(gap=10)
    qtbot.addWidget(flow)
    flow.resize(200, 10)
    parts = [QWidget() for _ in range(3)]
    for part, (wide, tall) in zip(parts, ((80, 20), (60, 40), (90, 10)), strict=True):
        part.setFixedSize(wide, tall)
    flow.show_widgets(parts)
    assert [part.geometry().getRect() for part in parts] == [
        (0, 10, 80, 20),
        (90, 0, 60, 40),
        (0, 50, 90, 10),
    ]
    assert flow.height() == 60
    parts[0].hide()
    flow.look_again()
    assert [part.geometry().getRect() for part in parts[1:]] == [(0, 0, 60, 40), (70, 15, 90, 10)]
    assert flow.height() == 40
