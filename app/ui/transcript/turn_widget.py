"""What questions and replies have in common: actions, editing, being asked for their height."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal, Slot
from PySide6.QtGui import QEnterEvent
from PySide6.QtWidgets import QFrame, QWidget

from app.chat.turn import Turn
from app.store.turn_text import Where
from app.ui.clipboard import copy_rich
from app.ui.transcript.actions import Actions
from app.ui.transcript.column import Column
from app.ui.transcript.editing import EditBox
from app.ui.transcript.paper import Measure, Paper
from app.ui.transcript.search import Marking


class TurnWidget(QFrame):
    """One turn of the conversation, as wide as the view.

    A frame without a border: its role is one that screen readers name when they come into it.
    Signals name the turn by nothing: who connects knows which turn it is.
    """

    height_changed = Signal()
    regenerate_requested = Signal()
    edit_submitted = Signal(str, bool, object)  # text, answer again, tuple[Attachment, ...]
    editing_started = Signal(object)  # EditBox of a question
    editing_ended = Signal()  # the box that had the keyboard goes
    version_requested = Signal(int)
    continue_requested = Signal()
    delete_requested = Signal(bool)  # with everything after it
    branch_requested = Signal()
    inspect_requested = Signal()
    fault_action_requested = Signal(bool)  # whether the reason is to be looked for first

    def __init__(self, paper: Paper, turn: Turn, column: Column, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_StaticContents)
        self.paper, self.turn, self.column = paper, turn, column
        self.actions_row = Actions(paper, turn.role, self)
        self.edit_box: EditBox | None = None
        self.measure = Measure(0, 0, seal=False)
        self.column.setParent(self)
        self.column.height_changed.connect(self.height_changed)
        actions = self.actions_row
        actions.copy_requested.connect(self._on_copy)
        actions.plain_copy_requested.connect(self._on_copy_plain)
        actions.rich_copy_requested.connect(self._on_copy_rich)
        actions.edit_requested.connect(self.start_editing)
        actions.again_requested.connect(self.regenerate_requested)
        actions.branch_requested.connect(self.branch_requested)
        actions.inspect_requested.connect(self.inspect_requested)
        actions.delete_requested.connect(self.delete_requested)
        actions.version_requested.connect(self.version_requested)

    # --- to be answered by questions and replies ----------------------------------------------

    def lay_out(self, measure: Measure) -> int:
        """Lay everything out for a reading column, and return the height."""
        raise NotImplementedError

    def set_band(self, top: int, bottom: int) -> None:
        """Keep alive what stands between two heights of this widget."""
        self.column.set_band(top - self.column.y(), bottom - self.column.y())

    def text_height(self) -> int:
        """Return the height of what grows and becomes known: the blocks."""
        return self.column.full_height()

    def refresh_formulas(self) -> bool:
        """Show formulas that have been drawn; True if there are any."""
        return self.column.refresh_formulas()

    def show_turn(self, turn: Turn) -> None:
        """Show another state of the turn."""
        raise NotImplementedError

    def restyle(self) -> None:
        """The theme or the language has changed."""
        raise NotImplementedError

    def plain_text(self) -> str:
        """Return what is read, without marks of Markdown."""
        raise NotImplementedError

    def name(self) -> str:
        """Return what a screen reader calls the turn."""
        raise NotImplementedError

    def mark(self, marking: Marking) -> None:
        """Mark words that are looked for, and the place of them that is shown."""
        self.column.mark(marking.words, *marking.place(self.turn.id, Where.SAID))

    # --- where things are ---------------------------------------------------------------------

    def anchor_at(self, y: int) -> tuple[int, int]:
        """Return (block, pixels below its top) for a height; block -1 is above all blocks."""
        inside = y - self.column.y()
        return self.column.at(inside) if inside >= 0 else (-1, y)

    def anchor_top(self, block: int) -> int:
        """Return where the block of an anchor begins."""
        return self.column.y() + self.column.top_of(block) if block >= 0 else 0

    # --- mouse and keyboard -------------------------------------------------------------------

    def enterEvent(self, event: QEnterEvent) -> None:
        """Show the actions while the mouse is over the turn."""
        self.actions_row.set_over(True)

    def leaveEvent(self, event: QEvent) -> None:
        """Hide the actions again."""
        self.actions_row.set_over(False)

    # --- editing ------------------------------------------------------------------------------

    @Slot()
    def start_editing(self) -> None:
        """Change the message in its place."""
        if self.edit_box is None:
            self.edit_box = EditBox(self.paper, self.turn, is_reply=self.is_reply, parent=self)
            self.edit_box.given_up.connect(self.stop_editing)
            self.edit_box.submitted.connect(self._on_submitted)
            self.edit_box.height_changed.connect(self.height_changed)
            self.edit_box.show()
            if not self.is_reply:
                self.editing_started.emit(self.edit_box)
            self.height_changed.emit()
        self.edit_box.field.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def stop_editing(self) -> None:
        """Leave the message as it was."""
        if self.edit_box is not None:
            self.editing_ended.emit()
            self.edit_box.hide()
            self.edit_box.deleteLater()
            self.edit_box = None
            self.height_changed.emit()

    @property
    def is_reply(self) -> bool:
        """Whether the model wrote it."""
        return False

    @Slot(str, bool)
    def _on_submitted(self, text: str, answer_again: bool) -> None:
        files = self.edit_box.attachments if self.edit_box is not None else ()
        self.stop_editing()
        if text.strip() or files:
            self.edit_submitted.emit(text, answer_again, files)

    @Slot()
    def _on_copy(self) -> None:
        self.paper.copy(self.turn.content)

    @Slot()
    def _on_copy_plain(self) -> None:
        self.paper.copy(self.plain_text())

    @Slot()
    def _on_copy_rich(self) -> None:
        copy_rich(self.turn.content)
