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
    wide = sum(1 for character in text if ord(character) >= _WIDE)
    return round((len(text) - wide) / 4 + wide * 0.7) if text else 0


def least_tokens(text: str) -> int:
    """Fewer than any tokenizer in use needs: prose of common words takes 5.5 letters each.

    Runs of one sign count once: some vocabularies have whole lines of blanks or dashes.
    """
    text = _RUNS.sub(r"\1", text)
    wide = sum(1 for character in text if ord(character) >= _WIDE)
    return int((len(text) - wide) / 10 + wide / 5)


def estimated_prompt(messages: Iterable[Message]) -> int:
    """About how many tokens a conversation takes."""
    return sum(_TEMPLATE + estimated_tokens(m.content) for m in messages)
