"""The parts of a document while they are read, within the limit of characters."""

from __future__ import annotations

from dataclasses import replace

from app.documents.document import Part


class Pages:
    """Collects parts until there is no room.

    Attributes:
        total: how many parts the document has, as far as the reader knows.
        is_cut: the last part was too long for what was left.
        share: of what the reader read, how much was kept; of the parts, where some are missing.
    """

    def __init__(self, characters: int) -> None:
        self._left = characters
        self.parts: list[Part] = []
        self.total = 0
        self.is_cut = False
        self._kept_of_last = 1.0

    @property
    def share(self) -> float:
        """Return how much of the document the parts hold, each part counted alike."""
        count = len(self.parts)
        return max(0.0, count - 1 + self._kept_of_last) / max(1, self.total, count)

    @property
    def is_full(self) -> bool:
        """Say whether nothing more can be added."""
        return self._left <= 0

    @property
    def room(self) -> int:
        """How many more characters can be added."""
        return max(0, self._left)

    @property
    def has_text(self) -> bool:
        """Say whether any part says anything."""
        return any(part.text.strip() for part in self.parts)

    def add(self, part: Part) -> None:
        """Add a part, as far as there is room; nothing where there is none."""
        if self.is_full:
            return
        if len(part.text) > self._left:
            self._kept_of_last = self._left / len(part.text)
            part = replace(part, text=part.text[: self._left])
            self.is_cut = True
        self._left -= len(part.text)
        self.parts.append(part)
