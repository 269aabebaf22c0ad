"""Text that stands still: read-only, no scrolling of its own, selectable, copied as it is read."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QMimeData, QRect, QRectF, Qt
from PySide6.QtGui import (
    QContextMenuEvent,
    QGuiApplication,
    QMouseEvent,
    QPaintEvent,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextLine,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QFrame, QMenu, QTextEdit, QWidget

from app.ui.transcript.inline_formula import OBJECT, InlineFormula
from app.ui.transcript.paper import CODE, Paper
from app.ui.transcript.selected_text import selected_text
from app.ui.transcript.selection import Part, Whole, mime_data


class StillText(QTextEdit):
    """A read-only text edit that neither scrolls by itself nor takes the wheel.

    Attributes:
        joint: what stands between the text before and this one where both are copied.
    """

    def __init__(self, paper: Paper, parent: QWidget) -> None:
        super().__init__(parent)
        self._paper = paper
        self._formulas: InlineFormula | None = None
        self.joint = "\n\n"
        self.setAccessibleName(paper.look.language.text("transcript-text"))
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.viewport().setAutoFillBackground(False)
        for widget in (self, self.viewport()):  # growing repaints what is new
            widget.setAttribute(Qt.WidgetAttribute.WA_StaticContents)
        self.document().setDocumentMargin(0)
        option = QTextOption()
        option.setTextDirection(Qt.LayoutDirection.LayoutDirectionAuto)
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.document().setDefaultTextOption(option)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll sideways where there is something to the side; up and down is the transcript's."""
        sideways = abs(event.angleDelta().x()) > abs(event.angleDelta().y())
        if sideways or event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            super().wheelEvent(event)
        else:
            event.ignore()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer what can be done with text, in the language of the window."""
        text = self._paper.look.language.text
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        offer_copying(menu, self._paper)
        menu.addAction(text("transcript-select-all")).triggered.connect(self.selectAll)
        menu.popup(event.globalPos())

    def mark(self, words: str, current: int) -> int:
        """Mark words where they stand, and one of the places more; return how many there are.

        Args:
            words: what was looked for; nothing takes the marks away.
            current: which place, counted from 0, is the one that is shown.
        """
        places = self.places(words)
        marks = [
            self.marked(place, is_shown=number == current) for number, place in enumerate(places)
        ]
        self.setExtraSelections(marks)
        return len(marks)

    def places(self, words: str) -> list[QTextCursor]:
        """Return where words stand, from the first to the last."""
        found: list[QTextCursor] = []
        cursor = QTextCursor(self.document())
        while words:
            cursor = self.document().find(words, cursor)
            if cursor.isNull():
                break
            found.append(QTextCursor(cursor))
        return found

    def count_of(self, words: str) -> int:
        """Return how often words stand here, whatever their case."""
        return self.toPlainText().lower().count(words.lower())

    def take_all(self) -> None:
        """Let a selection of all that is set be one of all that could be."""

    def place_of(self, words: str, nth: int) -> QRect:
        """Return where words stand for the ``nth`` time in this widget; empty for nowhere."""
        places = self.places(words)
        return self.cursorRect(places[nth]) if nth < len(places) else QRect()

    def marked(self, cursor: QTextCursor, *, is_shown: bool) -> QTextEdit.ExtraSelection:
        """Return the mark of a place; of the one that is shown it is stronger."""
        mark = QTextEdit.ExtraSelection()
        mark.cursor = cursor
        form = QTextCharFormat()
        form.setBackground(self._paper.look.theme.color("heat4" if is_shown else "heat3"))
        form.setForeground(self._paper.look.theme.color("ink"))
        mark.format = form
        return mark

    def accept_formulas(self) -> None:
        """Let the document hold formulas among its words."""
        self._formulas = InlineFormula(self._paper.formulas, self)
        self.document().documentLayout().registerHandler(OBJECT, self._formulas)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the text, and formulas that are selected as legible as the words."""
        super().paintEvent(event)
        if self._formulas is not None:
            self._formulas.paint_taken(self.viewport())

    def rest_cursor(self) -> None:
        """Put the cursor where it does not pull the view sideways: to the start of the text."""
        if not self.has_selection():
            cursor = self.textCursor()
            cursor.setPosition(0)
            self.setTextCursor(cursor)

    def createMimeDataFromSelection(self) -> QMimeData:
        """Copy the words as plain text, without the space that only pads inline code."""
        return selected_data(self._paper.selection.selected() or [self])

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a selection here; one that was elsewhere is let go."""
        super().mousePressEvent(event)
        if event.button() == Qt.MouseButton.LeftButton:
            self._paper.selection.begin(self)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Let the selection run on into other texts."""
        super().mouseMoveEvent(event)
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._paper.selection.drag(event.globalPosition().toPoint())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End the selection where it is."""
        super().mouseReleaseEvent(event)
        self._paper.selection.end()

    def is_all_selected(self) -> bool:
        """Tell whether every character is selected."""
        cursor = self.textCursor()
        last = self.document().characterCount() - 1
        return (
            cursor.hasSelection() and cursor.selectionStart() == 0 and cursor.selectionEnd() >= last
        )

    def has_selection(self) -> bool:
        """Tell whether the user has selected something here."""
        return self.textCursor().hasSelection()


def code_grounds(block: QTextBlock, tall: int) -> list[QRectF]:
    """Return the rectangles behind the inline code of a block, one for each line it runs over."""
    grounds: list[QRectF] = []
    origin = block.document().documentLayout().blockBoundingRect(block).topLeft()
    for start, end in _code_spans(block):
        at = start
        while at < end:
            line = block.layout().lineForTextPosition(at)
            if not line.isValid():
                break
            stop = min(end, line.textStart() + line.textLength())
            left, right = _x_of(block, line.lineNumber(), at), _x_of(block, line.lineNumber(), stop)
            top = origin.y() + line.y() + line.ascent() - 0.75 * tall  # around the x-height
            grounds.append(QRectF(origin.x() + min(left, right), top, abs(right - left), tall))
            if stop <= at:
                break
            at = stop
    return grounds


def _x_of(block: QTextBlock, line: int, position: int) -> float:
    return x_of(block.layout().lineAt(line), position)


def x_of(line: QTextLine, position: int) -> float:
    """Return where a character begins in a line (PySide gives a pair, its annotation does not)."""
    found: object = line.cursorToX(position)
    return float(found[0] if isinstance(found, tuple) else found)  # type: ignore[arg-type]


def _code_spans(block: QTextBlock) -> list[tuple[int, int]]:
    """Return (start, end) of every run of inline code in a block, its padding included."""
    spans: list[tuple[int, int]] = []
    fragments = block.begin()
    while not fragments.atEnd():
        fragment = fragments.fragment()
        if fragment.charFormat().hasProperty(CODE):
            start = fragment.position() - block.position()
            end = start + fragment.length()
            if spans and spans[-1][1] == start:
                spans[-1] = spans[-1][0], end
            else:
                spans.append((start, end))
        fragments += 1
    return spans


def offer_copying(menu: QMenu, paper: Paper) -> None:
    """Offer the ways in which what is selected, wherever it stands, can be copied."""
    text = paper.look.language.text
    selected = paper.selection.selected()
    ways: dict[str, Callable[[], None]] = {
        "transcript-copy": lambda: copy_data(selected_data(selected)),
        "transcript-copy-plain": lambda: paper.copy(selected_data(selected).text()),
        "transcript-copy-markdown": paper.copy_markdown,
    }
    for name, way in ways.items():
        action = menu.addAction(text(name))
        action.setEnabled(bool(selected))
        action.triggered.connect(way)


def copy_data(data: QMimeData) -> None:
    """Put data on the clipboard."""
    QGuiApplication.clipboard().setMimeData(data)


def selected_data(parts: Sequence[Part]) -> QMimeData:
    """Return what is selected in some parts: the words as they are read, formulas as written."""
    words = ""
    for part in parts:
        joint = part.joint if isinstance(part, StillText) else "\n\n"
        words += joint if words else ""
        if isinstance(part, StillText):
            part.take_all()
        words += part.source() if isinstance(part, Whole) else selected_text(part.textCursor())
    return mime_data(parts, words)


def is_held(row: QWidget) -> bool:
    """Tell whether the user has the keyboard focus or a selection in a block."""
    focus = QApplication.focusWidget()
    if focus is not None and (focus is row or row.isAncestorOf(focus)):
        return True
    if isinstance(row, Whole):
        return row.is_taken()
    texts = [row] if isinstance(row, StillText) else row.findChildren(StillText)
    return any(text.has_selection() for text in texts)
