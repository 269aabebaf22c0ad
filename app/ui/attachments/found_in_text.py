"""Words that were looked for in a long text: marked, counted, and stepped through."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtGui import QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QTextEdit, QWidget

from app.ui.buttons import Tool
from app.ui.look import Look
from app.ui.words import Plain

_MOST = 2_000  # marks; more would be drawn for nobody


class FoundInText(QWidget):
    """How often words stand in a text, and the way from one place to the next.

    Args:
        look: of the window.
        text: where they are marked.
        words: what was looked for, in any case.
    """

    def __init__(self, look: Look, text: QPlainTextEdit, words: str) -> None:
        super().__init__()
        self._look, self._text = look, text
        self._places = _places(text, words)
        self._at = 0
        self.count = Plain("", "caption2")
        before = Tool(look, "caret-up", "transcript-find-before")
        before.clicked.connect(self._on_before)
        after = Tool(look, "caret-down", "transcript-find-after")
        after.clicked.connect(self._on_after)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        for widget in (before, after, self.count):
            row.addWidget(widget)
        for tool in (before, after):
            tool.setEnabled(len(self._places) > 1)
        self._show()

    def _show(self) -> None:
        """Mark every place, the shown one more, and bring that one into view."""
        self._text.setExtraSelections(
            [self._mark(place, number) for number, place in enumerate(self._places)]
        )
        text, total = self._look.language.text, len(self._places)
        if self._places:
            cursor = QTextCursor(self._places[self._at])
            cursor.setPosition(cursor.selectionStart())
            self._text.setTextCursor(cursor)
            self._text.centerCursor()
            said = text("transcript-find-count", current=self._at + 1, total=total)
        else:
            said = text("transcript-find-name-only")
        self.count.setText(said)
        self.count.setAccessibleName(said)

    def _mark(self, place: QTextCursor, number: int) -> QTextEdit.ExtraSelection:
        mark = QTextEdit.ExtraSelection()
        mark.cursor = place
        form = QTextCharFormat()
        form.setBackground(self._look.theme.color("heat4" if number == self._at else "heat3"))
        form.setForeground(self._look.theme.color("ink"))
        mark.format = form
        return mark

    def _step(self, step: int) -> None:
        self._at = (self._at + step) % len(self._places)
        self._show()

    @Slot()
    def _on_before(self) -> None:
        self._step(-1)

    @Slot()
    def _on_after(self) -> None:
        self._step(1)


def _places(text: QPlainTextEdit, words: str) -> list[QTextCursor]:
    """Return where words stand, from top to bottom."""
    places: list[QTextCursor] = []
    cursor = QTextCursor(text.document())
    while len(places) < _MOST:
        cursor = text.document().find(words, cursor)
        if cursor.isNull():
            break
        places.append(QTextCursor(cursor))
    return places
