"""How tall a reply will be, about, before it has been laid out."""

from __future__ import annotations

from app.chat.turn import Turn
from app.ui.transcript import actions
from app.ui.transcript.code import FOLDED, FOLDS
from app.ui.transcript.paper import Measure
from app.ui.transcript.spacing import text_lines

ACTIONS_GAP, BELOW = 6, 14  # px above the actions, below it all


def text_height(turn: Turn, measure: Measure, line: int) -> int:
    """Return about how tall the text of a reply will be, its long code folded."""
    text = _as_folded(turn.content)
    lines = text_lines(text, min(measure.width, 640))
    return max(line, lines * line + text.count("\n\n") * (12 - line))


def _as_folded(text: str) -> str:
    """Return a text with as many lines in the place of long code as are shown of it."""
    if text.count("\n") < FOLDS or "```" not in text:
        return text
    shown, is_code = [], text.startswith("```")
    for part in text.split("\n```"):
        folds = is_code and part.count("\n") >= FOLDS
        shown.append("\n" * FOLDED if folds else part)
        is_code = not is_code
    return "\n".join(shown)


def estimate_height(turn: Turn, measure: Measure, line: int) -> int:
    """Return about how tall a reply will be: text, the space between blocks, actions."""
    thought = 38 if turn.reasoning else 0
    return text_height(turn, measure, line) + thought + ACTIONS_GAP + actions.HEIGHT + BELOW
