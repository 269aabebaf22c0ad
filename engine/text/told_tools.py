"""Tools for a model whose chat template has no place for them: told in words.

They are described in the system message, one JSON line each, with the form of a call that is read
back without any mark (``bare_forms``). Calls and results of earlier turns become text of the same
form, because such a template knows neither.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from engine.contract import Message, Role, ToolCall

_TOLD = """You can call these functions:

{tools}

To call one, reply with nothing but one JSON object: \
{{"name": "function's name", "arguments": {{"argument's name": "value"}}}}
Its result is in the next message. If you need none, answer in words."""


def tell_tools(messages: Sequence[Message], tools: Sequence[str]) -> tuple[Message, ...]:
    """The conversation with the tools in its system message, and calls and results as text.

    Args:
        messages: the conversation.
        tools: each a JSON object as text, in OpenAI's function form.
    """
    told = _TOLD.format(tools="\n".join(" ".join(tool.split("\n")) for tool in tools))
    plain = [_plain(message) for message in messages]
    if plain and plain[0].role == Role.SYSTEM:
        system = "\n\n".join(filter(None, (plain[0].content, told)))
        return (replace(plain[0], content=system), *plain[1:])
    return (Message(Role.SYSTEM, told), *plain)


def _plain(message: Message) -> Message:
    """The message without anything but words."""
    if message.role == Role.TOOL:
        name = f" of {message.name}" if message.name else ""
        return Message(Role.USER, f"Result{name}:\n{message.content}")
    if not message.tool_calls:
        return message
    calls = "\n".join(_call_text(call) for call in message.tool_calls)
    content = "\n".join(filter(None, (message.content, calls)))
    return replace(message, content=content, tool_calls=())


def _call_text(call: ToolCall) -> str:
    """A call in the form that the model was told to write."""
    try:
        arguments = json.loads(call.arguments or "{}")
    except (ValueError, RecursionError):
        arguments = call.arguments
    return json.dumps({"name": call.name, "arguments": arguments}, ensure_ascii=False)
