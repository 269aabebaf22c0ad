"""``/v1/chat/completions``: the answer, whole or in chunks."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

from engine.contract import Finished, TextDelta, TokenChoice, ToolCall
from engine.server.fields import ChatRequest
from engine.server.gathered import Gathered, new_id, token_json, usage_json
from engine.server.wishes import must_call


class ChatWriter:
    """Writes one answer.

    Args:
        request: what was asked for.
        model: the name that the answer carries.
    """

    def __init__(self, request: ChatRequest, model: str) -> None:
        functions = [tool.function for tool in request.tools]
        is_call = must_call(functions, request.tool_choice)
        self._choices = [Gathered(is_call) for _ in range(request.n)]
        self._asks_logprobs = request.logprobs
        self._asks_usage = request.stream_options.include_usage
        self._head = {"id": new_id("chatcmpl-"), "created": int(time.time()), "model": model}

    def opening(self) -> Iterator[dict[str, Any]]:
        """The chunks that say who speaks."""
        for place in range(len(self._choices)):
            yield self._chunk(place, {"role": "assistant", "content": ""})

    def delta(self, place: int, delta: TextDelta) -> Iterator[dict[str, Any]]:
        """The chunks of new text."""
        choice = self._choices[place]
        calls = len(choice.calls)
        answer, reasoning, new_calls = choice.take(delta)
        if reasoning:
            yield self._chunk(place, {"reasoning_content": reasoning})
        if answer or (delta.tokens and self._asks_logprobs and not reasoning and not new_calls):
            yield self._chunk(place, {"content": answer}, tokens=delta.tokens)
        if new_calls:
            yield self._chunk(place, {"tool_calls": _call_deltas(new_calls, calls)})

    def end(self, place: int, end: Finished) -> Iterator[dict[str, Any]]:
        """The chunks that end a choice."""
        choice = self._choices[place]
        said = len(choice.answer)
        if calls := choice.finish(end):
            yield self._chunk(place, {"tool_calls": _call_deltas(calls, 0)})
        elif len(choice.answer) > said:
            yield self._chunk(place, {"content": choice.answer[said:]})
        yield self._chunk(place, {}, reason=choice.finish_reason)

    def closing(self) -> Iterator[dict[str, Any]]:
        """The chunk of token counts, where it was asked for."""
        if self._asks_usage:
            chunk = self._head | {"object": "chat.completion.chunk", "choices": []}
            yield chunk | {"usage": self._usage()}

    def whole(self) -> dict[str, Any]:
        """The whole answer."""
        return self._head | {
            "object": "chat.completion",
            "choices": [self._choice_json(place) for place in range(len(self._choices))],
            "usage": self._usage(),
        }

    def _chunk(
        self,
        place: int,
        delta: dict[str, Any],
        reason: str | None = None,
        tokens: Sequence[TokenChoice] = (),
    ) -> dict[str, Any]:
        choice: dict[str, Any] = {"index": place, "delta": delta, "finish_reason": reason}
        shown = [token_json(token) for token in tokens]
        choice["logprobs"] = {"content": shown} if self._asks_logprobs and shown else None
        chunk = self._head | {"object": "chat.completion.chunk", "choices": [choice]}
        return chunk | {"usage": None} if self._asks_usage else chunk

    def _choice_json(self, place: int) -> dict[str, Any]:
        choice = self._choices[place]
        message: dict[str, Any] = {"role": "assistant", "content": choice.answer, "refusal": None}
        if choice.reasoning:
            message["reasoning_content"] = choice.reasoning
        if choice.calls:
            message["content"] = choice.answer or None
            message["tool_calls"] = [_call_json(call) for call in choice.calls]
        tokens = [token_json(token) for token in choice.tokens]
        return {
            "index": place,
            "message": message,
            "logprobs": {"content": tokens} if self._asks_logprobs else None,
            "finish_reason": choice.finish_reason,
        }

    def _usage(self) -> dict[str, Any]:
        return usage_json([choice.end for choice in self._choices if choice.end])


def _call_json(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": call.id, "type": "function", "function": function}


def _call_deltas(calls: Sequence[ToolCall], first: int) -> list[dict[str, Any]]:
    return [{"index": first + place} | _call_json(call) for place, call in enumerate(calls)]
