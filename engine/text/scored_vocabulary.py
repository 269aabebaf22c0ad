"""A vocabulary as a list of pieces with scores and types, the form of SentencePiece and of GGUF.

From it come the control tokens and, for BPE and for Unigram, the encoder.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from enum import IntEnum

import tokenizers
from tokenizers import AddedToken, normalizers, pre_tokenizers

from engine.text.control_tokens import ControlToken, ControlTokens, is_marker
from engine.text.hub_encoder import HubEncoder
from engine.text.sentencepiece_encoder import Lead, SentencePieceEncoder, merge_rank, score_rank
from engine.text.text_index import Lookup, TextIndex
from engine.text.token_bytes import SPACE
from engine.text.unigram import unigram_model

_TEXT_ENDS = frozenset({"<unk>", "<s>", "<|endoftext|>"})


class TokenType(IntEnum):
    """What a piece is (``sentencepiece_model.proto``; GGUF's ``token_type`` has the same)."""

    NORMAL = 1
    UNKNOWN = 2
    CONTROL = 3
    USER_DEFINED = 4
    UNUSED = 5
    BYTE = 6


def control_tokens(
    texts: Sequence[str],
    types: Sequence[int],
    named: Container[int | None],
    *,
    strips_right: bool = False,
) -> ControlTokens:
    """The control tokens among pieces.

    Args:
        texts: each piece's text.
        types: each piece's ``TokenType``.
        named: ids that the configuration gives a role (BOS, EOS), whatever their type.
        strips_right: whether control tokens take white space after them along; those that begin
            or end a whole text never do.
    """
    return ControlTokens(
        ControlToken(id, texts[id], strips_right=strips_right and texts[id] not in _TEXT_ENDS)
        for id, kind in enumerate(types)
        if kind == TokenType.CONTROL
        or id in named
        or (kind == TokenType.USER_DEFINED and is_marker(texts[id]))
    )


@dataclass(frozen=True, slots=True)
class ScoredVocabulary:
    """Pieces with scores.

    Attributes:
        texts, scores, types: of each piece.
        ids: the number of each text.
        control: its control tokens.
        space_first: whether a space is put before every text.
        charsmap: SentencePiece's compiled normalization, or empty.
    """

    texts: Sequence[str]
    ids: Lookup
    scores: Sequence[float]
    types: Sequence[int]
    control: ControlTokens
    space_first: bool
    charsmap: bytes = b""

    def bpe(self, merges: Sequence[str] = ()) -> SentencePieceEncoder:
        """An encoder that joins the best-scored pairs, or the first of ``merges`` if there are."""
        normal = (id for id, kind in enumerate(self.types) if kind == TokenType.NORMAL)
        pieces = TextIndex(self.texts, normal)
        literals = {self.texts[id].replace(" ", SPACE): id for id in self._literals()}
        spelled = (self.ids.get(f"<0x{byte:02X}>") for byte in range(256))
        bytes_ = [id for id in spelled if id is not None]
        return SentencePieceEncoder(
            pieces,
            merge_rank(merges) if merges else score_rank(pieces, self.scores),
            bytes_ if len(bytes_) == 256 else (),
            self._unknown(),
            literals,
            lead=Lead.SPACE if self.space_first else Lead.NONE,
        )

    def unigram(self) -> HubEncoder:
        """An encoder that finds the best path through all pieces (Kudo 2018)."""
        has_bytes = any(kind == TokenType.BYTE for kind in self.types)
        pieces = list(zip(self.texts, self.scores, strict=True))
        model = unigram_model(pieces, self.control, self._unknown(), byte_fallback=has_bytes)
        backend = tokenizers.Tokenizer(model)
        if self.charsmap:
            backend.normalizer = normalizers.Precompiled(self.charsmap)
        scheme = "always" if self.space_first else "never"
        backend.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme=scheme)
        literals = [AddedToken(self.texts[id], normalized=False) for id in self._literals()]
        backend.add_tokens(literals)
        return HubEncoder(backend)

    def _literals(self) -> list[int]:
        """User-defined pieces: text that is taken whole wherever it stands."""
        return [
            id
            for id, kind in enumerate(self.types)
            if kind == TokenType.USER_DEFINED and self.texts[id] and id not in self.control
        ]

    def _unknown(self) -> int | None:
        return next((id for id, kind in enumerate(self.types) if kind == TokenType.UNKNOWN), None)
