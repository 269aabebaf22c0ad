"""Where text stands: numbers in full, one edge with and without a scroll bar, both directions."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.language import Language
from app.rendering.blocks import Item, Place, Quote
from app.rendering.reader import Reader
from app.ui.tab_order import move_focus
from app.ui.theme import Theme
from app.ui.transcript import Transcript
from app.ui.transcript.paper import READING, Typeset
from app.ui.transcript.prose import Prose
from app.ui.transcript.spacing import NUMBER_RIGHT, indents
from app.ui.transcript.tables import TableView
from tests.ui.transcript.conftest import Open, question, reply


def left_of(place: Place, theme: Theme) -> int:
    typeset = Typeset(theme)
    return indents(place, lambda number: typeset.advance(READING, number))[-1]


@pytest.mark.parametrize("scale", [1.0, 1.6])
@pytest.mark.parametrize("marker", ["1.", "9)", "10.", "99)", "100.", "1788.", "123456789."])
def test_a_number_has_room_left_of_its_text(theme: Theme, marker: str, scale: float) -> None:
    theme.use("light", scale)
    wide = QFontMetricsF(Typeset(theme).font(READING)).horizontalAdvance(marker)
    assert left_of((Item(marker),), theme) >= wide + NUMBER_RIGHT
    assert left_of((Quote(), Item(marker)), theme) >= 16 + wide + NUMBER_RIGHT


def test_nine_and_ten_and_what_follows_them_stand_on_one_edge(theme: Theme) -> None:
    blocks = Reader().read("9. nine\n10. ten\n\n    more\n11. eleven\n\n    - in it\n")
    first, second, more, third, inner = (left_of(block.place, theme) for block in blocks)
    assert first == second == more == third
    assert inner == third + 24
    long, later = Reader().read("1788. x\n\n      more\n")
    assert left_of(long.place, theme) == left_of(later.place, theme) > third


def test_the_column_stays_where_it_is_when_the_scroll_bar_comes(opened: Open, qtbot: QtBot) -> None:
    transcript = opened(question(1, "x"), reply(2, "short"))
    wide, left = transcript.viewport().width(), transcript._turns.measure.left
    assert transcript.verticalScrollBar().maximum() == 0
    ground = transcript.grab().toImage().pixelColor(4, 300)
    beside = QPoint(transcript.width() - 6, 300)
    assert transcript.grab().toImage().pixelColor(beside) == ground, "nothing to scroll, no bar"
    transcript.show_path([question(1, "x"), reply(2, "long\n\n" * 200)])
    assert transcript.verticalScrollBar().maximum() > 0
    qtbot.wait(20)  # Qt shows a bar in its own time
    assert (transcript.viewport().width(), transcript._turns.measure.left) == (wide, left)


@pytest.mark.parametrize("words", ["مرحبا بالعالم", "« שלום » abc"])
def test_text_that_reads_to_the_left_begins_at_the_columns_right_edge(
    opened: Open, words: str
) -> None:
    table = "\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    text = f"{words}\n\n# {words}\n\nabc שלום{table}"
    widget = opened(question(1, "x"), reply(2, text)).turn_widget(2)
    assert widget is not None
    first, heading, latin = sorted(widget.findChildren(Prose), key=QWidget.y)
    (view,) = widget.findChildren(TableView)
    for prose in (first, heading):
        assert prose.geometry().right() == view.geometry().right()
        assert prose.width() == latin.width() < view.width()
    assert latin.x() == 0


class Window(QWidget):
    """A window with something before the transcript, and after it, made in another order."""

    def __init__(self, transcript: Transcript) -> None:
        super().__init__()
        self.last, self.after, self.before = (QPushButton(self) for _ in range(3))
        column = QVBoxLayout(self)
        for part in (self.before, transcript, self.after, self.last):
            column.addWidget(part)

    def focusNextPrevChild(self, forward: bool) -> bool:
        return move_focus(self, forward=forward)


@pytest.mark.parametrize("key", [Qt.Key.Key_Tab, Qt.Key.Key_Backtab])
def test_tab_goes_on_to_what_stands_around_the_transcript(
    theme: Theme, language: Language, qtbot: QtBot, key: Qt.Key
) -> None:
    text = "```py\nx = 1\n```\n\n[a](https://x.y)\n\n| a |\n|---|\n| 1 |\n"
    transcript = Transcript(theme, language)
    window = Window(transcript)
    qtbot.addWidget(window)
    window.resize(1016, 800)
    window.show()
    transcript.show_path([question(1, "x"), reply(2, text, reasoning="hm")])
    window.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is window)
    window.before.setFocus()
    seen: list[QWidget | None] = [None]
    while len(seen) < 60 and seen[-1] is not window.before:
        now = window.focusWidget()
        assert now is not None
        QTest.keyClick(now, key)
        if window.focusWidget() is not seen[-1]:  # a text is stepped through link by link
            seen.append(window.focusWidget())
    inside = [each for each in seen if each is not None and transcript.isAncestorOf(each)]
    assert len(inside) == len(set(inside)) > 6, "each once"
    outside = [each for each in seen if isinstance(each, QPushButton) and each not in inside]
    order = [window.after, window.last]
    assert outside == [*(order if key == Qt.Key.Key_Tab else order[::-1]), window.before]
