"""A conversation that fits the context: whole turns from its beginning are left out, and counted.

Never the system prompt, never the last question, never silently. How much is left out grows in
steps of a quarter of the context instead of turn by turn: as long as the cut stays where it is, the
next question still finds the conversation in the cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from engine.contract import (
    EngineError,
    FaultKind,
    Generate,
    Message,
    Notice,
    NoticeKind,
    Role,
)
from engine.loaded import Text
from engine.text.model_text import Prompt

_LEAST_ROOM = 16
"""Tokens that a reply needs at least to be worth starting."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """A prompt that fits, and what it cost.

    Attributes:
        prompt: through the chat template.
        left_out_turns: whole turns (a question with its replies) that were left out.
        left_out_tokens: tokens that they took.
        notices: the prompt's, and what was left out.
    """

    prompt: Prompt
    left_out_turns: int = 0
    left_out_tokens: int = 0
    notices: tuple[Notice, ...] = ()


def fit_conversation(command: Generate, text: Text, context: int) -> Fitted:
    """Make a prompt of at most ``context`` tokens with room for a reply.

    Raises:
        EngineError: PROMPT_EMPTY; PROMPT_TOO_LONG with the tokens of what cannot be left out.
    """
    if not command.messages:
        raise EngineError(FaultKind.PROMPT_EMPTY)
    whole = _prompt(command, text, command.messages)
    wanted = command.settings.max_tokens or context
    room = max(min(wanted, context // 8), _LEAST_ROOM)
    if len(whole.ids) + room <= context:
        return Fitted(whole, notices=tuple(whole.notices))
    kept = whole
    for messages, turns in _shortened(command.messages, text, context):
        kept = _prompt(command, text, messages)
        if len(kept.ids) + room <= context:
            return _fitted(whole, kept, turns)
    if len(kept.ids) + _LEAST_ROOM > context:
        raise EngineError(FaultKind.PROMPT_TOO_LONG, tokens=len(kept.ids), context=context)
    return _fitted(whole, kept, max(len(_turn_starts(command.messages)) - 1, 0))


def _fitted(whole: Prompt, kept: Prompt, turns: int) -> Fitted:
    if turns == 0:
        return Fitted(kept, notices=tuple(kept.notices))
    tokens = len(whole.ids) - len(kept.ids)
    notice = Notice(NoticeKind.TURNS_LEFT_OUT, {"turns": turns, "tokens": tokens})
    return Fitted(kept, turns, tokens, (*kept.notices, notice))


def _prompt(command: Generate, text: Text, messages: Sequence[Message]) -> Prompt:
    return text.prompt(
        messages,
        thinking=command.thinking,
        tools=command.tools,
        continue_reply=command.continue_reply,
    )


def _turn_starts(messages: Sequence[Message]) -> list[int]:
    """Where turns begin: at each question. What stands before the first one is never left out."""
    return [index for index, message in enumerate(messages) if message.role is Role.USER]


def _shortened(
    messages: Sequence[Message], text: Text, context: int
) -> list[tuple[tuple[Message, ...], int]]:
    """Ever shorter conversations, each with the number of turns that it leaves out."""
    starts = _turn_starts(messages)
    shorter: list[tuple[tuple[Message, ...], int]] = []
    tokens, left_out = 0, 0
    for turn, (start, end) in enumerate(pairwise(starts), 1):
        tokens += sum(_size(message, text) for message in messages[start:end])
        is_last = turn == len(starts) - 1
        if tokens >= (left_out + 1) * context // 4 or is_last:
            left_out = tokens * 4 // context
            shorter.append(((*messages[: starts[0]], *messages[end:]), turn))
    return shorter


def _size(message: Message, text: Text) -> int:
    """Tokens of a message, near enough to choose where to cut."""
    return len(message.ids) or len(text.tokenizer.encode(message.content))
