"""An answer as the chat shows it, as tall as its text; what the other one has not is marked.

The transcript's own column sets it, whole: an answer of the side by side has a limit, so nothing is
gained by setting only what can be seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import chain

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QFrame, QTextEdit

from app.rendering.reader import Reader
from app.rendering.stream import BlockStream
from app.ui.background import ThreadBackground
from app.ui.look import Look
from app.ui.transcript.column import Column
from app.ui.transcript.formulas import Formulas
from app.ui.transcript.long_texts import LongTexts
from app.ui.transcript.outside import copy_text, open_address
from app.ui.transcript.paper import READING, Paper, Typeset
from app.ui.transcript.pigments import pigment
from app.ui.transcript.rows import parts_of, texts_of
from app.ui.transcript.selection import Selection, Whole
from app.ui.transcript.still_text import StillText
from app.ui.transcript.utf16 import utf16_length

_LEAST = 72  # px of height, so that an answer has its place before it comes
_ALL = 1 << 20  # px: nothing is farther away
_APART = "\n\n"  # between two texts, where words are compared


class Rendered(QFrame):
    """A reply to read. A frame without a border: screen readers name it when they come into it.

    Tab comes to it, too: a screen reader then reads all of it, and what copies takes all of it.
    """

    save_requested = Signal(str, str)  # a block of code, proposed name of a file

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._look, self._reader = look, Reader()
        self._written, self._is_whole = "", True
        self._stream = BlockStream(self._reader)
        self._marks: Sequence[tuple[int, int]] = ()
        self._typeset = Typeset(look.theme)
        self._formulas = Formulas(ThreadBackground, partial(pigment, look.theme), self)
        self._formulas.drawn.connect(self._on_drawn)
        paper = Paper(
            look=look,
            typeset=self._typeset,
            formulas=self._formulas,
            selection=Selection(self, self),
            reader=self._reader,
            texts=LongTexts(ThreadBackground, self),
            open_link=open_address,
            copy=copy_text,
            copy_markdown=self._copy_markdown,
            save=self.save_requested.emit,
            preview=lambda file: None,
        )
        self._column = Column(paper, READING, self)
        self._column.height_changed.connect(self._fit)
        look.follow(self._on_look_changed)

    def show_text(self, text: str, *, is_whole: bool) -> None:
        """Show a reply in Markdown, whole or as far as it has come; its marks go."""
        self.mark(())
        if (text, is_whole) == (self._written, self._is_whole):
            return
        if self._is_whole or not text.startswith(self._written):
            self._stream, self._written = BlockStream(self._reader), ""
        if "$" in text or "\\" in text:
            self._formulas.expect()
        self._stream.push(text[len(self._written) :])
        self._written, self._is_whole = text, is_whole
        first = self._stream.finish() if is_whole else self._stream.update()
        self._column.set_blocks(self._stream.blocks, min(first, len(self._column.blocks)))
        self._fit()
        self.setAccessibleDescription(self.words if is_whole else "")

    @property
    def words(self) -> str:
        """What can be read of it, without Markdown's signs."""
        return _APART.join(text.toPlainText() for text in self._texts())

    def mark(self, marks: Sequence[tuple[int, int]]) -> None:
        """Mark what stands from one character of ``words`` to before another."""
        if marks or self._marks:
            self._marks = marks
            self._show_marks()

    # --- what a selection needs ---------------------------------------------------------------

    def parts(self) -> list[StillText | Whole]:
        """Return what can be selected, from top to bottom."""
        return [part for _, row in self._column.living() for part in parts_of(row)]

    def scroll_by(self, pixels: int) -> None:
        """Stand still: the page scrolls, not the answer."""

    def viewport(self) -> Rendered:
        """Return where the texts can be seen."""
        return self

    def _copy_markdown(self) -> None:
        copy_text(self._written)

    # --- what it shows ------------------------------------------------------------------------

    def _texts(self) -> list[StillText]:
        rows = (texts_of(row) for _, row in self._column.living())
        return [*chain.from_iterable(rows)]

    def _show_marks(self) -> None:
        at = 0
        for text in self._texts():
            words = text.toPlainText()
            inside = [
                (max(start - at, 0), min(end - at, len(words)))
                for start, end in self._marks
                if start < at + len(words) and end > at
            ]
            text.setExtraSelections([self._marked(text, words, *span) for span in inside])
            at += len(words) + len(_APART)

    def _marked(
        self, text: StillText, words: str, start: int, end: int
    ) -> QTextEdit.ExtraSelection:
        mark, form = QTextEdit.ExtraSelection(), QTextCharFormat()
        cursor = QTextCursor(text.document())
        cursor.setPosition(utf16_length(words[:start]))
        cursor.setPosition(utf16_length(words[:end]), QTextCursor.MoveMode.KeepAnchor)
        form.setBackground(self._look.theme.color("heat2"))
        mark.cursor, mark.format = cursor, form
        return mark

    @Slot()
    def _fit(self) -> None:
        """Set all of it at this width, and take the height that it has."""
        self._column.set_width(self.width())
        self._column.set_band(0, _ALL)
        self.setFixedHeight(max(self._column.full_height(), self._look.theme.px(_LEAST)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Set it anew at another width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy all of it where nothing of it is selected; all else is the page's."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self._copy_markdown()
        else:
            super().keyPressEvent(event)

    @Slot()
    def _on_drawn(self) -> None:
        """Put formulas that have been drawn in the place of their sources."""
        if self._column.refresh_formulas():
            self._fit()
            self._show_marks()

    @Slot()
    def _on_look_changed(self) -> None:
        self._typeset.forget()
        self._formulas.forget_pictures()
        self._column.restyle()
        self._fit()
        self._show_marks()
