"""Byte-level BPE (GPT-2's, and most since): a text is cut into words, their bytes are merged.

The cutting is the ``tokenizers`` library's, whose regular expressions the vocabularies were made
with; it is called so that other threads of the process run meanwhile.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

import tokenizers
from tokenizers import AddedToken, models, pre_tokenizers

from engine.text.pair_merging import merge_pairs
from engine.text.text_index import Lookup
from engine.text.token_bytes import BYTE_ALPHABET

_SPELLING = [character for character, _ in sorted(BYTE_ALPHABET.items(), key=lambda pair: pair[1])]
_WORD = 0  # the id that the cutter gives to a word; literals follow


class ByteLevelEncoder:
    """Encodes text with a byte-level vocabulary.

    Args:
        ids: every token's string, in the byte alphabet, and its id.
        whole: tokens that a word may be without any merge.
        ranks: ``"left right"`` of each merge and its rank.
        cutter: what cuts a text into words.
        literals: added tokens that are text, and their ids; taken whole wherever they stand.
        composes: whether text is first brought into Unicode's composed form (NFC).
    """

    def __init__(
        self,
        ids: Lookup,
        whole: Lookup,
        ranks: Lookup,
        cutter: pre_tokenizers.PreTokenizer | None,
        literals: Sequence[tuple[AddedToken, int]] = (),
        *,
        composes: bool = False,
    ) -> None:
        self._ids = ids
        self._whole = whole
        self._ranks = ranks
        self._composes = composes
        self._cutter = tokenizers.Tokenizer(models.WordLevel({"?": _WORD}, unk_token="?"))
        if cutter is not None:
            self._cutter.pre_tokenizer = cutter
        self._cutter.add_tokens([token for token, _ in literals])
        places = (self._cutter.token_to_id(token.content) for token, _ in literals)
        self._literals = dict(zip(places, (id for _, id in literals), strict=True))
        self._word = lru_cache(maxsize=65_536)(self._encode_word)

    def encode(self, text: str, *, starts: bool) -> list[int]:
        """Ids of ``text``; it makes no difference where it stands."""
        del starts
        if self._composes:
            text = unicodedata.normalize("NFC", text)
        # the batch call is the one that lets other threads run
        cuts = self._cutter.encode_batch([text], add_special_tokens=False)[0]
        ids: list[int] = []
        for kind, (start, end) in zip(cuts.ids, cuts.offsets, strict=True):
            if kind == _WORD:
                ids += self._word(text[start:end])
            else:
                ids.append(self._literals[kind])
        return ids

    def _encode_word(self, word: str) -> tuple[int, ...]:
        symbols = [_SPELLING[byte] for byte in word.encode()]
        whole = self._whole.get("".join(symbols))
        if whole is not None:
            return (whole,)
        merged = merge_pairs(symbols, self._rank)
        # some vocabularies leave out bytes that no text has
        return tuple(id for symbol in merged if (id := self._ids.get(symbol)) is not None)

    def _rank(self, left: str, right: str) -> int | None:
        return self._ranks.get(f"{left} {right}")
