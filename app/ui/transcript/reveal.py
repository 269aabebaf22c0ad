"""Bringing the line of a hit into view, also inside a long block."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QPoint, Slot
from PySide6.QtWidgets import QWidget

from app.store.turn_text import Where
from app.ui.attachments.preview import open_preview
from app.ui.look import Look
from app.ui.transcript.column import Column
from app.ui.transcript.finder import Finder
from app.ui.transcript.reply import ReplyTurn
from app.ui.transcript.rows import place_in_row
from app.ui.transcript.search import Hit
from app.ui.transcript.turn_widget import TurnWidget
from app.ui.transcript.view import TurnView

_TRIES = 4  # heights that were estimated become known on the way, and move what is below


class Revealing(QObject):
    """Scrolls a view to what its finder shows.

    Args:
        look: of the window.
        view: of the turns.
        finder: steps through the hits.
        widget_of: returns the widget of a turn, None while it is not near the view.
    """

    def __init__(
        self,
        look: Look,
        view: TurnView,
        finder: Finder,
        widget_of: Callable[[int], TurnWidget | None],
    ) -> None:
        super().__init__(view)
        self._look, self._view, self._finder, self._widget_of = look, view, finder, widget_of
        finder.hit_shown.connect(self._on_hit_shown)
        finder.file_wanted.connect(self._on_file_wanted)

    @Slot(object)
    def _on_hit_shown(self, hit: Hit) -> None:
        """Bring a hit to the upper part of the view; a thought that is closed opens."""
        above = self._view.viewport().height() // 3
        is_said = hit.where is Where.SAID
        self._view.bring_up(hit.turn, hit.block if is_said else -1, above=above)
        widget = self._widget_of(hit.turn)
        if widget is None:
            return
        if isinstance(widget, ReplyTurn) and is_said and widget.read_now():
            self._view.bring_up(hit.turn, hit.block, above=above)
        if is_said:
            words = self._finder.marking.words
            view = self._view.viewport()
            self._view.scroll_by(pixels_to(view, widget.column, hit, words, above))
        elif hit.where is Where.THOUGHT and isinstance(widget, ReplyTurn):
            self._bring_thought(widget.open_thought(), hit, above)

    def _bring_thought(self, column: Column, hit: Hit, above: int) -> None:
        view = self._view.viewport()
        for _ in range(_TRIES):
            top = column.mapTo(view, QPoint(0, column.top_of(hit.block))).y()
            if column.row(hit.block) is None:
                self._view.scroll_by(top - above)
                continue
            pixels = pixels_to(view, column, hit, self._finder.marking.words, above)
            if not pixels:
                return
            self._view.scroll_by(pixels)

    @Slot(object)
    def _on_file_wanted(self, hit: Hit) -> None:
        """Open the file of a hit where the words stand."""
        widget = self._widget_of(hit.turn)
        files = widget.turn.attachments if widget is not None else ()
        if hit.block < len(files):
            words = self._finder.marking.words
            open_preview(self._look, files[hit.block], self._view, words)


def pixels_to(view: QWidget, column: Column, hit: Hit, words: str, above: int) -> int:
    """Return how far a view has to scroll on to show a hit's line; 0 where it can be seen.

    Args:
        view: the viewport.
        column: that the hit stands in.
        hit: the place.
        words: that were looked for.
        above: how far below the top of the view a hit is shown, in pixels.
    """
    row = column.row(hit.block)
    place = place_in_row(row, words, hit.nth) if row is not None else None
    if row is None or not place:
        return 0
    below = row.mapTo(view, place.topLeft()).y() - above
    return 0 if 0 <= below < above else below
