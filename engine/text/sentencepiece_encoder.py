"""SentencePiece's BPE over scores, as GGUF files carry it: pieces and scores, no merges.

The best-scored pair of neighbours that is itself a piece is joined, again and again; ties go to the
left (Kudo 2018, ``bpe_model.cc``; llama.cpp does the same). Characters that no piece holds become
byte pieces.

Turning scores into a merge list for the ``tokenizers`` library costs 3 to 5 seconds at every load
of a 262,144 piece vocabulary; encoding straight from the scores costs nothing at load. Words are
remembered, so that running text is encoded at about a megabyte a second.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from heapq import heapify, heappop, heappush

from engine.text.token_bytes import SPACE

_WORDS = re.compile(f"{SPACE}*[^{SPACE}]+|{SPACE}+")
_INNER_SPACE = re.compile(f"[^{SPACE}]{SPACE}")


class SentencePieceEncoder:
    """Encodes text with scored pieces.

    Args:
        pieces: normal pieces and their ids.
        scores: the score of every id.
        bytes_: ids of the 256 byte pieces in order, or empty.
        unknown: the id for what cannot be spelled otherwise.
        literals: user-defined pieces, which are taken whole wherever they stand; spaces in them
            are written as low lines.
        space_first: whether a space is put before every text (SentencePiece's dummy prefix).
    """

    def __init__(
        self,
        pieces: Mapping[str, int],
        scores: Sequence[float],
        bytes_: Sequence[int],
        unknown: int | None,
        literals: Mapping[str, int],
        *,
        space_first: bool,
    ) -> None:
        self._pieces = pieces
        self._scores = scores
        self._bytes = bytes_
        self._unknown = unknown
        self._literals = literals
        self._space_first = space_first
        self._literal = _any_of(literals)
        crosses = any(_INNER_SPACE.search(piece) for piece in pieces if SPACE in piece)
        self._words = None if crosses else _WORDS
        self._word = lru_cache(maxsize=65_536)(self._encode_word)

    def encode(self, text: str, *, starts: bool) -> list[int]:
        """Ids of ``text``, the dummy space before it if there is one."""
        del starts  # llama.cpp puts the space after each control token, not only at the start
        text = (f" {text}" if self._space_first else text).replace(" ", SPACE)
        ids: list[int] = []
        position = 0
        for match in self._literal.finditer(text) if self._literal else ():
            ids += self._encode_plain(text[position : match.start()])
            ids.append(self._literals[match[0]])
            position = match.end()
        return ids + self._encode_plain(text[position:])

    def _encode_plain(self, text: str) -> list[int]:
        words = [text] if self._words is None else self._words.findall(text)
        return [id for word in words for id in self._word(word)]

    def _encode_word(self, word: str) -> tuple[int, ...]:
        whole = self._pieces.get(word)
        if whole is not None and len(word) < 3:
            return (whole,)
        return tuple(id for symbol in self._join(word) for id in self._ids(symbol))

    def _join(self, word: str) -> list[str]:
        """The pieces of ``word``: characters joined pair by pair, the best score first."""
        symbols = list(word)
        following = list(range(1, len(symbols) + 1))
        before = list(range(-1, len(symbols) - 1))
        heap = [
            entry
            for left in range(len(symbols) - 1)
            if (entry := self._candidate(symbols, left, left + 1))
        ]
        heapify(heap)
        while heap:
            _, left, right, length = heappop(heap)
            if not (symbols[left] and symbols[right]):
                continue  # one of the two was joined with another neighbour meanwhile
            if len(symbols[left]) + len(symbols[right]) != length:
                continue
            symbols[left] += symbols[right]
            symbols[right] = ""
            following[left] = after = following[right]
            if after < len(symbols):
                before[after] = left
                self._push(heap, symbols, left, after)
            if before[left] >= 0:
                self._push(heap, symbols, before[left], left)
        return [symbol for symbol in symbols if symbol]

    def _push(
        self, heap: list[tuple[float, int, int, int]], symbols: list[str], left: int, right: int
    ) -> None:
        if entry := self._candidate(symbols, left, right):
            heappush(heap, entry)

    def _candidate(
        self, symbols: list[str], left: int, right: int
    ) -> tuple[float, int, int, int] | None:
        """(minus the score, left, right, length of both) if the two make a piece."""
        joined = symbols[left] + symbols[right]
        id = self._pieces.get(joined)
        return None if id is None else (-self._scores[id], left, right, len(joined))

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
