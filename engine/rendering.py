"""A prompt to be looked at: what a template makes of a conversation, and what the model reads."""

from __future__ import annotations

import re

from engine.contract import CountTokens, PromptRendered, RenderPrompt
from engine.loaded import Text

_MARKS = re.compile(r"<\|[^<>|\s]{1,40}\|>|<[a-z][a-z0-9_]{2,40}>|\[/?[A-Z]{3,20}\]")
_MOST = 20_000  # characters of a prompt that are shown


def counted(text: Text, command: CountTokens) -> int:
    """Count the tokens of a conversation as the prompt that a chat would make of it.

    Raises:
        EngineError: TEMPLATE_INVALID, TEMPLATE_REFUSED.
    """
    if not command.messages:
        return 0
    variant = text.with_template(command.template)
    return len(variant.prompt(command.messages, thinking=command.thinking).ids)


def rendered(text: Text, command: RenderPrompt) -> PromptRendered:
    """Make a prompt with a template.

    Raises:
        EngineError: TEMPLATE_INVALID, TEMPLATE_REFUSED, PROMPT_EMPTY.
    """
    variant = text.with_template(command.template)
    ids = variant.prompt(command.messages, thinking=command.thinking).ids
    tokens = variant.tokenizer
    pieces = b"".join(tokens.token_bytes(id) for id in ids)
    shown = pieces.decode("utf-8", "replace")
    known = {
        tokens.token_bytes(id).decode("utf-8", "replace") for id in ids if tokens.is_control(id)
    }
    marks = dict.fromkeys(_MARKS.findall(command.template))
    unknown = tuple(mark for mark in marks if mark in shown and mark not in known)
    return PromptRendered(command.request, shown[:_MOST], len(ids), unknown)
