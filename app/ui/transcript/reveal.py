"""Bringing the line of a hit into view, also inside a long block."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from app.ui.transcript.finder import Finder
from app.ui.transcript.rows import place_in_row
from app.ui.transcript.search import Hit
from app.ui.transcript.turn_widget import TurnWidget
from app.ui.transcript.view import TurnView


class Revealing(QObject):
    """Scrolls a view to what its finder shows.

    Args:
        view: of the turns.
        finder: steps through the hits.
        widget_of: returns the widget of a turn, None while it is not near the view.
    """

    def __init__(
        self, view: TurnView, finder: Finder, widget_of: Callable[[int], TurnWidget | None]
    ) -> None:
        super().__init__(view)
        self._view, self._finder, self._widget_of = view, finder, widget_of
        finder.hit_shown.connect(self._on_hit_shown)

    @Slot(object)
    def _on_hit_shown(self, hit: Hit) -> None:
        """Bring a hit to the upper part of the view."""
        above = self._view.viewport().height() // 3
        self._view.bring_up(hit.turn, hit.block, above=above)
        widget = self._widget_of(hit.turn)
        if widget is not None:
            words = self._finder.marking.words
            self._view.scroll_by(pixels_to(self._view.viewport(), widget, hit, words, above))


def pixels_to(view: QWidget, widget: TurnWidget, hit: Hit, words: str, above: int) -> int:
    """Return how far a view has to scroll on to show a hit's line; 0 where it can be seen.

    Args:
        view: the viewport.
        widget: of the hit's turn.
        hit: the place.
        words: that were looked for.
        above: how far below the top of the view a hit is shown, in pixels.
    """
    row = widget.column.row(hit.block)
    place = place_in_row(row, words, hit.nth) if row is not None else None
    if row is None or not place:
        return 0
    below = row.mapTo(view, place.topLeft()).y() - above
    return 0 if 0 <= below < above else below
