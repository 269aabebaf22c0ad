"""One choice as it grows: text, reasoning, calls and log-probabilities from the engine's deltas."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass, field
from typing import Any

from engine.contract import Channel, Finished, FinishReason, TextDelta, TokenChoice, ToolCall


@dataclass(slots=True)
class Gathered:
    """What a choice has said so far.

    Attributes:
        must_call: the whole answer is the JSON of one call, and is none of its text.
    """

    must_call: bool = False
    answer: str = ""
    reasoning: str = ""
    calls: list[ToolCall] = field(default_factory=list)
    tokens: list[TokenChoice] = field(default_factory=list)
    end: Finished | None = None
    _line: str = ""
    _forced: str = ""

    def take(self, delta: TextDelta) -> tuple[str, str, list[ToolCall]]:
        """Take a delta; what of answer, reasoning and calls is new with it."""
        match delta.channel:
            case Channel.REASONING:
                self.reasoning += delta.text
                return "", delta.text, []
            case Channel.TOOL_CALL:
                return "", "", self._take_line(delta.text)
            case Channel.ANSWER:
                if self.must_call:
                    self._forced += delta.text
                    return "", "", []
                self.answer += delta.text
                self.tokens += delta.tokens
                return delta.text, "", []

    def finish(self, end: Finished) -> list[ToolCall]:
        """Take the end; the call that the whole answer was, if it was one."""
        self.end = end
        if not self._forced.strip():
            return []
        try:
            return [self._add(json.loads(self._forced))]
        except (ValueError, KeyError, TypeError):  # cut short: its text is all there is
            self.answer += self._forced
            return []

    @property
    def finish_reason(self) -> str:
        """Why it ended, in OpenAI's words."""
        if self.end and self.end.reason in {FinishReason.LENGTH, FinishReason.CONTEXT_FULL}:
            return "length"
        if self.end and self.end.reason is FinishReason.CONTENT_FILTER:
            return "content_filter"
        return "tool_calls" if self.calls else "stop"

    def _take_line(self, text: str) -> list[ToolCall]:
        *lines, self._line = (self._line + text).split("\n")
        return [self._add(json.loads(line)) for line in lines if line]

    def _add(self, value: Any) -> ToolCall:
        arguments = json.dumps(value["arguments"], ensure_ascii=False)
        call = ToolCall(str(value["name"]), arguments, new_id("call_"))
        self.calls.append(call)
        return call


def new_id(prefix: str) -> str:
    """An identifier that no other answer has."""
    return prefix + secrets.token_hex(12)


def token_json(token: TokenChoice) -> dict[str, Any]:
    """A token with its log-probability and alternatives, as the chat interface has it."""
    alternatives = [_odds(*each[1:]) for each in token.alternatives]
    return _odds(token.text, token.logprob, token.raw) | {"top_logprobs": alternatives}


def usage_json(ends: list[Finished], prompts: int = 1) -> dict[str, Any]:
    """Token counts of all choices; a prompt counts once, however many answers it has.

    Args:
        ends: of the choices, in order.
        prompts: how many prompts they answer, each with as many choices.
    """
    each = max(len(ends) // prompts, 1)
    read = sum(end.usage.prompt_tokens for end in ends[::each])
    written = sum(end.usage.generated_tokens for end in ends)
    return {
        "prompt_tokens": read,
        "completion_tokens": written,
        "total_tokens": read + written,
        "prompt_tokens_details": {
            "cached_tokens": sum(end.usage.reused_tokens for end in ends[::each])
        },
        "completion_tokens_details": {
            "reasoning_tokens": sum(end.usage.reasoning_tokens for end in ends)
        },
    }


def _odds(text: str, logprob: float, raw: bytes) -> dict[str, Any]:
    """``raw`` joins halves of a character, which as text are U+FFFD each."""
    return {"token": text, "logprob": logprob, "bytes": list(raw)}
