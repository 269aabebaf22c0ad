"""Ids to text, one at a time: the first ring of a reply.

Bytes that do not yet make a whole character wait for the next token. Invalid bytes become one
U+FFFD for each maximal wrong stretch, at once, so that nothing ever stalls. Each push costs what
its token costs, whatever came before.
"""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from typing import NamedTuple

from engine.text.tokenizer import Tokenizer


class Piece(NamedTuple):
    """Text that is certain; or the spelling of a control token, which is a mark and not text."""

    text: str
    control: bool = False


class Detokenizer:
    """Turns a reply's ids into pieces of text.

    Args:
        tokenizer: whose ids they are.
        continues: whether the reply goes on from text that was already there; then a first token
            keeps its leading space.
    """

    def __init__(self, tokenizer: Tokenizer, *, continues: bool = False) -> None:
        self._tokenizer = tokenizer
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._fresh = not continues
        self._strip = 0 if continues else tokenizer.rule.strip_start

    def push(self, id: int) -> Sequence[Piece]:
        """The pieces that ``id`` makes certain; none while a character is incomplete."""
        if self._tokenizer.is_control(id):
            mark = Piece(self._tokenizer.control.text(id), control=True)
            return (*self.finish(), mark)
        tokens = self._tokenizer
        spelled = tokens.first_bytes(id) if self._fresh else tokens.token_bytes(id)
        self._fresh = False
        return self._pieces(self._decoder.decode(spelled))

    def finish(self) -> Sequence[Piece]:
        """What the bytes still waiting are worth: one U+FFFD, or nothing."""
        text = self._decoder.decode(b"", final=True)
        self._decoder.reset()
        return self._pieces(text)

    def _pieces(self, text: str) -> Sequence[Piece]:
        while self._strip and text:
            taken = text[0] == " "
            self._strip = self._strip - 1 if taken else 0
            text = text[taken:]
        return (Piece(text),) if text else ()
