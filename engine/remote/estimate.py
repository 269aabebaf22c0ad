"""How many tokens a text would take for a server whose tokenizer is not known here."""

from __future__ import annotations

import re
from collections.abc import Iterable

from engine.contract import Message

_WIDE = 0x2E80  # from here on a character takes about a token: Chinese, Japanese, Korean
_RUNS = re.compile(r"([\W_])\1+")
_TEMPLATE = 4  # tokens that a template adds to a message


def estimated_tokens(text: str) -> int:
    """About how many: a quarter of the letters, and seven tenths of the wide characters."""
    wide = _wide_characters(text)
    return _estimate(len(text) - wide, wide)


class GrowingEstimate:
    """About how many tokens a text has that comes in pieces.

    Servers cut differently: most send a token at a time, some wait for a whole word, some for as
    much as fits into a frame. A piece is a token at least; longer ones are told by their letters,
    counted together, for the rounding of each piece would add up.
    """

    def __init__(self) -> None:
        self.tokens = 0
        self._pieces = self._narrow = self._wide = 0

    def add(self, text: str) -> int:
        """Take a piece; how many tokens it brought."""
        before = self.tokens
        wide = _wide_characters(text)
        self._pieces += bool(text)
        self._wide += wide
        self._narrow += len(text) - wide
        self.tokens = max(before, self._pieces, _estimate(self._narrow, self._wide))
        return self.tokens - before


def least_tokens(text: str) -> int:
    """Fewer than any tokenizer in use needs: prose of common words takes 5.5 letters each.

    Runs of one sign count once: some vocabularies have whole lines of blanks or dashes.
    """
    text = _RUNS.sub(r"\1", text)
    wide = _wide_characters(text)
    return int((len(text) - wide) / 10 + wide / 5)


def estimated_prompt(messages: Iterable[Message]) -> int:
    """About how many tokens a conversation takes."""
    return sum(_TEMPLATE + estimated_tokens(m.content) for m in messages)


def _wide_characters(text: str) -> int:
    return sum(1 for character in text if ord(character) >= _WIDE)


def _estimate(narrow: int, wide: int) -> int:
    return round(narrow / 4 + wide * 0.7)
