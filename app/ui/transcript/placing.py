"""Where turns stand: what is alive, and what stays put when heights change.

What stays fixed while heights become known, text grows or the window is resized is the block at the
top of the view, not a number of pixels: the *anchor*. The view follows the end only while the
reader is at the end and holds nothing with the mouse. Then a reply that grows has a short way of
its own: nothing above it changes, and that ten times a second.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QWidget

from app.rendering.reader import Reader
from app.ui.look import Look
from app.ui.transcript.anchor import Anchor, is_in_use
from app.ui.transcript.jump_list import JumpList
from app.ui.transcript.new_text import NewTextButton
from app.ui.transcript.paper import Measure
from app.ui.transcript.reach import Reach
from app.ui.transcript.reply import ReplyTurn
from app.ui.transcript.selection import Whole
from app.ui.transcript.steady_bar import SteadyBar
from app.ui.transcript.still_text import StillText
from app.ui.transcript.turn_widget import TurnWidget
from app.ui.transcript.turns import Entry, Turns

_FAR = 2400  # px outside the view from which turns are let go
_NEAR = 40  # px outside the view in which blocks are there for the next scroll
_ROUNDS = 8  # of making alive what measuring has moved into view


class TurnPlacing(QAbstractScrollArea):
    """A scroll area that knows where its turns stand."""

    settled = Signal()  # everything has its place; for tests and benchmarks

    def __init__(self, look: Look, reader: Reader, parent: QWidget | None) -> None:
        super().__init__(parent)
        self._look = look
        self._turns = Turns(reader)
        self._alive: list[Entry] = []
        self._follows = True
        self._placing = False
        self.is_extending = False  # what grows now is the last turn, and the end is followed
        self._made = self._moved = 0  # px: what it has grown by, what the view was moved for that
        self._seen: Anchor | None = None  # what stood at the top of the view last
        self._new_text = NewTextButton(look, self)
        self._jump_list = JumpList(look, self._turns, self)
        self._reach = Reach(self._on_reach, self)
        self._bar = SteadyBar(look.theme, self)
        self.setVerticalScrollBar(self._bar)

    def make_widget(self, entry: Entry) -> TurnWidget:
        """Return a new widget for a turn, its signals connected."""
        raise NotImplementedError

    def take_measure(self) -> None:
        """Take the column that the view's width and the theme allow."""
        self._turns.fit(Measure.of(self.viewport().width(), self._look.theme))

    def arrange(self, anchor: Anchor | None) -> None:
        """Place everything so that the anchor, or the end, stays where it is in the view.

        Turns that come alive are taller or shorter than was thought, which moves others into view:
        so this is repeated until nothing changes, which is once or twice.
        """
        if self._placing or not self._turns.measure.left:
            return
        self._placing = True
        view = self.viewport().height()
        for _ in range(_ROUNDS):
            top = self._wanted_top(anchor)
            if abs(top - self._bar.value()) > self._reach.px:
                self._reach.move(1 << 30)  # a jump: what is around it can wait
            if not self._enliven(top - self._reach.px, top + view + self._reach.px):
                break
        top = self._wanted_top(anchor)
        self._reach.move(self._bar.value() - top)
        self._bar.setPageStep(view)
        self._move_to(top)
        self._bar.setRange(0, max(0, self._turns.height - view))
        self._bar.setValue(top)
        self._put(top)
        self._new_text.follow(self.viewport().size(), at_end=self._follows)
        self._jump_list.place(self.viewport(), free=self._turns.measure.seal)
        self._placing = False
        self._seen = self.anchor()
        self.settled.emit()

    def follows_end(self) -> bool:
        """Tell whether the view stays at the end now, however tall that becomes."""
        return self._follows and not self._is_held()

    def extend(self, entry: Entry) -> bool:
        """Place the last turn, which has grown while the view follows the end.

        Returns:
            False where that is not all there is to do, and nothing was done.
        """
        widget = entry.widget
        is_last = entry is self._turns.entries[-1]
        if widget is None or not (is_last and entry.laid_out) or self._placing:
            return False
        self._placing = True
        view, old = self.viewport().height(), entry.height
        for _ in range(_ROUNDS):
            entry.height, tall = widget.lay_out(self._turns.measure), widget.text_height()
            top = max(0, self._turns.height - view) - entry.top
            widget.set_band(top - _NEAR, top + view + _NEAR)
            if widget.text_height() == tall:
                break
        if entry.height != old:
            self._move_to(top + entry.top)
            self._bar.go_on(max(0, self._turns.height - view), top + entry.top)
            self._put(top + entry.top)
        self.is_extending = False
        self._placing = False
        self._seen = self.anchor()
        self.settled.emit()
        return True

    @Slot(int)
    def on_growing(self, pixels: int) -> None:
        """Make room for a reply that is about to be taller, before anything has its new place.

        Qt moves no picture in which places have changed: it would be painted first, and twice.
        """
        if self.is_extending:
            view, old = self.viewport().height(), self._turns.height + self._made
            self._made += pixels
            if moved := max(0, old + pixels - view) - max(0, old - view):
                self._moved += moved
                self.viewport().scroll(0, -moved)

    def _move_to(self, top: int) -> None:
        """Move what was painted, instead of painting it again."""
        moved = self._bar.value() - top + self._moved
        self._moved = self._made = 0
        if moved:
            self.viewport().repaint(0, 0, 1, 1)  # Qt moves no picture in which places have changed
            self.viewport().scroll(0, moved)

    def anchor(self) -> Anchor | None:
        """Return what is at the top of the view now."""
        top = self._bar.value()
        if not self._turns.entries:
            return None
        entry = self._turns.entries[self._turns.at(top)]
        inside = top - entry.top
        if entry.widget is None:
            return Anchor(entry.turn.id, -1, inside)
        block, below = entry.widget.anchor_at(inside)
        return Anchor(entry.turn.id, block, below)

    def _wanted_top(self, anchor: Anchor | None) -> int:
        most = max(0, self._turns.height - self.viewport().height())
        if self.follows_end():
            return most
        entry = self._turns.find(anchor.turn) if anchor is not None else None
        if anchor is None or entry is None:
            return min(most, self._bar.value())
        inside = entry.widget.anchor_top(anchor.block) if entry.widget is not None else 0
        return max(0, min(most, entry.top + inside + anchor.below))

    def _is_held(self) -> bool:
        """Tell whether the reader is selecting: what is under the mouse must not move away."""
        pressed = QGuiApplication.mouseButtons() & Qt.MouseButton.LeftButton
        return bool(pressed) and isinstance(QApplication.focusWidget(), (StillText, Whole))

    def _enliven(self, top: int, bottom: int) -> bool:
        """Make turns alive in a band; True if that changed any height."""
        first: int | None = None
        for index in self._turns.between(top, bottom):
            entry = self._turns.entries[index]
            if self._measured(entry, top - entry.top, bottom - entry.top) and first is None:
                first = index
        if first is not None:
            self._turns.restack(first)
        return first is not None

    def _measured(self, entry: Entry, top: int, bottom: int) -> bool:
        """Make a turn alive in a band of itself; True if it has another height than before."""
        if entry.widget is None:
            entry.widget, entry.laid_out = self.make_widget(entry), False
            self._alive.append(entry)
        widget, old = entry.widget, entry.height
        if isinstance(widget, ReplyTurn):
            entry.laid_out &= not widget.set_newest(entry is self._turns.entries[-1])
        if not entry.laid_out:
            widget.lay_out(self._turns.measure)
        before = widget.text_height()
        widget.set_band(top, bottom)
        if not entry.laid_out or widget.text_height() != before:
            entry.height, entry.laid_out = widget.lay_out(self._turns.measure), True
        return entry.height != old

    def _put(self, top: int) -> None:
        """Move what is alive to its place in the view, and let go what is far from it."""
        view = self.viewport().size()
        for entry in list(self._alive):
            far = entry.bottom < top - _FAR or entry.top > top + view.height() + _FAR
            if entry.widget is None or (far and not is_in_use(entry.widget)):
                self.let_go(entry)
                continue
            entry.widget.setGeometry(0, entry.top - top, view.width(), entry.height)
            if entry.widget.isHidden():
                entry.widget.show()

    def let_go(self, entry: Entry) -> None:
        """Take a turn's widget away."""
        if entry.widget is not None:
            entry.widget.hide()
            entry.widget.deleteLater()
            entry.widget = None
        self._alive = [each for each in self._alive if each is not entry]

    def _on_reach(self) -> None:
        self.arrange(self.anchor())

    @Slot()
    def on_height_changed(self) -> None:
        """A turn wants another height: a thought was opened, a message is being changed."""
        if self._placing:
            return
        anchor, sender = self.anchor(), self.sender()
        for entry in self._alive:
            if entry.widget is sender:
                entry.laid_out = False
        self.arrange(anchor)
