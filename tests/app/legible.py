"""Finds text that a window cuts off or lays over other text."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QRect
from PySide6.QtWidgets import QAbstractButton, QLabel, QWidget

from app.ui.words import Elided

_SLACK = 2  # px: sizes are rounded, and lines of Chinese have room to spare


def troubles(window: QWidget) -> Iterator[str]:
    """Yield a line for every visible text that is cut off, and for every two that overlap."""
    texts = [w for w in window.findChildren(QWidget) if _has_text(w) and w.isVisible()]
    for widget in texts:
        if not widget.visibleRegion().isEmpty() and (cut := _cut(widget)):
            yield f"{_name(widget)} {cut}"
    for number, one in enumerate(texts):
        for other in texts[number + 1 :]:
            if one.parent() is other.parent() and _ink(one).intersects(_ink(other)):
                yield f"{_name(one)} lies over {_name(other)}"


def _has_text(widget: QWidget) -> bool:
    return isinstance(widget, QLabel | QAbstractButton) and bool(widget.text().strip())


def _name(widget: QWidget) -> str:
    text = widget.text() if isinstance(widget, QLabel | QAbstractButton) else ""
    return f"{type(widget.parent()).__name__}/{type(widget).__name__} {text[:40]!r}"


def _cut(widget: QWidget) -> str:
    """Return how much of a text is cut off, in words; empty if all of it is there."""
    needed = widget.minimumSizeHint() if isinstance(widget, QLabel) else widget.sizeHint()
    if isinstance(widget, QLabel) and widget.wordWrap():
        tall = widget.heightForWidth(widget.width())
        return "" if tall <= widget.height() + _SLACK else f"needs {tall} of {widget.height()} px"
    if isinstance(widget, Elided):
        return ""
    if needed.width() > widget.width() + _SLACK:
        return f"is {needed.width()} px wide in {widget.width()}"
    if needed.height() > widget.height() + _SLACK:
        return f"is {needed.height()} px tall in {widget.height()}"
    return ""


def _ink(widget: QWidget) -> QRect:
    """Return about where the text stands: without the slack that layouts may overlap by."""
    return widget.geometry().adjusted(2, 2, -2, -2)
