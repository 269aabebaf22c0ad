"""Added tokens: what a tokenizer's files declare beside its vocabulary."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tokenizers import AddedToken

from engine.text.control_tokens import ControlToken, ControlTokens, is_marker


def listed_tokens(spec: Mapping[str, Any]) -> list[tuple[int, AddedToken]]:
    """The ``added_tokens`` of a ``tokenizer.json``, by id."""
    entries = spec.get("added_tokens")
    found = [
        (entry["id"], _token(entry, normalized=bool(entry.get("normalized"))))
        for entry in (entries if isinstance(entries, list) else ())
        if isinstance(entry, Mapping) and _is_token(entry.get("id"), entry)
    ]
    return sorted(found, key=lambda pair: pair[0])


def declared_tokens(settings: Mapping[str, Any]) -> list[tuple[int, AddedToken]]:
    """The ``added_tokens_decoder`` of a ``tokenizer_config.json``, by id."""
    entries = settings.get("added_tokens_decoder")
    found = [
        (int(key), _token(entry, normalized=False))
        for key, entry in (entries.items() if isinstance(entries, Mapping) else ())
        if str(key).isdecimal() and isinstance(entry, Mapping) and _is_token(int(key), entry)
    ]
    return sorted(found, key=lambda pair: pair[0])


def added_control(
    added: Mapping[int, AddedToken], ids: Mapping[str, int], names: Mapping[str, str]
) -> ControlTokens:
    """Special tokens, marks of a conversation's form, and what the configuration names."""
    tokens = {
        id: ControlToken(id, token.content, token.lstrip, token.rstrip)
        for id, token in added.items()
        if token.special or is_marker(token.content)
    }
    for text in names.values():
        if text in ids and ids[text] not in tokens:
            tokens[ids[text]] = ControlToken(ids[text], text)
    return ControlTokens(tokens.values())


def _is_token(id: Any, entry: Mapping[str, Any]) -> bool:
    content = entry.get("content")
    return isinstance(id, int) and id >= 0 and isinstance(content, str) and content != ""


def _token(entry: Mapping[str, Any], *, normalized: bool) -> AddedToken:
    return AddedToken(
        entry["content"],
        normalized=normalized,
        special=bool(entry.get("special")),
        lstrip=bool(entry.get("lstrip")),
        rstrip=bool(entry.get("rstrip")),
        single_word=bool(entry.get("single_word")),
    )
