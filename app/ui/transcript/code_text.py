"""The text of a block of code: grows line by line, is set and coloured in slices.

Three thousand lines at once would hold the window for most of a second: some are set at once, the
rest a few milliseconds at a time. The height is known before, since every line is equally tall.
"""

from __future__ import annotations

from math import ceil
from time import perf_counter

from PySide6.QtCore import QRect, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QFontMetricsF, QTextBlockFormat, QTextCharFormat, QTextCursor, QTextOption
from PySide6.QtWidgets import QTextEdit, QWidget

from app.ui.transcript.code_colours import CodeColours
from app.ui.transcript.code_rows import CodeRows
from app.ui.transcript.colouring import Colouring
from app.ui.transcript.paper import GOES_ON, Paper
from app.ui.transcript.still_text import StillText, x_of
from app.ui.transcript.utf16 import utf16_length

SIDE, TOP = 14, 9  # px around the code
BAR = 12  # px: the sideways scroll bar, where one is needed
_SLICE_S = 0.004  # of setting and colouring at a time
_AT_ONCE = 120  # rows that are set at once: more than can be seen
_AT_ONCE_SIZE = 20_000  # characters
_COLOURED = 40  # rows that are coloured at once, and at least at a step
_SHARE = 25  # of all rows are coloured at a step: each step costs Qt a look at those below it
_STEP = 20  # rows that are set at a step
_STEP_SIZE = 6_000  # characters


class CodeText(StillText):
    """The lines of one block of code."""

    height_changed = Signal()  # of wrapped lines, while they are set

    def __init__(self, paper: Paper, language: str, parent: QWidget) -> None:
        super().__init__(paper, parent)
        self._text = ""
        self._closed = False
        self._wraps = False
        self._most: int | None = None  # rows that are shown of a folded block
        self._rows = CodeRows()
        self._filled, self._filled_of_last = 1, 0  # rows in the document; characters of the last
        self._colouring = Colouring(language)
        self._colours = CodeColours(self.document(), paper, self._colouring)
        self._uncoloured = 0  # the first row whose colours may not be shown yet
        self._marked = ("", -1)
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._on_slice)
        self._line = paper.look.theme.line_height("code")
        self._set_up(paper)

    def _set_up(self, paper: Paper) -> None:
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setLineWrapMode(QTextEdit.LineWrapMode.NoWrap)
        self.setFont(paper.look.theme.font("code"))
        self.document().setDefaultFont(self.font())
        self.setViewportMargins(SIDE, TOP, SIDE, TOP)
        option = self.document().defaultTextOption()
        option.setTextDirection(Qt.LayoutDirection.LeftToRight)
        option.setTabStopDistance(4 * self.fontMetrics().horizontalAdvance(" "))
        self.document().setDefaultTextOption(option)
        fixed = QTextBlockFormat.LineHeightTypes.FixedHeight.value
        self._line_format, self._going_on_format = QTextBlockFormat(), QTextBlockFormat()
        for form in (self._line_format, self._going_on_format):
            form.setLineHeight(self._line, fixed)
        self._going_on_format.setProperty(GOES_ON, True)
        self._plain = QTextCharFormat()
        self._plain.setFont(self.font())
        self._plain.setForeground(paper.look.theme.color("ink"))
        QTextCursor(self.document()).setBlockFormat(self._line_format)

    @property
    def text(self) -> str:
        """The code as it was written."""
        return self._text

    @property
    def is_settled(self) -> bool:
        """Whether all that is shown is set and coloured."""
        return not self._timer.isActive()

    def show_code(self, text: str, *, closed: bool) -> None:
        """Show code; what it shares with the code shown is not touched."""
        goes_on = text.startswith(self._text) and not (self._closed and text != self._text)
        if goes_on:
            self._rows.append(text[len(self._text) :])
        else:
            self._rows = CodeRows()
            self._rows.append(text)
            self._colouring.restart()
            self._set_anew()
        self._text, self._closed = text, closed
        self._work()

    def show_rows(self, most: int | None) -> None:
        """Show the first rows alone, or all of them."""
        self._most = most
        self._work()

    def set_wrap(self, wraps: bool) -> None:
        """Break long lines, or scroll sideways."""
        if wraps == self._wraps:
            return
        self._wraps = wraps
        if self._filled > _AT_ONCE:
            self._set_anew()  # Qt would lay all of it out in one go
        mode, breaking = QTextEdit.LineWrapMode, QTextOption.WrapMode
        self.setLineWrapMode(mode.WidgetWidth if wraps else mode.NoWrap)
        self.setWordWrapMode(breaking.WrapAtWordBoundaryOrAnywhere if wraps else breaking.NoWrap)
        self._work()

    def fit(self, width: int) -> int:
        """Return the height of all rows for a width."""
        inner = width - 2 * SIDE
        if not self._wraps:
            bar = BAR if self._widest() > inner else 0
            return len(self._rows) * self._line + 2 * TOP + bar
        if self._filled > _AT_ONCE and self.document().textWidth() != inner:
            self._set_anew()
            self._work()
        self.document().setTextWidth(inner)
        to_come = self._rows.rows[self._filled :]
        advance = self.fontMetrics().horizontalAdvance("0")
        rows = sum(max(1, ceil(len(row) * advance / inner)) for row in to_come)
        return ceil(self.document().size().height()) + rows * self._line + 2 * TOP

    def height_of(self, rows: int) -> int:
        """Return the height of the first rows, air above included."""
        return TOP + rows * self._line

    def _widest(self) -> float:
        return QFontMetricsF(self.font()).horizontalAdvance(self._rows.widest.expandtabs(4))

    def caret(self) -> QRect:
        """Return where the reply's caret stands: after the last glyph, in this widget."""
        block = self.document().lastBlock()
        line = block.layout().lineAt(max(0, block.layout().lineCount() - 1))
        x = x_of(line, block.length() - 1) if line.isValid() else 0.0
        top = self.document().documentLayout().blockBoundingRect(block).bottom() - self._line
        left = SIDE + x - self.horizontalScrollBar().value()
        return QRect(round(left) + 2, round(TOP + top) + 1, 3, self._paper.look.theme.px(18))

    # --- what is looked for, what is copied ---------------------------------------------------

    def mark(self, words: str, current: int) -> int:
        """Mark words where they stand; in rows that are still to be set, as soon as they are."""
        self._marked = words, current
        if not words or self._filled >= self._wanted():
            super().mark(words, current)
        return self.count_of(words)

    def count_of(self, words: str) -> int:
        """Return how often words stand in the code."""
        return self._rows.count(words.lower())

    def places(self, words: str) -> list[QTextCursor]:
        """Return where words stand, across the rows of a long line too."""
        found = super().places(words)
        for row, before, behind in self._rows.across(words.lower(), self._filled):
            start = self.document().findBlockByNumber(row).position()
            above, below = self._rows.rows[row - 1], self._rows.rows[row]
            cursor = QTextCursor(self.document())
            cursor.setPosition(start - 1 - utf16_length(above[-before:]))
            end = start + utf16_length(below[:behind])
            cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
            found.append(cursor)
        return sorted(found, key=QTextCursor.selectionStart)

    def place_of(self, words: str, nth: int) -> QRect:
        """Return where words stand for the ``nth`` time in this widget; empty for nowhere."""
        self.complete()
        return super().place_of(words, nth)

    def complete(self) -> None:
        """Set at once what is still to be set, because all of it is wanted."""
        self._fill(len(self._rows), 1 << 30)

    def take_all(self) -> None:
        """Let a selection of all that is set be one of all the code."""
        if self._filled < len(self._rows) and self.is_all_selected():
            self.complete()
            self.selectAll()

    # --- setting and colouring in slices ------------------------------------------------------

    def _wanted(self) -> int:
        return len(self._rows) if self._most is None else min(self._most, len(self._rows))

    def _set_anew(self) -> None:
        """Begin the document again."""
        self.document().clear()
        QTextCursor(self.document()).setBlockFormat(self._line_format)
        self._filled, self._filled_of_last, self._uncoloured = 1, 0, 0
        self._colours.forget()

    def _work(self) -> None:
        """Do what must be seen now, and leave the rest to slices."""
        self._timer.start()
        enough = self._enough()
        coloured = min(self._wanted(), _COLOURED) if self._colouring.colours else 0
        until = perf_counter() + _SLICE_S
        while self._filled < enough or self._uncoloured < coloured or perf_counter() < until:
            if not self._step():
                self._timer.stop()
                break

    def _enough(self) -> int:
        """Return up to which row is set at once."""
        row, size = self._filled, 0
        while row < min(self._wanted(), _AT_ONCE) and size < _AT_ONCE_SIZE:
            size += len(self._rows.rows[row])
            row += 1
        return row

    @Slot()
    def _on_slice(self) -> None:
        until, filled = perf_counter() + _SLICE_S, self._filled
        while perf_counter() < until:
            if not self._step():
                self._timer.stop()
                break
        if self._wraps and filled < self._filled >= self._wanted():
            self.height_changed.emit()

    def _step(self) -> bool:
        """Do a little, what is at the top first; False with nothing left to do."""
        wanted = self._wanted()
        is_new = self._filled_of_last < len(self._rows.rows[self._filled - 1])
        if self._filled < min(wanted, _AT_ONCE) or (is_new and self._filled <= wanted):
            self._fill(min(wanted, self._filled + _STEP), _STEP_SIZE)
            return True
        if self._uncoloured < min(wanted, _COLOURED) and self._colour(_COLOURED):
            return True
        if self._filled < wanted:
            self._fill(min(wanted, self._filled + _STEP), _STEP_SIZE)
            return True
        return self._colour(max(_COLOURED, self._filled // _SHARE))

    def _colour(self, rows: int) -> bool:
        """Read on, or show the colours of some rows once so many are known; False when done."""
        last = min(self._filled, self._colouring.known)
        if last - self._uncoloured < rows:
            first = self._colouring.step(self._rows, self._wanted(), closed=self._closed)
            if first is not None:
                self._uncoloured = min(self._uncoloured, first)
                return True
        if self._uncoloured >= last:
            return False
        first, self._uncoloured = self._uncoloured, min(last, self._uncoloured + rows)
        self._colours.show(first, self._uncoloured)
        return True

    def _fill(self, last: int, most: int) -> None:
        """Set rows up to ``last``, in all not many more than ``most`` characters."""
        hold = self.textCursor()
        if hold.hasSelection():
            hold.setKeepPositionOnInsert(True)
            self.setTextCursor(hold)
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        at_start = self.document().isEmpty()
        cursor.beginEditBlock()
        rest = self._rows.rows[self._filled - 1][self._filled_of_last :]
        cursor.insertText(rest, self._plain)
        self._uncoloured = min(self._uncoloured, self._filled - 1) if rest else self._uncoloured
        size = len(rest)
        while self._filled < last and size < most:
            goes_on = self._rows.goes_on(self._filled)
            cursor.insertBlock(self._going_on_format if goes_on else self._line_format, self._plain)
            cursor.insertText(self._rows.rows[self._filled], self._plain)
            size += len(self._rows.rows[self._filled])
            self._filled += 1
        cursor.endEditBlock()
        self._filled_of_last = len(self._rows.rows[self._filled - 1])
        if at_start:
            self.rest_cursor()
        if self._marked[0] and self._filled >= self._wanted():
            super().mark(*self._marked)
