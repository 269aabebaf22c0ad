"""A tokenizer from SentencePiece's own file, added tokens from the configuration beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.text.added_tokens import declared_tokens
from engine.text.scored_vocabulary import ScoredVocabulary, TokenType, control_tokens
from engine.text.sentencepiece_file import BPE, SentencePieceFile
from engine.text.token_bytes import sentencepiece_rule
from engine.text.tokenizer import Frame, Tokenizer


def sentencepiece_tokenizer(
    pieces: SentencePieceFile, settings: Mapping[str, Any], names: Mapping[str, str]
) -> Tokenizer:
    """A tokenizer around SentencePiece's file.

    Args:
        pieces: the file's content.
        settings: the content of ``tokenizer_config.json``, which declares added tokens.
        names: special tokens by name.
    """
    texts, scores, types = list(pieces.texts), list(pieces.scores), list(pieces.types)
    for id, token in declared_tokens(settings):
        if id == len(texts):
            texts.append(token.content)
            scores.append(0.0)
            types.append(TokenType.CONTROL if token.special else TokenType.USER_DEFINED)
    by_text = {text: id for id, text in enumerate(texts)}
    named = {by_text[text] for text in names.values() if text in by_text}
    control = control_tokens(texts, types, named)
    scored = ScoredVocabulary(
        texts, by_text, scores, types, control, pieces.space_first, pieces.charsmap
    )
    bos, eos = (by_text.get(names.get(name, "")) for name in ("bos_token", "eos_token"))
    adds_bos = bool(settings.get("add_bos_token", pieces.model == BPE)) and bos is not None
    adds_eos = bool(settings.get("add_eos_token", pieces.model != BPE)) and eos is not None
    return Tokenizer(
        size=len(texts),
        control=control,
        rule=sentencepiece_rule(strip_start=pieces.space_first),
        frame=Frame(bos, adds_bos, (eos,) if adds_eos and eos is not None else ()),
        _encoder=scored.bpe() if pieces.model == BPE else scored.unigram(),
        _string=lambda id: texts[id] if 0 <= id < len(texts) else None,
        _id=by_text.get,
    )
