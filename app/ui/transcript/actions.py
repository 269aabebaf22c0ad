"""The row of small buttons that belongs to a turn, and its versions.

It shows while the mouse is over the turn or the keyboard is in it; its place is kept, so nothing
moves. Hidden buttons can still be reached with Tab and by a screen reader.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, SignalInstance, Slot
from PySide6.QtGui import QRegion
from PySide6.QtWidgets import QHBoxLayout, QMenu, QWidget

from app.chat.turn import Turn, TurnState
from app.ui.buttons import Tool
from app.ui.transcript.paper import Paper
from app.ui.words import Plain
from engine.contract import Role

HEIGHT = 28  # px
INSET = 6  # px from a button's edge to its icon
_NOWHERE = QRegion(-1, -1, 1, 1)  # no pixel of the row


class Quiet(Plain):
    """Words that show with the row."""


class Actions(QWidget):
    """What can be done with a turn."""

    copy_requested = Signal()
    edit_requested = Signal()
    again_requested = Signal()
    branch_requested = Signal()
    inspect_requested = Signal()
    delete_requested = Signal(bool)  # with everything after it
    plain_copy_requested = Signal()
    rich_copy_requested = Signal()
    version_requested = Signal(int)  # a step: -1 or 1

    def __init__(self, paper: Paper, role: Role, parent: QWidget) -> None:
        super().__init__(parent)
        self._paper = paper
        self._is_reply = role is Role.ASSISTANT
        self.is_shown = False
        self._always = False
        self._over = False
        self._time = Quiet("", "caption")
        self._time.setParent(self)
        self._figures = Quiet("", "caption")
        self._figures.setParent(self)
        self._copy = self._tool("copy", "transcript-copy-markdown", self.copy_requested)
        self._edit = self._tool("pencil-simple", "transcript-edit", self.edit_requested)
        self._again = self._tool(
            "arrows-clockwise", "transcript-again", self.again_requested, "Ctrl+R"
        )
        self._branch = self._tool("git-branch", "transcript-branch", self.branch_requested)
        self._more = Tool(paper.look, "dots-three", "transcript-more", parent=self)
        self._more.clicked.connect(self._on_more)
        self._before = Tool(
            paper.look, "caret-left", "transcript-version-before", side=24, parent=self
        )
        self._before.clicked.connect(self._on_before)
        self._version = Quiet("", "caption2")
        self._version.setParent(self)
        self._after = Tool(
            paper.look, "caret-right", "transcript-version-after", side=24, parent=self
        )
        self._after.clicked.connect(self._on_after)
        self._lay_out()
        self.setFixedHeight(HEIGHT)
        self._show_or_not()

    def _tool(self, icon: str, text_id: str, clicked: SignalInstance, keys: str = "") -> Tool:
        tool = Tool(self._paper.look, icon, text_id, keys, parent=self)
        tool.clicked.connect(clicked)
        return tool

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        tools = (self._copy, self._edit, self._again, self._branch, self._more)
        versions = (self._before, self._version, self._after)
        if self._is_reply:
            self._time.hide()
        else:
            row.addStretch(1)
            row.addWidget(self._time)
            row.addSpacing(8)
        for tool in tools:
            row.addWidget(tool)
        row.addSpacing(10)
        for part in versions:
            row.addWidget(part)
        if self._is_reply:
            row.addStretch(1)
            row.addWidget(self._figures)

    def show_turn(self, turn: Turn, *, compact_figures: str = "") -> None:
        """Follow a turn: its time, its versions, and what can be done in its state."""
        language = self._paper.look.language
        self._time.setText(language.clock(turn.created))
        self._figures.setText(compact_figures)
        self._figures.setVisible(bool(compact_figures))
        several = turn.versions > 1
        for part in (self._before, self._version, self._after):
            part.setVisible(several)
        self._before.setEnabled(turn.version > 1)
        self._after.setEnabled(turn.version < turn.versions)
        self._version.setText(f"{turn.version} / {turn.versions}")
        self._version.setAccessibleName(
            language.text("transcript-version", version=turn.version, versions=turn.versions)
        )
        writing = turn.state is TurnState.STREAMING
        for tool in (self._edit, self._again, self._branch, self._more):
            tool.setEnabled(not writing)

    def set_always(self, always: bool) -> None:
        """Show the row also without mouse and keyboard: under the newest reply."""
        self._always = always
        self._refresh()

    def set_over(self, over: bool) -> None:
        """The mouse has come over the turn, or gone."""
        self._over = over
        self._refresh()

    def refresh(self) -> None:
        """The keyboard focus has moved."""
        self._refresh()

    def has_focus(self) -> bool:
        """Tell whether one of the buttons has the keyboard focus."""
        return any(tool.hasFocus() for tool in self.findChildren(Tool))

    def _refresh(self) -> None:
        shown = self._always or self._over or self.has_focus()
        if shown != self.is_shown:
            self.is_shown = shown
            self._show_or_not()

    def _show_or_not(self) -> None:
        """Paint the row or nothing of it; it can be reached all the same.

        Below a reply that is written it moves with every line, and eight widgets would be asked.
        """
        if self.is_shown:
            self.clearMask()
        else:
            self.setMask(_NOWHERE)

    @Slot()
    def _on_before(self) -> None:
        self.version_requested.emit(-1)

    @Slot()
    def _on_after(self) -> None:
        self.version_requested.emit(1)

    @Slot()
    def _on_more(self) -> None:
        menu = self.more_menu()
        menu.popup(self._more.mapToGlobal(self._more.rect().bottomLeft()))

    def more_menu(self) -> QMenu:
        """Return the menu behind the three dots; it goes away when it closes."""
        text, icon = self._paper.look.language.text, self._paper.look.theme.icon
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        plain = menu.addAction(icon("copy-simple"), text("transcript-copy-plain"))
        plain.triggered.connect(self.plain_copy_requested)
        if self._is_reply:
            rich = menu.addAction(icon("text-aa"), text("transcript-copy-rich"))
            rich.triggered.connect(self.rich_copy_requested)
            inspect = menu.addAction(icon("path"), text("inspector-look-into"))
            inspect.triggered.connect(self.inspect_requested)
        menu.addSeparator()
        for text_id, with_rest in (("transcript-delete", False), ("transcript-delete-rest", True)):
            delete = menu.addAction(icon("trash", "cinnabar"), text(text_id))
            delete.triggered.connect(
                lambda _=False, rest=with_rest: self.delete_requested.emit(rest)
            )
        return menu
