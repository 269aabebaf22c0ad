"""Long finished texts, read off the window's thread: 100,000 characters take 0.2 s to be parsed.

A shorter text is read at once: that takes less than a frame or two, and nothing moves afterwards.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from app.rendering.blocks import Block
from app.rendering.reader import Reader
from app.ui.background import Background

LONG = 16_000  # characters: about 30 ms
_KEPT = 4  # texts: who scrolls to and fro does not wait again


class LongTexts(QObject):
    """Reads texts in the background and keeps the blocks of the latest.

    Args:
        make_background: called when something has to be read; what it returns is closed as soon
            as nothing is left to do, so that no thread stays behind.
    """

    was_read = Signal()  # one that was asked for

    def __init__(self, make_background: Callable[[], Background], parent: QObject) -> None:
        super().__init__(parent)
        self._make_background = make_background
        self._background: Background | None = None
        self._blocks: dict[str, list[Block]] = {}
        self._asked: set[str] = set()

    def blocks(self, text: str) -> list[Block] | None:
        """Return the blocks of a text that has been read; otherwise None, and ``was_read`` follows.

        A reader of its own does it: no parser is used by two threads.
        """
        if text not in self._blocks and text not in self._asked:
            self._asked.add(text)
            if self._background is None:
                self._background = self._make_background()
            self._background.run(
                lambda: Reader().read(text),
                lambda blocks: self._on_read(text, blocks),
                lambda fault: None,
            )
        return self._blocks.get(text)

    def _on_read(self, text: str, blocks: list[Block]) -> None:
        self._asked.discard(text)
        if not self._asked and self._background is not None:
            self._background.close()
            self._background = None
        while len(self._blocks) >= _KEPT:
            del self._blocks[next(iter(self._blocks))]
        self._blocks[text] = blocks
        self.was_read.emit()
