"""A selection that runs over several blocks and turns, as one drag of the mouse makes it.

Every block is a text edit with a selection of its own. While the mouse is dragged out of the one
where it was pressed, those in between are selected whole and the one under the mouse up to it.
Blocks that hold a selection stay alive when they are scrolled away, so nothing of it is lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from PySide6.QtCore import QMimeData, QObject, QPoint, QTimer, Slot
from PySide6.QtGui import (
    QColor,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextDocumentFragment,
)
from PySide6.QtWidgets import QTextEdit, QWidget

_EDGE = 24  # px from the edge of the view: nearer, and it scrolls
_STEP, _EVERY_MS = 24, 30


class Page(Protocol):
    """What a selection needs of the view."""

    def texts(self) -> Sequence[QTextEdit]:
        """Return the texts that are alive, from top to bottom."""
        ...

    def scroll_by(self, pixels: int) -> None:
        """Scroll the view."""
        ...

    def viewport(self) -> QWidget:
        """Return the widget in which the texts can be seen."""
        ...


class Selection(QObject):
    """One selection on one page."""

    def __init__(self, page: Page, parent: QObject) -> None:
        super().__init__(parent)
        self._page = page
        self._first: QTextEdit | None = None
        self._mouse = QPoint()
        self._timer = QTimer(self)
        self._timer.setInterval(_EVERY_MS)
        self._timer.timeout.connect(self._on_scroll)

    def begin(self, text: QTextEdit | None) -> None:
        """The mouse was pressed in a text, or beside all of them: what was selected is let go."""
        self._first = text
        for other in self._page.texts():
            if other is not text:
                _select_nothing(other)

    def drag(self, mouse: QPoint) -> None:
        """The mouse moves with its button down; ``mouse`` is its place on the screen."""
        self._mouse = mouse
        self._extend()
        if self._overshoot() and not self._timer.isActive():
            self._timer.start()

    def end(self) -> None:
        """The button was released: the selection stays."""
        self._timer.stop()
        self._first = None

    def is_dragged(self) -> bool:
        """Tell whether the mouse is selecting now."""
        return self._first is not None

    def selected(self) -> list[QTextEdit]:
        """Return the texts in which something is selected, from top to bottom."""
        return [text for text in self._page.texts() if text.textCursor().hasSelection()]

    def _extend(self) -> None:
        texts, first = list(self._page.texts()), self._first
        if first is None or first not in texts:
            return
        tops = [text.mapToGlobal(QPoint(0, 0)).y() for text in texts]
        under = sum(1 for top in tops if top <= self._mouse.y()) - 1
        start, target = texts.index(first), max(0, under)
        low, high = sorted((start, target))
        for place, text in enumerate(texts):
            if place == start:
                continue
            if not low <= place <= high:
                _select_nothing(text)
            elif place == target:
                _select_to(text, text.mapFromGlobal(self._mouse), from_start=target > start)
            else:
                _select_all(text)

    def _overshoot(self) -> int:
        """Return how far the view has to scroll: −1 up, 1 down, 0 not at all."""
        view = self._page.viewport()
        y = view.mapFromGlobal(self._mouse).y()
        return -1 if y < _EDGE else 1 if y > view.height() - _EDGE else 0

    @Slot()
    def _on_scroll(self) -> None:
        step = self._overshoot()
        if not step or self._first is None:
            self._timer.stop()
            return
        self._page.scroll_by(step * _STEP)
        self._extend()


def rich_text(texts: Sequence[QTextEdit]) -> str:
    """Return what is selected in some texts as HTML, in black: it will be pasted on white."""
    document = QTextDocument()
    cursor = QTextCursor(document)
    for number, text in enumerate(texts):
        if number:
            cursor.insertBlock()
        cursor.insertFragment(QTextDocumentFragment(text.textCursor()))
    cursor.select(QTextCursor.SelectionType.Document)
    black = QTextCharFormat()
    black.setForeground(QColor("black"))
    cursor.mergeCharFormat(black)
    return document.toHtml()


def mime_data(texts: Sequence[QTextEdit], plain: str) -> QMimeData:
    """Return a selection for the clipboard: plain, and rich for programs that can take it."""
    data = QMimeData()
    data.setText(plain)
    data.setHtml(rich_text(texts))
    return data


def _select_all(text: QTextEdit) -> None:
    cursor = text.textCursor()
    cursor.select(QTextCursor.SelectionType.Document)
    text.setTextCursor(cursor)


def _select_nothing(text: QTextEdit) -> None:
    cursor = text.textCursor()
    if cursor.hasSelection():
        cursor.clearSelection()
        text.setTextCursor(cursor)


def _select_to(text: QTextEdit, point: QPoint, *, from_start: bool) -> None:
    """Select from one end of a text to a point."""
    edge = QTextCursor.MoveOperation.Start if from_start else QTextCursor.MoveOperation.End
    position = text.cursorForPosition(point).position()
    cursor = text.textCursor()
    cursor.movePosition(edge)
    cursor.setPosition(position, QTextCursor.MoveMode.KeepAnchor)
    text.setTextCursor(cursor)
