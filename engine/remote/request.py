"""What a server is asked: the contract's command in OpenAI's words, as far as it has them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

from engine.contract import (
    Complete,
    Constraint,
    ConstraintKind,
    EngineError,
    FaultKind,
    Generate,
    GenerateSettings,
    Message,
    Role,
    Sampling,
    Thinking,
)
from engine.library.servers.access import Access
from engine.library.servers.known import Dialect, ServerKind, dialect_of

_COMPLETED = 1024  # tokens of a raw completion: OpenAI's own default is 16
_GO_ON = "Continue your last message exactly where it ends. Repeat nothing, and add no comment."


@dataclass(frozen=True, slots=True)
class Question:
    """A request's endpoint and body, and which of the person's settings it leaves out."""

    endpoint: str
    body: dict[str, Any]
    left_out: tuple[str, ...] = ()


def chat_question(access: Access, command: Generate) -> Question:
    """A conversation as the body of ``/chat/completions``.

    Raises:
        EngineError: ``ONLY_LOCALLY`` where exact tokens are wanted, ``SETTING_INVALID`` of a
            constraint that the server has no field for, ``PROMPT_EMPTY``.
    """
    if command.begins_with:
        raise EngineError(FaultKind.ONLY_LOCALLY, host=access.host)
    if not command.messages:
        raise EngineError(FaultKind.PROMPT_EMPTY)
    dialect = dialect_of(ServerKind(access.card.kind))
    messages = [_message(message) for message in command.messages]
    body: dict[str, Any] = {"model": access.card.model, "messages": messages, "stream": True}
    if dialect.usage:
        body["stream_options"] = {"include_usage": True}
    if command.continue_reply and dialect.continues is None:
        messages.append({"role": "user", "content": _GO_ON})
    elif command.continue_reply:
        body |= dialect.continues or {}
    if command.tools:
        body["tools"] = [_tool(text) for text in command.tools]
    left_out = list(_put_settings(body, command.settings, dialect))
    if command.thinking is not Thinking.AUTO:
        if dialect.template:
            body["chat_template_kwargs"] = {"enable_thinking": command.thinking is Thinking.ON}
        else:
            left_out.append("thinking")
    if command.template:
        left_out.append("template")
    return Question("/chat/completions", body, tuple(left_out))


def text_question(access: Access, command: Complete) -> Question:
    """A raw text as the body of ``/completions``.

    Raises:
        EngineError: as ``chat_question``.
    """
    if not command.prompt:
        raise EngineError(FaultKind.PROMPT_EMPTY)
    dialect = dialect_of(ServerKind(access.card.kind))
    body: dict[str, Any] = {
        "model": access.card.model,
        "prompt": command.prompt,
        "stream": True,
        "max_tokens": _COMPLETED,
    }
    if dialect.usage:
        body["stream_options"] = {"include_usage": True}
    left_out = _put_settings(body, command.settings, dialect)
    if "max_completion_tokens" in body:
        body["max_tokens"] = body.pop("max_completion_tokens")
    return Question("/completions", body, tuple(left_out))


def _put_settings(
    body: dict[str, Any], settings: GenerateSettings, dialect: Dialect
) -> Iterable[str]:
    """Put the settings into a body that the server takes; the names of the others."""
    if settings.max_tokens is not None:
        body[dialect.length] = settings.max_tokens
    if settings.stop:
        body["stop"] = list(settings.stop)
    if settings.constraint is not None:
        body |= _constraint(settings.constraint, dialect)
    left_out = []
    for name, value in _chosen(settings.sampling):
        if name in dialect.sampling:
            body[dialect.sampling[name]] = value
        elif value != getattr(Sampling(), name):  # what nobody chose is missed by nobody
            left_out.append(name)
    return left_out


def _chosen(sampling: Sampling | None) -> Iterable[tuple[str, Any]]:
    """What differs from "off": with no sampling of the person's, the server's own defaults hold."""
    if sampling is None:
        return
    neutral = Sampling(temperature=1.0, top_k=0, top_p=1.0)
    for each in fields(Sampling):
        value = getattr(sampling, each.name)
        if value != getattr(neutral, each.name) or each.name == "temperature":
            yield each.name, value


def _message(message: Message) -> dict[str, Any]:
    said: dict[str, Any] = {"role": message.role.value, "content": message.content}
    if message.role is Role.TOOL:
        said["tool_call_id"] = message.tool_call_id
    if message.name:
        said["name"] = message.name
    if message.tool_calls:
        said["tool_calls"] = [
            {
                "id": call.id or f"call_{place}",
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for place, call in enumerate(message.tool_calls)
        ]
    return said


def _tool(text: str) -> dict[str, Any]:
    tool: dict[str, Any] = json.loads(text)
    return tool if "function" in tool else {"type": "function", "function": tool}


def _constraint(constraint: Constraint, dialect: Dialect) -> dict[str, Any]:
    if constraint.kind is ConstraintKind.JSON_SCHEMA:
        schema = {"name": "answer", "strict": True, "schema": json.loads(constraint.text)}
        return {"response_format": {"type": "json_schema", "json_schema": schema}}
    name = dialect.grammars.get(constraint.kind.value)
    if name is None:
        raise EngineError(
            FaultKind.SETTING_INVALID,
            name="constraint",
            value=constraint.kind.value,
            allowed=ConstraintKind.JSON_SCHEMA.value,
        )
    return {name: constraint.text}
