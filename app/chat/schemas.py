"""Whether a chat's JSON schema is one that answers can be held to."""

from __future__ import annotations

import json


def schema_fault(text: str) -> str | None:
    """What keeps a text from being a schema; None if nothing does.

    Args:
        text: of a schema; empty is none, and right.

    Returns:
        The words of the library that holds answers to it, or "" for what is no JSON object.
    """
    if not text:
        return None
    try:
        if not isinstance(json.loads(text), dict):
            return ""
    except (ValueError, RecursionError):
        return ""
    # a compiled module that few chats need, so not at the window's start
    from llguidance import LLMatcher  # noqa: PLC0415

    said = LLMatcher.validate_grammar(LLMatcher.grammar_from_json_schema(text), None)
    return said.strip().splitlines()[0] if said.strip() else None
