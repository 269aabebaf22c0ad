"""The scrolling of turns: what is alive, where it stands, and what stays put when heights change.

What stays fixed while heights become known, text grows or the window is resized is the block at the
top of the view, not a number of pixels: the *anchor*. The view follows the end only while the
reader is at the end and holds nothing with the mouse.
"""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QPoint, QRect, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QFrame, QWidget

from app.rendering.reader import Reader
from app.ui.look import Look
from app.ui.transcript.anchor import Anchor, is_in_use
from app.ui.transcript.jump_list import JumpList
from app.ui.transcript.new_text import NewTextButton
from app.ui.transcript.paper import Measure
from app.ui.transcript.reach import Reach
from app.ui.transcript.reply import ReplyTurn
from app.ui.transcript.rows import parts_of
from app.ui.transcript.selection import Whole
from app.ui.transcript.steady_bar import SteadyBar
from app.ui.transcript.still_text import StillText
from app.ui.transcript.tabbing import step_inside, tab_order
from app.ui.transcript.turn_widget import TurnWidget
from app.ui.transcript.turns import Entry, Turns

_FAR = 2400  # px outside the view from which turns are let go
_AT_END = 8  # px from the end that still count as the end
_ROUNDS = 8  # of making alive what measuring has moved into view


class TurnView(QAbstractScrollArea):
    """A scroll area of turns."""

    settled = Signal()  # everything has its place; for tests and benchmarks

    def __init__(self, look: Look, reader: Reader, parent: QWidget | None) -> None:
        super().__init__(parent)
        self._look = look
        self._turns = Turns(reader)
        self._alive: list[Entry] = []
        self._follows = True
        self._placing = False
        self._seen: Anchor | None = None  # what stood at the top of the view last
        self._new_text = NewTextButton(look, self)
        self._new_text.clicked.connect(self.go_to_end)
        self._jump_list = JumpList(look, self._turns, self)
        self._jump_list.chosen.connect(self.bring_up)
        self._reach = Reach(self._on_reach, self)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setVerticalScrollBar(SteadyBar(self))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.verticalScrollBar().setSingleStep(40)

    def make_widget(self, entry: Entry) -> TurnWidget:
        """Return a new widget for a turn, its signals connected."""
        raise NotImplementedError

    def is_at_end(self) -> bool:
        """Tell whether the view follows the end."""
        return self._follows

    @Slot()
    def go_to_end(self) -> None:
        """Bring the end into view and follow it."""
        self._follows = True
        self.arrange(None)

    def bring_up(self, turn: int, block: int = -1, above: int = 16) -> None:
        """Bring a turn, or a block of it, to ``above`` pixels below the top of the view."""
        entry = self._turns.find(turn)
        if entry is not None:
            self._follows = False
            self.arrange(Anchor(turn, block, -above))

    def step_question(self, step: int) -> None:
        """Bring the question before or after the top of the view up to it."""
        found = self._jump_list.beside(self.verticalScrollBar().value() + 16, step)
        if found is not None:
            self.bring_up(found)
        elif step > 0:
            self.go_to_end()

    # --- what a selection needs ---------------------------------------------------------------

    def parts(self) -> list[StillText | Whole]:
        """Return what can be selected and is alive, from top to bottom."""
        near = [entry.widget for entry in sorted(self._alive, key=lambda entry: entry.top)]
        rows = [row for turn in near if turn is not None for _, row in turn.column.living()]
        return [part for row in rows for part in parts_of(row)]

    def scroll_by(self, pixels: int) -> None:
        """Scroll the view."""
        self.verticalScrollBar().setValue(self.verticalScrollBar().value() + pixels)

    # --- placing ------------------------------------------------------------------------------

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
            if abs(top - self.verticalScrollBar().value()) > self._reach.px:
                self._reach.move(1 << 30)  # a jump: what is around it can wait
            if not self._enliven(top - self._reach.px, top + view + self._reach.px):
                break
        top = self._wanted_top(anchor)
        bar = self.verticalScrollBar()
        moved = bar.value() - top
        if moved:
            self._reach.move(moved)
            self.viewport().repaint(0, 0, 1, 1)  # Qt moves no picture in which places have changed
            self.viewport().scroll(0, moved)  # what was painted is moved, not painted again
        bar.setPageStep(view)
        bar.setRange(0, max(0, self._turns.height - view))
        bar.setValue(top)
        self._put(top)
        self._placing = False
        self._seen = self.anchor()
        self.settled.emit()

    def anchor(self) -> Anchor | None:
        """Return what is at the top of the view now."""
        top = self.verticalScrollBar().value()
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
        if self._follows and not self._is_held():
            return most
        entry = self._turns.find(anchor.turn) if anchor is not None else None
        if anchor is None or entry is None:
            return min(most, self.verticalScrollBar().value())
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
        self._new_text.follow(view, at_end=self._follows)
        self._jump_list.place(self.viewport(), free=self._turns.measure.seal)

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

    # --- what the user does -------------------------------------------------------------------

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Follow the scroll bar; where it stops decides whether the end is followed."""
        if self._placing:
            return
        bar = self.verticalScrollBar()
        self._follows = bar.value() >= bar.maximum() - _AT_END
        self._reach.move(dy)
        self.viewport().scroll(0, dy)
        seen = self._seen  # what was at the top moves with the view; what comes may change height
        near = seen is not None and abs(dy) < self.viewport().height()
        self.arrange(replace(seen, below=seen.below - dy) if seen and near else self.anchor())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay everything out for the new width; what was at the top of the view stays there."""
        anchor = self.anchor() if self._turns.measure.left else None
        self.take_measure()
        self.arrange(anchor)

    def take_measure(self) -> None:
        """Take the column that the view's width and the theme allow."""
        self._turns.fit(Measure.of(self.viewport().width(), self._look.theme))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Scroll by lines and pages; Home and End lead to the ends of the chat."""
        bar = self.verticalScrollBar()
        page = bar.pageStep() - 48
        steps = {
            Qt.Key.Key_Up: -bar.singleStep(),
            Qt.Key.Key_Down: bar.singleStep(),
            Qt.Key.Key_PageUp: -page,
            Qt.Key.Key_PageDown: page,
            Qt.Key.Key_Space: page,
            Qt.Key.Key_Home: -bar.maximum(),
        }
        alt = event.modifiers() & Qt.KeyboardModifier.AltModifier
        if alt and event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.step_question(-1 if event.key() == Qt.Key.Key_Up else 1)
        elif event.key() == Qt.Key.Key_End:
            self.go_to_end()
        elif event.key() in steps:
            bar.setValue(bar.value() + steps[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Step through the controls as they stand; at the ends the window goes on.

        The window's own order may lead through some that were passed here already.
        """
        order = tab_order(self)
        if step_inside(self, order, forward=forward):
            return True
        moved = super().focusNextPrevChild(forward)
        for _ in order:
            if moved and self.window().focusWidget() in order:
                moved = super().focusNextPrevChild(forward)
        return moved

    @Slot(QWidget, QWidget)
    def on_focus_changed(self, old: QWidget | None, now: QWidget | None) -> None:
        """Show the actions of the turn that the keyboard is in, and bring its control into view."""
        for entry in self._alive:
            if entry.widget is not None:
                entry.widget.actions_row.refresh()
        inside = now is not None and self.viewport().isAncestorOf(now)
        if now is None or not inside or isinstance(now, (StillText, Whole)):
            return
        place = QRect(now.mapTo(self.viewport(), QPoint(0, 0)), now.size())
        bar, view = self.verticalScrollBar(), self.viewport().height()
        if place.top() < 0:
            bar.setValue(bar.value() + place.top() - 24)
        elif place.bottom() > view:
            bar.setValue(bar.value() + min(place.top(), place.bottom() - view + 24))
