"""``/v1/responses``: the answer as items, whole or as events that tell how they grow.

Nothing is kept here: a conversation is what the request says, ``previous_response_id`` is refused.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from engine.contract import (
    Finished,
    Generate,
    GenerateSettings,
    Loaded,
    Message,
    Priority,
    Role,
    TextDelta,
    ToolCall,
)
from engine.server.errors import ApiError
from engine.server.fields import InputItem, ResponseRequest
from engine.server.gathered import Gathered, new_id
from engine.server.growing_items import GrowingItems
from engine.server.wishes import (
    call_of,
    constraint_of,
    must_call,
    sampling_of,
    text_of,
    thinking_of,
    tool_texts,
)

_LOGPROBS = "message.output_text.logprobs"


def response_commands(request: ResponseRequest, loaded: Loaded) -> list[Generate]:
    """The one command.

    Raises:
        ApiError: 400.
    """
    if request.previous_response_id:
        raise ApiError(
            400,
            "Responses are not kept: send the whole conversation as input.",
            "unsupported_value",
            "previous_response_id",
        )
    if request.background:
        raise ApiError(
            400, "Nothing is answered in the background.", "unsupported_value", "background"
        )
    asks_logprobs = _LOGPROBS in request.include or request.top_logprobs
    settings = GenerateSettings(
        sampling_of(request, loaded.default_sampling),
        (),
        request.max_output_tokens,
        max(request.top_logprobs, 1) if asks_logprobs else 0,
        constraint=constraint_of(request.text.format, request.tools, request.tool_choice),
        priority=Priority.BACKGROUND,
    )
    thinking = thinking_of(request.reasoning.effort, loaded)
    tools = tool_texts(request.tools, request.tool_choice)
    return [Generate(0, tuple(_messages(request)), settings, thinking, tools)]


_BELOW = {
    "input_tokens": "Input is not counted ahead of an answer: usage.input_tokens of the answer is.",
    "compact": "Conversations are not compacted: send a shorter input.",
}


def nothing_below_responses(below: str) -> ApiError:
    """Why there is nothing at an address below ``/v1/responses/``.

    Args:
        below: the rest of the address: a response's id with or without a deed, or a deed alone.
    """
    name, _, deed = below.partition("/")
    if name in _BELOW:
        return ApiError(404, _BELOW[name], "unsupported_endpoint")
    if deed == "cancel":
        return ApiError(
            404,
            "Nothing is answered in the background: close the connection to cancel an answer.",
            "unsupported_endpoint",
            "response_id",
        )
    return ApiError(
        404,
        f"Responses are not kept, so there is no {name}: keep what create answered.",
        "response_not_found",
        "response_id",
    )


def _messages(request: ResponseRequest) -> Iterator[Message]:
    if request.instructions:
        yield Message(Role.SYSTEM, request.instructions)
    if isinstance(request.input, str):
        yield Message(Role.USER, request.input)
        return
    calls: list[ToolCall] = []
    for item in request.input:
        if item.type == "function_call":
            calls.append(call_of(item.name, item.arguments, item.call_id))
            continue
        if calls:
            yield Message(Role.ASSISTANT, "", tool_calls=tuple(calls))
            calls = []
        if item.type != "reasoning":  # of an earlier answer; the template does not want it back
            yield _message(item)
    if calls:
        yield Message(Role.ASSISTANT, "", tool_calls=tuple(calls))


def _message(item: InputItem) -> Message:
    if item.type == "message":
        role = Role.SYSTEM if item.role == "developer" else Role(item.role)
        return Message(role, text_of(item.content, "input"))
    if item.type == "function_call_output":
        return Message(Role.TOOL, text_of(item.output, "input"), tool_call_id=item.call_id)
    raise ApiError(400, f"Items of the type {item.type} are not read.", "invalid_value", "input")


class ResponseWriter:
    """Writes one answer.

    Args:
        request: what was asked for.
        model: the name that the answer carries.
    """

    def __init__(self, request: ResponseRequest, model: str) -> None:
        self._request = request
        self._gathered = Gathered(must_call(request.tools, request.tool_choice))
        self._items = GrowingItems(asks_logprobs=_LOGPROBS in request.include)
        self._sequence = 0
        self._head = {
            "id": new_id("resp_"),
            "object": "response",
            "created_at": int(time.time()),
            "model": model,
        }

    def opening(self) -> Iterator[dict[str, Any]]:
        """The events that say what begins."""
        for kind in ("response.created", "response.in_progress"):
            yield from self._numbered([{"type": kind, "response": self._response("in_progress")}])

    def delta(self, place: int, delta: TextDelta) -> Iterator[dict[str, Any]]:
        """The events of new text."""
        answer, reasoning, calls = self._gathered.take(delta)
        if reasoning:
            yield from self._numbered(self._items.reasoning(reasoning))
        if answer:
            yield from self._numbered(self._items.text(answer, delta.tokens))
        yield from self._numbered(self._items.calls(calls))

    def end(self, place: int, end: Finished) -> Iterator[dict[str, Any]]:
        """The events that end the last item."""
        said = len(self._gathered.answer)
        yield from self._numbered(self._items.calls(self._gathered.finish(end)))
        if rest := self._gathered.answer[said:]:
            yield from self._numbered(self._items.text(rest, ()))
        yield from self._numbered(self._items.close())

    def closing(self) -> Iterator[dict[str, Any]]:
        """The event with the whole answer."""
        response = self.whole()
        yield from self._numbered(
            [{"type": f"response.{response['status']}", "response": response}]
        )

    def whole(self) -> dict[str, Any]:
        """The whole answer."""
        return self._response("incomplete" if self._cut_by else "completed")

    @property
    def _cut_by(self) -> str:
        """Why it is not complete; empty if it is."""
        reason = self._gathered.finish_reason
        return {"length": "max_output_tokens", "content_filter": reason}.get(reason, "")

    def _numbered(self, events: Iterator[dict[str, Any]] | list[dict[str, Any]]) -> Iterator[Any]:
        for event in events:
            yield event | {"sequence_number": self._sequence}
            self._sequence += 1

    def _response(self, status: str) -> dict[str, Any]:
        request, end = self._request, self._gathered.end
        details = {"reason": self._cut_by} if status == "incomplete" else None
        return self._head | {
            "status": status,
            "error": None,
            "incomplete_details": details,
            "instructions": request.instructions or None,
            "max_output_tokens": request.max_output_tokens,
            "metadata": request.metadata,
            "output": self._items.done,
            "parallel_tool_calls": request.parallel_tool_calls,
            "previous_response_id": None,
            "store": False,
            "temperature": request.temperature,
            "text": {"format": {"type": "text"}},
            "tool_choice": request.tool_choice if isinstance(request.tool_choice, str) else "auto",
            "tools": [tool.model_dump() | {"strict": False} for tool in request.tools],
            "top_p": request.top_p,
            "truncation": request.truncation,
            "usage": _usage(end) if end else None,
        }


def _usage(end: Finished) -> dict[str, Any]:
    usage = end.usage
    return {
        "input_tokens": usage.prompt_tokens,
        "input_tokens_details": {"cached_tokens": usage.reused_tokens, "cache_write_tokens": 0},
        "output_tokens": usage.generated_tokens,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
        "total_tokens": usage.prompt_tokens + usage.generated_tokens,
    }
