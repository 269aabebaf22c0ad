"""The order in which Tab goes through the window: as one reads it, whatever was made first.

Qt's own order is that of creation. Here pages, notices and turns come and go, so the order is taken
from where things stand: from top to bottom and left to right, one container after the other.
"""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget


def stops(container: QWidget) -> Iterator[QWidget]:
    """Yield what Tab can reach inside a container, in reading order."""
    children = [
        child
        for child in container.children()
        if isinstance(child, QWidget) and child.isVisible() and not child.isWindow()
    ]
    for child in sorted(children, key=_place):
        if _is_stop(child):
            yield child
        yield from stops(child)


def move_focus(window: QWidget, *, forward: bool) -> bool:
    """Give the focus to the next control of a window, or the one before; around at the ends."""
    order = list(stops(window))
    if not order:
        return False
    now = window.focusWidget()
    here = order.index(now) if now is not None and now in order else (-1 if forward else len(order))
    target = order[(here + (1 if forward else -1)) % len(order)]
    reason = Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason
    target.setFocus(reason)
    return True


def _place(widget: QWidget) -> tuple[int, int]:
    """Return a key by which what stands in one row goes from left to right."""
    return widget.geometry().center().y() // 4, widget.x()


def _is_stop(widget: QWidget) -> bool:
    wants = bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
    return wants and widget.isEnabled() and widget.focusProxy() is None
