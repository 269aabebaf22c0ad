"""What is wished at one turn, passed on as the transcript's signal with the turn's number."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from app.ui.transcript.turn_widget import TurnWidget

if TYPE_CHECKING:
    from app.ui.transcript.transcript import Transcript


def pass_on(widget: TurnWidget, turn: int, to: Transcript) -> None:
    """Connect a turn's signals to the transcript's."""
    widget.regenerate_requested.connect(lambda: to.regenerate_requested.emit(turn))
    widget.edit_submitted.connect(partial(to.edit_submitted.emit, turn))
    widget.editing_started.connect(to.editing_started)
    widget.editing_ended.connect(to.editing_ended)
    widget.version_requested.connect(lambda step: to.version_requested.emit(turn, step))
    widget.continue_requested.connect(lambda: to.continue_requested.emit(turn))
    widget.delete_requested.connect(lambda rest: to.delete_requested.emit(turn, rest))
    widget.branch_requested.connect(lambda: to.branch_requested.emit(turn))
    widget.inspect_requested.connect(lambda: to.inspect_requested.emit(turn))
    widget.fault_action_requested.connect(partial(to.fault_action_requested.emit, turn))
