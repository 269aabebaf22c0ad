"""Characters that stand in no text, to guard it and to stand for replies while it is rendered.

They are taken from what is hardly ever written (Byzantine musical symbols, dominoes), leaving out
whatever the conversation and the template do contain, so that nobody can write one on purpose. They
are printable, so that Python's ``repr``, by which some templates show a tool, leaves them as they
are; the private use characters, which it escapes, are the last resort.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

_RARE = (*range(0x1D000, 0x1D0F6), *range(0x1F030, 0x1F094), *range(0xE000, 0xF8FF))
SENTINELS = frozenset(_RARE)
"""The code points that may be chosen."""


@dataclass(frozen=True, slots=True)
class Marks:
    """Two characters (or pairs of one) that stand in no text and in no template.

    Attributes:
        sentinel: breaks the spelling of control tokens; taken out again before encoding.
        anchor: encloses the words that stand for replies.
    """

    sentinel: str
    anchor: str

    def word(self, place: int) -> str:
        """The word that stands for the reply at ``place``."""
        return f"{self.anchor}{place}{self.anchor}"


def choose_marks(text: str) -> Marks:
    """Marks that do not occur in ``text``."""
    used = set(text)
    single = (character for code in _RARE if (character := chr(code)) not in used)
    # a text may hold every character there is, but hardly each after each
    pairs = (pair for first in _RARE if (pair := chr(first) * 2) not in text)
    free = chain(single, pairs)
    return Marks(next(free), next(free))
