"""The token view: painted where it is seen, walked by keyboard, heard by name."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QSignalSpy, QTest
from pytestqt.qtbot import QtBot

from app.ui.inspector.cells import Cell
from app.ui.inspector.token_view import TokenView
from app.ui.look import Look


@pytest.fixture
def view(look: Look, qtbot: QtBot) -> TokenView:
    view = TokenView(look, "inspector-tokens-of-answer", lambda cell: f"about {cell}")
    qtbot.addWidget(view)
    view.resize(400, 130)
    view.show()
    view.show_cells([Cell(f"tok{number % 7}") for number in range(400)])
    return view


def test_arrows_walk_over_the_tokens_and_the_chosen_one_stays_in_view(view: TokenView) -> None:
    spy = QSignalSpy(view.chosen)
    for key, place in ((Qt.Key.Key_Right, 0), (Qt.Key.Key_Right, 1), (Qt.Key.Key_Left, 0)):
        QTest.keyClick(view, key)
        assert view.current == place
    assert spy.count() == 3
    QTest.keyClick(view, Qt.Key.Key_Down)
    first, end = view.in_view()
    assert first < view.current < end
    QTest.keyClick(view, Qt.Key.Key_End)
    assert view.current == 399
    assert view.in_view()[1] == 400
    QTest.keyClick(view, Qt.Key.Key_PageUp)
    assert view.current < 399
    QTest.keyClick(view, Qt.Key.Key_Home)
    assert view.in_view()[0] == 0


def test_enter_opens_the_chosen_token(view: TokenView) -> None:
    opened = QSignalSpy(view.opened)
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert opened.count() == 0
    view.choose(5)
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert opened.at(0) == [5]


def test_a_click_chooses_the_token_under_the_mouse(view: TokenView) -> None:
    place = view.rect_of(9).center().toPoint()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert view.current == 9
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(399, 129))
    assert view.current == 9  # beside the tokens nothing is chosen


def test_a_screen_reader_hears_which_tokens_and_which_of_them(view: TokenView) -> None:
    assert view.accessibleName() == "Tokens of the answer"
    view.choose(3)
    assert view.accessibleName() == "Tokens of the answer: about 3"


def test_a_reader_at_the_end_stays_there_and_one_further_up_is_left_alone(view: TokenView) -> None:
    bar = view.verticalScrollBar()
    view.add_cells([Cell("more")] * 100)
    assert bar.value() == 0
    bar.setValue(bar.maximum())
    view.add_cells([Cell("more")] * 100)
    assert bar.value() == bar.maximum()


def test_a_hundred_thousand_tokens_are_laid_out_once_and_painted_where_seen(
    view: TokenView, monkeypatch: pytest.MonkeyPatch
) -> None:
    painted: list[int] = []
    original = TokenView._paint_cell
    monkeypatch.setattr(
        TokenView,
        "_paint_cell",
        lambda self, painter, cell: (painted.append(cell), original(self, painter, cell)),
    )
    view.show_cells([Cell("word")] * 100_000)
    view.choose(60_000)
    painted.clear()
    view.grab()
    assert 0 < len(painted) < 200
    assert 60_000 in painted
