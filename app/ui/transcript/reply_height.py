"""How tall a reply will be, about, before it has been laid out."""

from __future__ import annotations

from app.chat.turn import Turn
from app.ui.transcript import actions
from app.ui.transcript.paper import Measure
from app.ui.transcript.spacing import text_lines

ACTIONS_GAP, BELOW = 6, 14  # px above the actions, below it all


def text_height(turn: Turn, measure: Measure, line: int) -> int:
    """Return about how tall the text of a reply will be."""
    lines = text_lines(turn.content, min(measure.width, measure.prose))
    return max(line, lines * line + turn.content.count("\n\n") * (12 - line))


def estimate_height(turn: Turn, measure: Measure, line: int) -> int:
    """Return about how tall a reply will be: text, the space between blocks, actions."""
    thought = 38 if turn.reasoning else 0
    return text_height(turn, measure, line) + thought + ACTIONS_GAP + actions.HEIGHT + BELOW
