"""The scrolling of turns: what the user does with wheel, keys and focus, and where that leads."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QPoint, QRect, Qt, Slot
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QWidget

from app.rendering.reader import Reader
from app.ui.look import Look
from app.ui.transcript.anchor import Anchor
from app.ui.transcript.placing import TurnPlacing
from app.ui.transcript.rows import parts_of
from app.ui.transcript.selection import Whole
from app.ui.transcript.still_text import StillText
from app.ui.transcript.tabbing import step_inside, tab_order

_AT_END = 8  # px from the end that still count as the end


class TurnView(TurnPlacing):
    """A scroll area of turns."""

    def __init__(self, look: Look, reader: Reader, parent: QWidget | None) -> None:
        super().__init__(look, reader, parent)
        self._new_text.clicked.connect(self.go_to_end)
        self._jump_list.chosen.connect(self.bring_up)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.verticalScrollBar().setSingleStep(40)

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
