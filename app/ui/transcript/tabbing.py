"""The order in which Tab reaches the controls of the transcript.

Qt's own order is that of creation. Turns are made and let go while one scrolls, so here the order
is that of the page: from top to bottom, from left to right.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QWidget


def tab_order(turns: Sequence[QWidget]) -> list[QWidget]:
    """Return all controls of some turns that Tab can reach, as they stand on the page."""
    reachable = [child for turn in turns for child in turn.findChildren(QWidget) if _is_stop(child)]
    return sorted(reachable, key=_place)


def beyond(container: QWidget, *, forward: bool) -> QWidget | None:
    """Return the next control outside a container, in Qt's own order."""
    step = _neighbour(container, forward=forward)
    while step is not None and step is not container:  # the chain is a ring
        if not container.isAncestorOf(step) and _is_stop(step):
            return step
        step = _neighbour(step, forward=forward)
    return None


def _neighbour(widget: QWidget, *, forward: bool) -> QWidget | None:
    return widget.nextInFocusChain() if forward else widget.previousInFocusChain()


def _is_stop(widget: QWidget) -> bool:
    wants = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
    return wants and widget.isEnabled() and widget.isVisible() and widget.focusProxy() is None


def _place(widget: QWidget) -> tuple[int, int]:
    corner = widget.mapTo(widget.window(), QPoint(0, widget.height() // 2))
    return corner.y(), corner.x()
