"""What stands under the text of a reply: what was checked, and how it broke off."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtWidgets import QWidget

from app.chat.turn import Turn, TurnState
from app.ui.transcript.checked import Checked, shown_checked
from app.ui.transcript.endings import Broken, Ending
from app.ui.transcript.paper import Paper
from app.ui.transcript.turn_widget import TurnWidget

_ENDED_BADLY = {TurnState.STOPPED, TurnState.CUT, TurnState.INTERRUPTED}


class EndingPlace:
    """Makes the notices that a reply needs, and takes them away again."""

    def __init__(self, paper: Paper, turn: TurnWidget) -> None:
        self._paper, self._turn = paper, turn
        self._checked: Checked | None = None
        self._ending: Ending | None = None
        self._broken: Broken | None = None

    def notices(self) -> Iterator[Checked | Ending | Broken]:
        """Yield what is there, from top to bottom."""
        for notice in (self._checked, self._ending, self._broken):
            if notice is not None:
                yield notice

    def show_turn(self, turn: Turn) -> None:
        """Say how a reply ended."""
        self._checked = shown_checked(self._checked, turn, self._paper, self._turn)
        if turn.state in _ENDED_BADLY:
            if self._ending is None:
                self._ending = Ending(self._paper, self._turn)
                self._ending.continue_requested.connect(self._turn.continue_requested)
                self._ending.again_requested.connect(self._turn.regenerate_requested)
            self._ending.show_turn(turn)
        else:
            _take_away(self._ending)
            self._ending = None
        if turn.state is TurnState.FAILED:
            if self._broken is None:
                self._broken = Broken(self._paper, self._turn)
                self._broken.remedy_requested.connect(self._turn.fault_action_requested)
                self._broken.again_requested.connect(self._turn.regenerate_requested)
            self._broken.show_turn(turn)
        else:
            _take_away(self._broken)
            self._broken = None


def _take_away(notice: QWidget | None) -> None:
    if notice is not None:
        notice.hide()
        notice.deleteLater()
