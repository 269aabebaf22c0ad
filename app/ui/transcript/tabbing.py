"""The order in which Tab reaches the controls of the transcript.

Qt's own order is that of creation. Turns are made and let go while one scrolls, so here the order
is that of the page: from top to bottom, from left to right.
"""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QWidget


def tab_order(page: QWidget) -> list[QWidget]:
    """Return all controls of a page, and of what floats over it, that Tab can reach."""
    return sorted((child for child in page.findChildren(QWidget) if _is_stop(child)), key=_place)


def step_inside(page: QWidget, order: list[QWidget], *, forward: bool) -> bool:
    """Give the focus to the next control of a page, or the one before; False at its ends."""
    focus = page.window().focusWidget()
    if focus in order:
        place = order.index(focus) + (1 if forward else -1)
    else:
        place = 0 if focus is page and forward else -1
    if not 0 <= place < len(order):
        return False
    reason = Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason
    order[place].setFocus(reason)
    return True


def _is_stop(widget: QWidget) -> bool:
    wants = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
    return wants and widget.isEnabled() and widget.isVisible() and widget.focusProxy() is None


def _place(widget: QWidget) -> tuple[int, int]:
    corner = widget.mapTo(widget.window(), QPoint(0, widget.height() // 2))
    return corner.y(), corner.x()
