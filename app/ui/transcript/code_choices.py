"""How the code of a reply is shown: folded or not, wrapped or not, as long as the chat is open."""

from __future__ import annotations

from app.rendering.blocks import Block, Code
from app.ui.transcript.code import CodeState, folds


class CodeChoices:
    """What was chosen for each block of code of one text, and what holds until somebody chooses.

    Long code that comes whole is folded. What is written while somebody looks on is not, also
    after it has ended: nothing that is read closes by itself.

    Attributes:
        is_growing: what comes now is being written.
    """

    def __init__(self) -> None:
        self.is_growing = False
        self._states: dict[int, CodeState] = {}  # by the block's place in the text

    def of(self, index: int, block: Block) -> CodeState:
        """Return how a block is shown that has just come."""
        if not isinstance(block, Code):
            return CodeState()
        if index not in self._states:
            if not self.is_growing:
                return CodeState(folded=folds(block))
            self._states[index] = CodeState()
        return self._states[index]

    def keep(self, index: int, state: CodeState) -> None:
        """Somebody has chosen."""
        self._states[index] = state

    def forget(self, index: int) -> None:
        """Another block stands there now."""
        self._states.pop(index, None)
