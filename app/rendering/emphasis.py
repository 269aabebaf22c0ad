"""Emphasis that works beside Chinese, Japanese and Korean text.

CommonMark decides whether ``**`` opens or closes by the spaces and punctuation around it. Languages
without spaces lose: in ``**真。**她`` the closing stars follow punctuation and precede a letter,
so they may not close, and the stars stay on the page. Here a wide character beside the stars
counts as what a space is to an English writer, and wide punctuation counts as a letter, which is
the whole change; text without such characters is read exactly as CommonMark says.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.common.utils import isMdAsciiPunct, isPunctChar, isWhiteSpace
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_inline.state_inline import Scanned, StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType


@lru_cache(maxsize=4096)
def is_wide(char: str) -> bool:
    """Tell whether a character belongs to CJK text: an ideograph, kana, hangul, their marks."""
    if ord(char) < 0x1100:
        return False
    if unicodedata.category(char) == "So" and ord(char) >= 0x1F000:
        return False  # emoji are as wide, and stand in any text
    return unicodedata.east_asian_width(char) in "WFH"


class Delimiters(StateInline):
    """A paragraph's inline state, with one rule changed."""

    def scanDelims(self, start: int, canSplitWord: bool) -> Scanned:
        """Tell what a run of markers may do, as CommonMark's flanking rules with wide letters."""
        marker = self.src[start]
        end = start
        while end < self.posMax and self.src[end] == marker:
            end += 1
        before = self.src[start - 1] if start > 0 else " "
        after = self.src[end] if end < self.posMax else " "
        left = _flanks(inner=after, outer=before)
        right = _flanks(inner=before, outer=after)
        return Scanned(
            left and (canSplitWord or not right or _is_punctuation(before)),
            right and (canSplitWord or not left or _is_punctuation(after)),
            end - start,
        )


def _flanks(*, inner: str, outer: str) -> bool:
    """Tell whether markers may stand at the edge of text that begins with ``inner``."""
    if isWhiteSpace(ord(inner)):
        return False
    if is_wide(inner) or not _is_punctuation(inner):
        return True
    return isWhiteSpace(ord(outer)) or is_wide(outer) or _is_punctuation(outer)


def _is_punctuation(char: str) -> bool:
    return isMdAsciiPunct(ord(char)) or isPunctChar(char)


class InlineParser(ParserInline):
    """markdown-it's inline parser, working on our state."""

    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        """Process a paragraph's text into tokens."""
        state = Delimiters(src, md, env, tokens)
        self.tokenize(state)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens
