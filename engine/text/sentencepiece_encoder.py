"""SentencePiece's BPE: text itself is merged, spaces written as low lines, bytes as a last resort.

With scores (GGUF files, ``tokenizer.model``), the best-scored pair of neighbours that is itself a
piece is joined, again and again, ties to the left (``bpe_model.cc``; llama.cpp does the same); with
merges (``tokenizer.json``) the first of them. Characters that no piece holds become byte pieces.

Turning scores into merges for the ``tokenizers`` library costs 3 to 5 seconds at every load of a
262,144 piece vocabulary; encoding straight from the scores costs nothing at load. Words are
remembered, so that running text is encoded at about a megabyte a second.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from functools import lru_cache

from engine.text.pair_merging import Rank, merge_pairs
from engine.text.text_index import Lookup, TextIndex
from engine.text.token_bytes import SPACE

_WORDS = re.compile(f"{SPACE}*[^{SPACE}]+|{SPACE}+")
_INNER_SPACE = re.compile(f"[^{SPACE}]{SPACE}")


class Lead(Enum):
    """What is put before a stretch of text."""

    NONE = "none"
    SPACE = "space"  # always: SentencePiece's own rule
    SPACE_IF_NONE = "space_if_none"  # unless it begins with one: Metaspace's ``always``
    SPACE_AT_START = "space_at_start"  # the same, only where the model begins to read


class SentencePieceEncoder:
    """Encodes text with pieces.

    Args:
        pieces: normal pieces and their ids.
        rank: which two neighbours are joined first.
        bytes_: ids of the 256 byte pieces in order, or empty.
        unknown: the id for what cannot be spelled otherwise.
        literals: user-defined pieces, which are taken whole wherever they stand.
        lead: what is put before a text.
        literals_are_raw: whether literals are looked for before spaces become low lines; then what
            follows one begins a stretch of text.
    """

    def __init__(
        self,
        pieces: Lookup,
        rank: Rank,
        bytes_: Sequence[int],
        unknown: int | None,
        literals: Mapping[str, int],
        *,
        lead: Lead,
        literals_are_raw: bool = False,
    ) -> None:
        self._pieces = pieces
        self._rank = rank
        self._bytes = bytes_
        self._unknown = unknown
        self._literals = literals
        self._lead = lead
        self._literals_are_raw = literals_are_raw
        self._literal = _any_of(literals)
        crosses = any(_INNER_SPACE.search(piece) for piece in pieces if SPACE in piece)
        self._words = None if crosses else _WORDS
        self._word = lru_cache(maxsize=65_536)(self._encode_word)

    def encode(self, text: str, *, starts: bool) -> list[int]:
        """Ids of ``text``, what leads it included."""
        if not self._literals_are_raw:
            text = self._led(text, starts=starts)
        ids: list[int] = []
        position = 0
        for match in self._literal.finditer(text) if self._literal else ():
            ids += self._stretch(text[position : match.start()], starts=starts and position == 0)
            ids.append(self._literals[match[0]])
            position = match.end()
        return ids + self._stretch(text[position:], starts=starts and position == 0)

    def _stretch(self, text: str, *, starts: bool) -> list[int]:
        """Ids of text between literals."""
        if not text:
            return []
        return self._encode_plain(
            self._led(text, starts=starts) if self._literals_are_raw else text
        )

    def _led(self, text: str, *, starts: bool) -> str:
        """Text with low lines for spaces, what leads it included."""
        text = text.replace(" ", SPACE)
        has_space = text.startswith(SPACE)
        match self._lead:
            case Lead.SPACE:
                return SPACE + text
            case Lead.SPACE_IF_NONE if not has_space:
                return SPACE + text
            case Lead.SPACE_AT_START if starts and not has_space:
                return SPACE + text
            case _:
                return text

    def _encode_plain(self, text: str) -> list[int]:
        words = [text] if self._words is None else self._words.findall(text)
        return [id for word in words for id in self._word(word)]

    def _encode_word(self, word: str) -> tuple[int, ...]:
        return tuple(
            id for symbol in merge_pairs(list(word), self._rank) for id in self._ids(symbol)
        )

    def _ids(self, symbol: str) -> Iterable[int]:
        id = self._pieces.get(symbol)
        if id is not None:
            return (id,)
        if self._bytes:
            return (self._bytes[byte] for byte in symbol.encode("utf-8", "replace"))
        return () if self._unknown is None else (self._unknown,)


def _any_of(texts: Iterable[str]) -> re.Pattern[str] | None:
    """A pattern for the longest of ``texts`` at each place; None without any."""
    every = "|".join(map(re.escape, sorted(texts, key=len, reverse=True)))
    return re.compile(every) if every else None


def score_rank(pieces: Lookup, scores: Sequence[float]) -> Rank:
    """The rank by scores: two neighbours that make a piece, the best score first."""

    def rank(left: str, right: str) -> float | None:
        id = pieces.get(left + right)
        return None if id is None else -scores[id]

    return rank


def merge_rank(merges: Sequence[str]) -> Rank:
    """The rank by a list of merges, each ``"left right"``."""
    ranks = TextIndex(merges)
    return lambda left, right: ranks.get(f"{left} {right}")
