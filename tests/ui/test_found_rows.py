"""What was found in a chat: two lines at most, the hit on its ground and in bold."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QFont
from pytestqt.qtbot import QtBot

from app.store.search import SearchHit, SearchResults
from app.ui.chat_groups import ChatEntry
from app.ui.chat_list import ChatList
from app.ui.chat_rows import ChatRows
from app.ui.found_rows import found_height, snippet_layout
from app.ui.look import Look
from app.ui.today import Today
from tests.ui.test_chat_list import NOW, shown

LONG = (
    "…the lease names a deposit of two months, to be returned in thirty days, and nothing else is"
)


@pytest.mark.parametrize("scale", [1.0, 1.5])
@pytest.mark.parametrize("text", [LONG, "房东应当在三十天之内把两个月的押金全部退还，" * 4])
def test_a_snippet_takes_two_lines_and_ends_in_dots(look: Look, text: str, scale: float) -> None:
    look.theme.scale = scale
    layout = snippet_layout(look, text, (), 224)
    assert layout.lineCount() == 2
    assert layout.text().endswith("…")
    assert layout.lineAt(1).naturalTextWidth() <= 224


def test_the_hit_stands_out_by_more_than_colour_and_one_cut_off_is_cut(look: Look) -> None:
    start = LONG.index("deposit")
    layout = snippet_layout(look, LONG, ((start, start + 7), (len(LONG) - 2, len(LONG))), 224)
    (first, last) = layout.formats()
    assert (first.start, first.length) == (start, 7)
    assert first.format.fontWeight() == QFont.Weight.Bold
    assert first.format.background().color() == look.theme.color("heat3")
    assert last.length == 0


def test_hits_follow_titles_and_what_is_not_shown_is_counted(look: Look, qtbot: QtBot) -> None:
    rows = ChatRows(look.language, Today(read=NOW.date))
    view = ChatList(look, rows)
    rows.setParent(view)
    qtbot.addWidget(view)
    view.resize(240, 400)
    rows.show_chats([ChatEntry(1, "Deposit", NOW), ChatEntry(2, "Lease", NOW)])
    rows.show_only("deposit")
    assert shown(view) == ["Today", "Deposit"]
    hit = SearchHit(7, 2, "Lease", "user", 1, "the deposit", ((4, 11),))
    rows.show_found(SearchResults("deposit", (hit,), has_more=True, unindexed=3))
    assert shown(view) == [
        "Today", "Deposit", "In the text", "Lease", "Only the latest 1 are shown.",
        "3 messages are not looked through yet.",
    ]  # fmt: skip
    assert view.visualRect(rows.index(3)).height() == found_height(look)
    view.grab()  # it paints
    rows.show_only("")
    assert len(shown(view)) == 3
