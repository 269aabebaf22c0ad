"""Density: all layouts of the program, those that come later too, and back again."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.ui.density import Density
from app.ui.look import Look
from app.ui.theme import Theme
from app.ui.typefaces import Typesetting


class Card(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(18, 16, 18, 12)
        self.column.setSpacing(10)
        self.row = QHBoxLayout()
        self.row.setSpacing(20)
        self.row.setContentsMargins(0, 5, 0, 0)
        self.grid = QGridLayout()
        self.grid.setSpacing(10)
        self.column.addLayout(self.row)
        self.column.addSpacing(20)
        self.column.addStretch(1)
        self.row.addSpacing(20)
        self.column.addLayout(self.grid)

    def gaps(self) -> tuple[int, int]:
        """The room that stands by itself: in the column, and sideways in the row."""
        spacers = self.column.itemAt(1).spacerItem(), self.row.itemAt(0).spacerItem()
        assert spacers[0] is not None
        assert spacers[1] is not None
        return spacers[0].sizeHint().height(), spacers[1].sizeHint().width()

    def room(self) -> tuple[int, ...]:
        outer = self.column.contentsMargins()
        return (
            *(outer.left(), outer.top(), outer.right(), outer.bottom(), self.column.spacing()),
            *(self.row.spacing(), self.row.contentsMargins().top()),
            *(self.grid.horizontalSpacing(), self.grid.verticalSpacing()),
        )


USUAL = (18, 16, 18, 12, 10, 20, 5, 10, 10)
CLOSE = (18, 10, 18, 7, 6, 20, 3, 10, 6)


@pytest.fixture
def theme(look: Look, qapp: QApplication) -> Iterator[Theme]:
    density = Density(look.theme, qapp)
    yield look.theme
    look.theme.use_typesetting(Typesetting())
    density.close()


def test_what_stands_one_below_the_other_comes_closer_and_goes_back(
    theme: Theme, qtbot: QtBot
) -> None:
    card = Card()
    qtbot.addWidget(card)
    theme.use_typesetting(Typesetting(compact=True))
    assert card.room() == CLOSE, "sideways nothing moves"
    theme.use_typesetting(Typesetting(compact=True, leading=1.2))
    assert card.room() == CLOSE, "once, however often the theme changes"
    theme.use_typesetting(Typesetting())
    assert card.room() == USUAL


def test_what_comes_later_is_close_when_it_is_shown(theme: Theme, qtbot: QtBot) -> None:
    theme.use_typesetting(Typesetting(compact=True))
    card = Card()
    qtbot.addWidget(card)
    card.show()
    assert card.room() == CLOSE
    late = Card()
    card.column.addWidget(late)
    qtbot.waitUntil(lambda: late.room() == CLOSE)
    theme.use_typesetting(Typesetting())
    assert (card.room(), late.room()) == (USUAL, USUAL)


def test_room_that_stands_by_itself_shrinks_too_also_where_it_comes_later(
    theme: Theme, qtbot: QtBot
) -> None:
    card = Card()
    qtbot.addWidget(card)
    card.show()
    height, width = card.sizeHint().height(), card.minimumSizeHint().width()
    theme.use_typesetting(Typesetting(compact=True))
    assert card.gaps() == (12, 20), "sideways nothing moves"
    assert card.sizeHint().height() < height
    assert card.minimumSizeHint().width() == width
    card.column.addSpacing(10)

    def late() -> int:
        spacer = card.column.itemAt(card.column.count() - 1).spacerItem()
        assert spacer is not None
        return spacer.sizeHint().height()

    qtbot.waitUntil(lambda: late() == 6)
    theme.use_typesetting(Typesetting(compact=True, leading=1.2))
    assert (card.gaps(), late()) == ((12, 20), 6), "once, however often the theme changes"
    theme.use_typesetting(Typesetting())
    assert (card.gaps(), late()) == ((20, 20), 10)


def test_room_that_its_own_code_has_changed_meanwhile_is_left_to_it(
    theme: Theme, qtbot: QtBot
) -> None:
    card = Card()
    qtbot.addWidget(card)
    theme.use_typesetting(Typesetting(compact=True))
    card.column.setSpacing(2)
    theme.use_typesetting(Typesetting())
    assert card.column.spacing() == 2
