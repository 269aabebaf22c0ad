"""Find in chat: the bar, the search behind it, and the hits marked on the page."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

from app.rendering.reader import Reader
from app.store.turn_text import Where
from app.ui.look import Look
from app.ui.transcript import find_bar
from app.ui.transcript.find_bar import FindBar
from app.ui.transcript.search import Marking, Search
from app.ui.transcript.turns import Turns


class Finder(QObject):
    """Steps through the places where words stand in the open chat."""

    marking_changed = Signal()
    hit_shown = Signal(object)  # Hit: bring it into view
    file_wanted = Signal(object)  # Hit in a file: a step led to it, so open the file there
    closed = Signal()

    def __init__(self, look: Look, turns: Turns, reader: Reader, view: QWidget) -> None:
        super().__init__(view)
        self.bar = FindBar(look, view)
        self._turns = turns
        self._view = view
        self._search = Search(reader, self)
        self._at = -1
        self._turn = 0  # whose first hit is to be shown first; 0 for the chat's
        self._where = Where.SAID  # and in what of the turn
        self._opens = False  # a file hit that is shown opens its file; typing alone never does
        self.bar.words_changed.connect(self._on_words)
        self.bar.step_requested.connect(self.step)
        self.bar.closed.connect(self.close)
        context = Qt.ShortcutContext.WidgetWithChildrenShortcut
        self._escape = QShortcut(QKeySequence("Esc"), view, self.close, context=context)
        self._escape.setEnabled(False)  # open, the bar is the topmost that Escape can close
        self._search.progressed.connect(self._on_progressed)

    @property
    def marking(self) -> Marking:
        """What is to be marked now."""
        words = self.bar.field.text() if self.is_open else ""
        hits = self._search.hits
        return Marking(words, hits[self._at] if words and 0 <= self._at < len(hits) else None)

    @property
    def is_open(self) -> bool:
        """Whether the bar is there."""
        return not self.bar.isHidden()

    @property
    def search(self) -> Search:
        """The search behind the bar."""
        return self._search

    def open(self) -> None:
        """Show the bar and put the keyboard into it."""
        self.bar.show()
        self._escape.setEnabled(True)
        self.bar.raise_()
        self.place()
        self.bar.field.selectAll()
        self.bar.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._on_words(self.bar.field.text())

    def open_at(self, words: str, turn: int, where: Where = Where.SAID) -> None:
        """Show the bar with words in it, and their first place in a turn; the keyboard stays."""
        self.bar.show()
        self._escape.setEnabled(True)
        self.bar.raise_()
        self.place()
        self._turn, self._where = turn, where
        if self.bar.field.text() != words:
            self.bar.field.setText(words)
        else:
            self._on_words(words)

    def place(self) -> None:
        """Stand at the top right of the view."""
        wide = min(find_bar.WIDTH, self._view.width() - 32)
        self.bar.setGeometry(self._view.width() - wide - 20, 8, wide, find_bar.HEIGHT)

    @Slot()
    def close(self) -> None:
        """Take bar and marks away."""
        self.closed.emit()  # first: who takes the focus shall have it before it would wander
        self._shut()

    def leave(self) -> None:
        """Another chat is shown: what was looked for was in the one before."""
        if self.bar.field.hasFocus():
            self.close()
        elif self.is_open:
            self._shut()

    def look_again(self) -> None:
        """The chat has other turns or words: count anew, and stay at the place that is shown."""
        if self.is_open and self.bar.field.text():
            turns = [entry.turn for entry in self._turns.entries]
            self._search.begin(self.bar.field.text(), turns)

    def _shut(self) -> None:
        self.bar.hide()
        self._escape.setEnabled(False)
        self._search.begin("", [])
        self.marking_changed.emit()

    @Slot(int)
    def step(self, step: int) -> None:
        """Show the next hit, or the one before; after the last comes the first."""
        hits = self._search.hits
        if not hits:
            return
        self._at = min(self._at, len(hits) - 1)
        is_closed_file = hits[self._at].where is Where.FILE and not self._opens
        if not is_closed_file:
            self._at = (self._at + step) % len(hits)
        self._opens = True
        self._show()

    @Slot(str)
    def _on_words(self, words: str) -> None:
        self._at, self._opens = -1, bool(self._turn)
        self._search.begin(words, [entry.turn for entry in self._turns.entries])
        self.marking_changed.emit()

    @Slot()
    def _on_progressed(self) -> None:
        first = self._first()
        if not self._search.is_running:
            self._at = min(self._at, len(self._search.hits) - 1)
        if self._at < 0 <= first:
            self._at, self._turn = first, 0
            self._show()
        self._say()

    def _first(self) -> int:
        """Return which hit is to be shown first, -1 while that is not known."""
        hits, is_running = self._search.hits, self._search.is_running
        if not self._turn:
            return 0 if hits else -1
        in_turn = [n for n, hit in enumerate(hits) if hit.turn == self._turn]
        meant = [n for n in in_turn if hits[n].where is self._where]
        nearest = next(iter((*meant, *in_turn)), -1)
        return 0 if nearest < 0 and hits and not is_running else nearest

    def _show(self) -> None:
        hit = self._search.hits[self._at]
        self.marking_changed.emit()
        self.hit_shown.emit(hit)
        if hit.where is Where.FILE and self._opens:
            self.file_wanted.emit(hit)
        self._say()

    def _say(self) -> None:
        running = self._search.is_running
        count = len(self._search.hits)
        self.bar.say(min(self._at + 1, count), count, is_running=running)
