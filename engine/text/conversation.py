"""A conversation in the form that chat templates read, and the changes that some demand.

Templates differ in what they accept: some refuse two questions in a row, some a system message,
some want a content made of parts, some a call's arguments as text. An ``Adaptation`` says which of
these a template needs; the conversation itself is never changed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from engine.contract import Message, Role, ToolCall


class Guard(Protocol):
    """Makes a text from outside harmless (``ControlTokens.guard``)."""

    def __call__(self, text: str, *, edges: bool = True) -> str:
        """``text`` with everything broken that could become a control token."""
        ...


# words of JSON schemas that templates compare with; alone they cannot become a control token
_SCHEMA_WORDS = frozenset(
    {"function", "string", "object", "array", "number", "integer", "boolean", "null", "any"}
)
_FREE_KEYS = frozenset({"properties", "$defs", "definitions", "arguments"})


@dataclass(frozen=True, slots=True)
class Adaptation:
    """What has to be done to a conversation so that a template takes it."""

    merges: bool = False  # neighbours of the same role become one message
    folds_system: bool = False  # the system message leads the first question
    parts: bool = False  # a content is a list of parts
    text_arguments: bool = False  # a call's arguments are JSON text
    short_ids: bool = False  # a call's id is nine letters and digits (Mistral)

    def apply(self, messages: Sequence[Message]) -> tuple[Message, ...]:
        """The messages in the form that the template takes."""
        adapted = _with_call_ids(messages, replaces=self.short_ids)
        if self.folds_system:
            adapted = _fold_system(adapted)
        return _merge(adapted) if self.merges else adapted


def stronger(adaptation: Adaptation) -> tuple[Adaptation, ...]:
    """``adaptation`` and what may be tried where it is refused, the least change first."""
    changes: tuple[dict[str, bool], ...] = (
        {},
        {"merges": True},
        {"text_arguments": True},
        {"short_ids": True},
        {"merges": True, "text_arguments": True},
        {"merges": True, "short_ids": True},
        {"folds_system": True},
        {"merges": True, "folds_system": True},
        {"merges": True, "folds_system": True, "text_arguments": True},
    )
    return tuple(dict.fromkeys(replace(adaptation, **change) for change in changes))


def _with_call_ids(messages: Sequence[Message], *, replaces: bool) -> tuple[Message, ...]:
    """Every call and every result with an id: those that are missing, or all of them."""
    if not any(message.tool_calls or message.role == Role.TOOL for message in messages):
        return tuple(messages)
    renamed: dict[str, str] = {}
    waiting: list[str] = []  # calls without a result so far
    count = 0
    adapted: list[Message] = []
    for message in messages:
        calls = []
        for call in message.tool_calls:
            id = f"call{count:05d}" if replaces or not call.id else call.id
            renamed[call.id] = id
            calls.append(replace(call, id=id))
            waiting.append(id)
            count += 1
        answers = message.tool_call_id
        if message.role == Role.TOOL:
            first = waiting.pop(0) if waiting else f"call{count:05d}"
            answers = renamed.get(answers, answers) if answers else first
        adapted.append(replace(message, tool_calls=tuple(calls), tool_call_id=answers))
    return tuple(adapted)


def _merge(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """Join neighbours of the same role; what the model sampled survives only in one alone."""
    merged: list[Message] = []
    for message in messages:
        before = merged[-1] if merged else None
        if before is None or before.role != message.role or message.role == Role.TOOL:
            merged.append(message)
            continue
        content = "\n\n".join(filter(None, (before.content, message.content)))
        calls = before.tool_calls + message.tool_calls
        merged[-1] = replace(before, content=content, tool_calls=calls, reasoning="", ids=())
    return tuple(merged)


def _fold_system(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """Put the system messages before the first question."""
    system = [message.content for message in messages if message.role == Role.SYSTEM]
    rest = [message for message in messages if message.role != Role.SYSTEM]
    if not system:
        return messages
    for place, message in enumerate(rest):
        if message.role == Role.USER:
            content = "\n\n".join(filter(None, (*system, message.content)))
            rest[place] = replace(message, content=content)
            return tuple(rest)
    return (Message(Role.USER, "\n\n".join(system)), *rest)


def message_variables(message: Message, adaptation: Adaptation, guard: Guard) -> dict[str, Any]:
    """One message as templates read it: only what it has is there."""
    content: Any = guard(message.content)
    if adaptation.parts:
        content = [{"type": "text", "text": content}]
    variables: dict[str, Any] = {"role": str(message.role), "content": content}
    if message.reasoning:
        # the standard's name, and gpt-oss's
        variables |= dict.fromkeys(("reasoning_content", "thinking"), guard(message.reasoning))
    if message.tool_calls:
        variables["tool_calls"] = [
            _call_variables(call, adaptation, guard) for call in message.tool_calls
        ]
    if message.tool_call_id:
        variables["tool_call_id"] = guard(message.tool_call_id)
    if message.name:
        variables["name"] = guard(message.name)
    return variables


def _call_variables(call: ToolCall, adaptation: Adaptation, guard: Guard) -> dict[str, Any]:
    arguments: Any = guard(call.arguments)
    if not adaptation.text_arguments:
        parsed = _parsed(call.arguments)
        arguments = arguments if parsed is None else guarded_json(parsed, guard, free_keys=True)
    function = {"name": guard(call.name), "arguments": arguments}
    return {"type": "function", "function": function} | ({"id": guard(call.id)} if call.id else {})


def _parsed(text: str) -> Any:
    """JSON text as a value; None where it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def guarded_json(value: Any, guard: Guard, *, free_keys: bool = False) -> Any:
    """A JSON value with every text in it guarded.

    Words of the JSON schema language stay as they are, for templates look them up.
    """
    if isinstance(value, str):
        return value if value in _SCHEMA_WORDS else guard(value)
    if isinstance(value, list):
        return [guarded_json(item, guard, free_keys=free_keys) for item in value]
    if isinstance(value, Mapping):
        return {
            guard(key, edges=free_keys): guarded_json(item, guard, free_keys=key in _FREE_KEYS)
            for key, item in value.items()
        }
    return value


def texts_of(messages: Sequence[Message], tools: Sequence[str]) -> str:
    """Everything from outside that goes into a prompt, as one text."""
    pieces = [_unescaped(tool) for tool in tools]
    for message in messages:
        pieces += (message.content, message.reasoning, message.name, message.tool_call_id)
        for call in message.tool_calls:
            pieces += (call.name, call.id, _unescaped(call.arguments))
    return "".join(pieces)


def _unescaped(text: str) -> str:
    """JSON text with its characters as themselves: an escape may hide any of them."""
    if "\\u" not in text:
        return text
    value = _parsed(text)
    return text if value is None else json.dumps(value, ensure_ascii=False)
