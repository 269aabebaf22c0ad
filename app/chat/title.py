"""A chat's title: at first taken from its first question, then perhaps the model's own."""

from __future__ import annotations

import re
import unicodedata

_WIDTH = 48  # columns; a Chinese character takes two. About what a sidebar of 264 px shows twice
_MOST = 120  # characters, however many marks are piled upon them
_LOOKED_AT = 1_000  # characters of a line: a pasted file may be one line
_WIDEST = 60  # columns of a title that a model made; what is longer is an answer, and no title
_LABEL = re.compile(r"^(?:chat |conversation )?(?:title|标题|题目)\s*[:：]\s*", re.IGNORECASE)
_DRESS = " \t#*_`~\"'“”‘’「」『』《》<>"
_MARKERS = re.compile(r"^\s*(?:(?:[#>*+-]+|\d+[.)])\s+|(?:`{3,}|~{3,}).*)")


def title_of(question: str) -> str:
    """Return the first line that says something, shortened at a word or a Chinese character."""
    for line in question.splitlines():
        text = " ".join(_MARKERS.sub("", _printable(line[:_LOOKED_AT])).split())
        if any(char.isalnum() for char in text):
            return _shorten(text)
    return _shorten(" ".join(_printable(question[:_LOOKED_AT]).split()))


def title_question(said: str) -> str:
    """Return what asks a model for a title, in Chinese for a chat that is mostly Chinese.

    Args:
        said: some of the conversation.
    """
    counted = said[: _LOOKED_AT * 4]
    chinese = sum("\u4e00" <= char <= "\u9fff" for char in counted)
    kana = sum("\u3040" <= char <= "\u30ff" for char in counted)
    if chinese * 5 > len(counted) and not kana:
        return "给上面的对话起一个标题，不超过十二个字。只回答标题。"
    return (
        "Give the conversation above a title of at most six words, in its own language."
        " Answer with the title alone."
    )


def model_title(said: str) -> str:
    """Return the title in what a model answered, or nothing where it is none."""
    lines = [line for line in said.splitlines() if line.strip(_DRESS)]
    if len(lines) != 1:
        return ""
    text = _LABEL.sub("", _printable(lines[0][:_LOOKED_AT]).strip(_DRESS)).strip(_DRESS)
    text = " ".join(text.rstrip(".。").split()).strip(_DRESS)
    if not any(char.isalnum() for char in text) or sum(map(_columns, text)) > _WIDEST:
        return ""
    return text


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
