"""A tokenizer from a hub folder's files: ``tokenizer.json``, or what older folders have instead."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tokenizers
from tokenizers import AddedToken, decoders, models, pre_tokenizers

from engine.contract import EngineError, FaultKind
from engine.text.control_tokens import ControlToken, ControlTokens, is_marker
from engine.text.hub_encoder import HubEncoder
from engine.text.scored_vocabulary import ScoredVocabulary, TokenType, control_tokens
from engine.text.sentencepiece_file import BPE, SentencePieceFile, read_sentencepiece
from engine.text.token_bytes import rule_of_decoder, sentencepiece_rule
from engine.text.tokenizer import Frame, Tokenizer
from engine.text.unigram import hide_control


def hub_tokenizer(folder: Path, settings: Mapping[str, Any], names: Mapping[str, str]) -> Tokenizer:
    """The tokenizer of a folder.

    Args:
        folder: where the files are.
        settings: the content of ``tokenizer_config.json``.
        names: special tokens by name.

    Raises:
        EngineError: TOKENIZER_MISSING, TOKENIZER_INVALID.
    """
    if (file := folder / "tokenizer.json").is_file():
        return _from_backend(file, _read_backend(file), settings, names)
    if (file := folder / "tokenizer.model").is_file():
        return _from_sentencepiece(read_sentencepiece(file), settings, names)
    if (folder / "vocab.json").is_file() and (folder / "merges.txt").is_file():
        return _from_backend(folder / "vocab.json", _read_gpt2(folder), settings, names)
    raise EngineError(FaultKind.TOKENIZER_MISSING, path=str(folder))


def _read_backend(file: Path) -> tokenizers.Tokenizer:
    try:
        return tokenizers.Tokenizer.from_file(str(file))
    except Exception as error:  # the library raises no other type
        raise _invalid(file, error) from error


def _read_gpt2(folder: Path) -> tokenizers.Tokenizer:
    """GPT-2's two files: a vocabulary and its merges."""
    try:
        model = models.BPE.from_file(str(folder / "vocab.json"), str(folder / "merges.txt"))
    except Exception as error:  # the library raises no other type
        raise _invalid(folder / "vocab.json", error) from error
    backend = tokenizers.Tokenizer(model)
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    return backend


def _from_backend(
    file: Path,
    backend: tokenizers.Tokenizer,
    settings: Mapping[str, Any],
    names: Mapping[str, str],
) -> Tokenizer:
    """A tokenizer around the library's."""
    known = backend.get_added_tokens_decoder()
    backend.add_tokens([token for id, token in _declared(settings) if id not in known])
    added = backend.get_added_tokens_decoder()
    control = _control(added, backend, names)
    frame = _frame(backend, settings, names)
    string, id_of = backend.id_to_token, backend.token_to_id
    size = max((backend.get_vocab_size(with_added_tokens=False) - 1, *added), default=0) + 1
    decoder = None if backend.decoder is None else json.loads(backend.decoder.__getstate__())
    encoding = backend
    if isinstance(backend.model, models.Unigram):
        encoding = hide_control(backend, control)
    else:
        marks = [token for id, token in added.items() if id in control and not token.special]
        backend.add_special_tokens(marks)
    try:
        rule = rule_of_decoder(decoder)
    except EngineError as error:
        raise _invalid(file, error.fault.figures["detail"]) from error
    return Tokenizer(
        size=size,
        control=control,
        rule=rule,
        frame=frame,
        _encoder=HubEncoder(encoding),
        _string=string,
        _id=id_of,
    )


def _control(
    added: Mapping[int, AddedToken], backend: tokenizers.Tokenizer, names: Mapping[str, str]
) -> ControlTokens:
    """Special tokens, marks of a conversation's form, and what the configuration names."""
    tokens = {
        id: ControlToken(id, token.content, token.lstrip, token.rstrip)
        for id, token in added.items()
        if token.special or is_marker(token.content)
    }
    for text in names.values():
        id = backend.token_to_id(text)
        if id is not None and id not in tokens:
            tokens[id] = ControlToken(id, text)
    return ControlTokens(tokens.values())


def _frame(
    backend: tokenizers.Tokenizer, settings: Mapping[str, Any], names: Mapping[str, str]
) -> Frame:
    """What the tokenizer puts around a text: as the configuration says, else as it does."""
    around = backend.encode("", add_special_tokens=True).ids
    bos = backend.token_to_id(names["bos_token"]) if "bos_token" in names else None
    eos = backend.token_to_id(names["eos_token"]) if "eos_token" in names else None
    if bos is None and around and around[0] != eos:
        bos = around[0]
    adds_bos = settings.get("add_bos_token", bool(around) and around[0] == bos)
    adds_eos = settings.get("add_eos_token", bool(around) and around[-1] == eos)
    return Frame(bos, bool(adds_bos), (eos,) if adds_eos and eos is not None else ())


def _from_sentencepiece(
    pieces: SentencePieceFile, settings: Mapping[str, Any], names: Mapping[str, str]
) -> Tokenizer:
    """A tokenizer around SentencePiece's file, added tokens from the configuration."""
    texts, scores, types = list(pieces.texts), list(pieces.scores), list(pieces.types)
    for id, token in _declared(settings):
        if id == len(texts):
            texts.append(token.content)
            scores.append(0.0)
            types.append(TokenType.CONTROL if token.special else TokenType.USER_DEFINED)
    by_text = {text: id for id, text in enumerate(texts)}
    named = {by_text[text] for text in names.values() if text in by_text}
    control = control_tokens(texts, types, named)
    scored = ScoredVocabulary(texts, scores, types, control, pieces.space_first, pieces.charsmap)
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


def _declared(settings: Mapping[str, Any]) -> list[tuple[int, AddedToken]]:
    """The tokens that ``tokenizer_config.json`` declares, by id."""
    entries = settings.get("added_tokens_decoder")
    declared: list[tuple[int, AddedToken]] = []
    for key, entry in entries.items() if isinstance(entries, Mapping) else ():
        content = entry.get("content") if isinstance(entry, Mapping) else None
        if isinstance(content, str) and content and str(key).isdecimal():
            special = bool(entry.get("special"))
            token = AddedToken(content, normalized=False, special=special)
            declared.append((int(key), token))
    return sorted(declared, key=lambda pair: pair[0])


def _invalid(file: Path, detail: object) -> EngineError:
    return EngineError(FaultKind.TOKENIZER_INVALID, path=str(file), detail=str(detail))
