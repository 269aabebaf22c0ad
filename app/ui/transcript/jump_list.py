"""The list of one's own questions: a quiet button at the corner, a list, a jump."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QWidget

from app.chat.turn import Turn
from app.ui.buttons import Tool
from app.ui.look import Look
from app.ui.transcript.question_popup import QuestionPopup
from app.ui.transcript.turns import Turns
from engine.contract import Role

_FEWEST = 3  # questions: below there is nothing to jump over


class JumpList(Tool):
    """Opens the list of all questions, the newest at the bottom as on the page."""

    chosen = Signal(int)  # turn

    def __init__(self, look: Look, turns: Turns, parent: QWidget) -> None:
        super().__init__(look, "list-bullets", "transcript-questions", parent=parent)
        self._turns = turns
        self.clicked.connect(self._on_clicked)
        self.hide()

    def place(self, view: QWidget, *, free: bool) -> None:
        """Stand in the corner where the margin is wide enough and there is something to list."""
        self.setVisible(free and len(self.questions()) >= _FEWEST)
        self.move(view.width() - self.width() - 16, 10)

    def questions(self) -> Sequence[Turn]:
        """Return the questions of the chat, from the first on."""
        return [e.turn for e in self._turns.entries if e.turn.role is Role.USER]

    def beside(self, y: int, step: int) -> int | None:
        """Return the question before or after a height of the page, None where there is none."""
        tops = [(e.top, e.turn.id) for e in self._turns.entries if e.turn.role is Role.USER]
        if step > 0:
            return next((turn for top, turn in tops if top > y + 2), None)
        return next((turn for top, turn in reversed(tops) if top < y - 2), None)

    def open(self) -> QuestionPopup:
        """Open the list below the button; it goes away when it closes."""
        popup = QuestionPopup(self._look, self.questions(), self)
        popup.chosen.connect(self.chosen)
        popup.open_below(self)
        return popup

    @Slot()
    def _on_clicked(self) -> None:
        self.open()
