"""A block's place in its column."""

from __future__ import annotations

from dataclasses import dataclass, field

from PySide6.QtWidgets import QWidget

from app.rendering.blocks import Block
from app.ui.transcript.code import CodeState


@dataclass(slots=True)
class Place:
    """A block in the column: where it stands, and its widget while it is near."""

    block: Block
    gap: int
    height: int
    top: int = 0
    row: QWidget | None = None
    fitted: int = 0  # the width that ``height`` was measured for; 0: an estimate
    code: CodeState = field(default_factory=CodeState)  # what was chosen while the block was near

    @property
    def bottom(self) -> int:
        """The first pixel below."""
        return self.top + self.height
