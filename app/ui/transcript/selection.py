"""A selection that runs over several blocks and turns, as one drag of the mouse makes it.

Nearly every block is a text edit with a selection of its own. While the mouse is dragged out of the
one where it was pressed, those in between are selected whole and the one under the mouse up to it.
A displayed formula is no text: it is taken whole as soon as the mouse has reached it. Pressed
beside all texts, the mouse selects from the nearest one above.
Blocks that hold a selection stay alive when they are scrolled away, so nothing of it is lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from PySide6.QtCore import QEvent, QMimeData, QObject, QPoint, Qt, QTimer, Slot
from PySide6.QtGui import (
    QColor,
    QMouseEvent,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextDocumentFragment,
)
from PySide6.QtWidgets import QTextEdit, QWidget

_EDGE = 24  # px from the edge of the view: nearer, and it scrolls
_STEP, _EVERY_MS = 24, 30


class Whole(QWidget):
    """A block that a selection takes whole or not at all."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._taken = False

    def take(self, *, taken: bool) -> None:
        """Belong to the selection, or no longer."""
        if taken != self._taken:
            self._taken = taken
            self.update()

    def is_taken(self) -> bool:
        """Tell whether the selection holds this block."""
        return self._taken

    def source(self) -> str:
        """Return the block as it was written."""
        raise NotImplementedError


Part = QTextEdit | Whole


class Page(Protocol):
    """What a selection needs of the view."""

    def parts(self) -> Sequence[Part]:
        """Return what can be selected and is alive, from top to bottom."""
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
        self._first: Part | None = None
        self._anchor: int | None = None  # where in it, when it was pressed beside all texts
        self._mouse = QPoint()
        self._timer = QTimer(self)
        self._timer.setInterval(_EVERY_MS)
        self._timer.timeout.connect(self._on_scroll)
        page.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Select with a mouse that was pressed beside all texts, which no text hears of."""
        if isinstance(event, QMouseEvent):
            mouse = event.globalPosition().toPoint()
            match event.type():
                case QEvent.Type.MouseButtonPress if event.button() is Qt.MouseButton.LeftButton:
                    self._begin_beside(mouse)
                case QEvent.Type.MouseMove if event.buttons() & Qt.MouseButton.LeftButton:
                    self._drag_beside(mouse)
                case QEvent.Type.MouseButtonRelease:
                    self.end()
        return super().eventFilter(watched, event)

    def begin(self, part: Part | None) -> None:
        """The mouse was pressed in a part, or beside all of them: what was selected is let go."""
        self._first, self._anchor = part, None
        for other in self._page.parts():
            if other is not part or isinstance(other, Whole):
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

    def selected(self) -> list[Part]:
        """Return the parts in which something is selected, from top to bottom."""
        return [part for part in self._page.parts() if _is_selected(part)]

    def _begin_beside(self, mouse: QPoint) -> None:
        self.begin(None)
        parts = self._page.parts()
        if parts:
            self._first = first = parts[_under(parts, mouse)]
            if isinstance(first, QTextEdit):
                self._anchor = first.cursorForPosition(first.mapFromGlobal(mouse)).position()

    def _drag_beside(self, mouse: QPoint) -> None:
        if self._first is None:
            return
        self._first.setFocus(Qt.FocusReason.MouseFocusReason)  # the view stands still from now
        self.drag(mouse)
        for part in self.selected()[:1]:
            part.setFocus(Qt.FocusReason.MouseFocusReason)  # and copies what is selected

    def _extend(self) -> None:
        parts, first = list(self._page.parts()), self._first
        if first is None or first not in parts:
            return
        start, target = parts.index(first), _under(parts, self._mouse)
        low, high = sorted((start, target))
        for place, part in enumerate(parts):
            if isinstance(part, Whole):
                part.take(taken=low <= place <= high)
            elif place == start:
                self._extend_first(part, target - start)
            elif not low <= place <= high:
                _select_nothing(part)
            elif place == target:
                _select_to(part, part.mapFromGlobal(self._mouse), from_start=target > start)
            else:
                _select_all(part)

    def _extend_first(self, part: QTextEdit, step: int) -> None:
        """Select in the part where it began, unless the part does so by itself."""
        if self._anchor is None:
            return
        cursor, keep = part.textCursor(), QTextCursor.MoveMode.KeepAnchor
        cursor.setPosition(self._anchor)
        if step:
            edges = QTextCursor.MoveOperation
            cursor.movePosition(edges.End if step > 0 else edges.Start, keep)
        else:
            point = part.mapFromGlobal(self._mouse)
            cursor.setPosition(part.cursorForPosition(point).position(), keep)
        part.setTextCursor(cursor)

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


def _under(parts: Sequence[Part], mouse: QPoint) -> int:
    """Return which part is at the height of the mouse, or the nearest above."""
    tops = (part.mapToGlobal(QPoint(0, 0)).y() for part in parts)
    return max(0, sum(1 for top in tops if top <= mouse.y()) - 1)


def rich_text(parts: Sequence[Part]) -> str:
    """Return what is selected in some parts as HTML, in black: it will be pasted on white."""
    document = QTextDocument()
    cursor = QTextCursor(document)
    for number, part in enumerate(parts):
        if number:
            cursor.insertBlock()
        if isinstance(part, Whole):
            cursor.insertText(part.source())
        else:
            cursor.insertFragment(QTextDocumentFragment(part.textCursor()))
    cursor.select(QTextCursor.SelectionType.Document)
    black = QTextCharFormat()
    black.setForeground(QColor("black"))
    cursor.mergeCharFormat(black)
    return document.toHtml()


def mime_data(parts: Sequence[Part], plain: str) -> QMimeData:
    """Return a selection for the clipboard: plain, and rich for programs that can take it."""
    data = QMimeData()
    data.setText(plain)
    data.setHtml(rich_text(parts))
    return data


def _is_selected(part: Part) -> bool:
    return part.is_taken() if isinstance(part, Whole) else part.textCursor().hasSelection()


def _select_all(text: QTextEdit) -> None:
    cursor = text.textCursor()
    cursor.select(QTextCursor.SelectionType.Document)
    text.setTextCursor(cursor)


def _select_nothing(part: Part) -> None:
    if isinstance(part, Whole):
        part.take(taken=False)
        return
    cursor = part.textCursor()
    if cursor.hasSelection():
        cursor.clearSelection()
        part.setTextCursor(cursor)


def _select_to(text: QTextEdit, point: QPoint, *, from_start: bool) -> None:
    """Select from one end of a text to a point."""
    edge = QTextCursor.MoveOperation.Start if from_start else QTextCursor.MoveOperation.End
    position = text.cursorForPosition(point).position()
    cursor = text.textCursor()
    cursor.movePosition(edge)
    cursor.setPosition(position, QTextCursor.MoveMode.KeepAnchor)
    text.setTextCursor(cursor)
