"""Where in a Markdown answer the text stands: at its beginning, at a line's beginning, in code.

Only what is needed to tell a mark from a mention of it; rendering is not the engine's business.
"""

from __future__ import annotations

import re

_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_HEAD = 200  # characters of a line in which its beginning is looked for


class LineState:
    """Follows a text as it grows.

    Attributes:
        fresh: nothing but white space so far.
    """

    def __init__(self) -> None:
        self.fresh = True
        self._line = ""  # the beginning of the current line
        self._ticks = 0  # backticks in it
        self._fence = ""  # the fence that is open

    @property
    def blank(self) -> bool:
        """Whether the current line has nothing but white space so far."""
        return not self._line.strip()

    @property
    def in_code(self) -> bool:
        """Whether a fenced block or a code span is open."""
        return bool(self._fence) or self._ticks % 2 == 1

    def add(self, text: str) -> None:
        """Go on with ``text``."""
        self.fresh = self.fresh and not text.strip()
        first, *rest = text.split("\n")
        self._extend(first)
        for line in rest:
            self._end_line()
            self._extend(line)

    def _extend(self, text: str) -> None:
        self._line += text[: max(0, _HEAD - len(self._line))]
        self._ticks += text.count("`")

    def _end_line(self) -> None:
        """Open or close a fence as the line that ends says (CommonMark, fenced code blocks)."""
        match = _FENCE.match(self._line)
        if match is not None:
            fence = match[1]
            if not self._fence:
                self._fence = fence
            elif fence[0] == self._fence[0] and len(fence) >= len(self._fence):
                closes = not self._line[match.end() :].strip()
                self._fence = "" if closes else self._fence
        self._line, self._ticks = "", 0
