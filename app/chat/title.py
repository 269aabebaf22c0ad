"""A chat's first title, taken from its first question."""

from __future__ import annotations

import re
import unicodedata

_WIDTH = 48  # columns; a Chinese character takes two. About what a sidebar of 264 px shows twice
_MOST = 120  # characters, however many marks are piled upon them
_LOOKED_AT = 1_000  # characters of a line: a pasted file may be one line
_MARKERS = re.compile(r"^\s*(?:(?:[#>*+-]+|\d+[.)])\s+|(?:`{3,}|~{3,}).*)")


def title_of(question: str) -> str:
    """Return the first line that says something, shortened at a word or a Chinese character."""
    for line in question.splitlines():
        text = " ".join(_MARKERS.sub("", _printable(line[:_LOOKED_AT])).split())
        if any(char.isalnum() for char in text):
            return _shorten(text)
    return _shorten(" ".join(_printable(question[:_LOOKED_AT]).split()))


def _printable(text: str) -> str:
    return "".join(
        " " if unicodedata.category(char) in {"Cc", "Zl", "Zp"} else char for char in text
    )


def _columns(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in {"W", "F"} else 1


def _shorten(text: str) -> str:
    end, used = 0, 0
    for end, char in enumerate(text):
        used += _columns(char)
        if used > _WIDTH or end == _MOST:
            break
    else:
        return text
    return _cut(text, end).rstrip(" ,;:.，。；：、-–—(（「“‘") + "…"


def _cut(text: str, end: int) -> str:
    """Cut before ``end``, not inside a Latin word unless that word is most of the title."""
    start = end
    while start > 0 and _joined(text[start - 1], text[start]):
        start -= 1
    return text[: start if start > end // 2 else end]


def _joined(left: str, right: str) -> bool:
    """Say whether no cut is wanted between two characters."""
    if unicodedata.combining(right) or right in "\u200d\ufe0f" or left == "\u200d":
        return True
    return left.isalnum() and right.isalnum() and _columns(left) == 1 and _columns(right) == 1
