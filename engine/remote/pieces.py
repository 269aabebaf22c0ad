"""The objects of a stream made into text of channels, calls and figures.

Servers tell reasoning apart in a field of its own, under two names, or leave its tags in the text;
calls come in parts of a name and of arguments, numbered or not, or whole.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.contract import Channel, FinishReason
from engine.text.channels import Channels, Delta, ReplyForm
from engine.text.stop_strings import StopStrings

_REASONS = {
    "stop": FinishReason.END_OF_TURN,
    "eos": FinishReason.END_OF_TURN,
    "tool_calls": FinishReason.END_OF_TURN,
    "function_call": FinishReason.END_OF_TURN,
    "content_filter": FinishReason.END_OF_TURN,
    "length": FinishReason.LENGTH,
}
_REASONING = ("reasoning_content", "reasoning")


@dataclass(slots=True)
class _Call:
    """A call in parts."""

    name: str = ""
    arguments: str = ""

    def line(self) -> str:
        """The contract's line; arguments that are no JSON stay what they are, as text."""
        try:
            arguments = json.loads(self.arguments or "{}")
        except (ValueError, RecursionError):
            arguments = self.arguments
        return json.dumps({"name": self.name, "arguments": arguments}, ensure_ascii=False) + "\n"


@dataclass(slots=True)
class Told:
    """What a server told besides text; None where it has not.

    Attributes:
        reason: why the reply ended.
        filtered: whether its content filter ended it.
        usage: its own counts, as it sent them.
    """

    reason: FinishReason | None = None
    filtered: bool = False
    usage: dict[str, Any] = field(default_factory=dict)


class Pieces:
    """Takes the objects of one reply.

    Args:
        splits: whether reasoning's tags are looked for in the text; not in a raw completion.
        stop: stop strings. Servers differ in whether they leave them in the text, and in whether
            they look for them at all.

    Attributes:
        told: what was told besides text.
        overruns: whether the server goes on behind a stop string.
    """

    def __init__(self, *, splits: bool, stop: Sequence[str] = ()) -> None:
        self.told = Told()
        self.overruns = False
        self._stops = StopStrings(stop)
        self._channels = Channels(ReplyForm()) if splits else None
        self._calls: dict[str, _Call] = {}
        self._last_call = ""

    def push(self, content: dict[str, Any]) -> list[Delta]:
        """The deltas that an object makes certain."""
        if isinstance(usage := content.get("usage"), dict):
            self.told.usage = usage
        choices = content.get("choices")
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
            return []
        choice = choices[0]
        delta = choice.get("delta") or choice.get("message") or choice
        deltas = list(self._delta(delta)) if isinstance(delta, dict) else []
        self._end(choice)
        if self._stops.met is not None:
            self.told.reason = FinishReason.STOP_STRING
        return deltas

    def finish(self, *, complete: bool) -> list[Delta]:
        """What was held back; and the calls, unless the reply broke off: half a call is none."""
        deltas = list(self._split(self._stops.finish()))
        deltas += self._channels.finish() if self._channels is not None else []
        calls = [call for call in self._calls.values() if call.name and complete]
        self._calls = {}
        return [*deltas, *((Channel.TOOL_CALL, call.line()) for call in calls)]

    def _delta(self, delta: dict[str, Any]) -> Iterable[Delta]:
        for name in _REASONING:
            if text := _text(delta.get(name)):
                yield Channel.REASONING, text
                break
        for channel, text in _parts(delta.get("content")):
            yield from self._said(channel, text)
        for name in ("text", "refusal"):
            yield from self._said(Channel.ANSWER, _text(delta.get(name)))
        calls = delta.get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            self._call(call)
        if isinstance(delta.get("function_call"), dict):
            self._call({"index": 0, "function": delta["function_call"]})

    def _said(self, channel: Channel, text: str) -> Iterable[Delta]:
        if channel is not Channel.ANSWER:
            return ((channel, text),) if text else ()
        self.overruns = self.overruns or (self._stops.met is not None and bool(text))
        return self._split(self._stops.push(text))

    def _split(self, text: str) -> Iterable[Delta]:
        """An answer's text, told apart from thoughts whose tags stand in it."""
        if not text:
            return ()
        return ((Channel.ANSWER, text),) if self._channels is None else self._channels.push(text)

    def _call(self, part: Any) -> None:
        """Take a part of a call: by its number, else by its id, else as more of the last."""
        function = part.get("function") if isinstance(part, dict) else None
        if not isinstance(function, dict):
            return
        number, id = part.get("index"), part.get("id")
        name = function.get("name")
        if isinstance(number, int):
            key = f"#{number}"
        elif isinstance(id, str) and id:
            key = id
        else:
            key = f"+{len(self._calls)}" if name else self._last_call
        self._last_call = key
        call = self._calls.setdefault(key, _Call())
        if isinstance(name, str) and name != call.name:
            call.name += name
        arguments = function.get("arguments")
        if isinstance(arguments, dict):
            call.arguments = json.dumps(arguments)
        elif isinstance(arguments, str):
            call.arguments += arguments

    def _end(self, choice: dict[str, Any]) -> None:
        reason = choice.get("finish_reason")
        if not isinstance(reason, str):
            return
        self.told.reason = _REASONS.get(reason, FinishReason.END_OF_TURN)
        self.told.filtered = reason == "content_filter"
        if isinstance(choice.get("stop_reason"), str):  # vLLM: the stop string that was met
            self.told.reason = FinishReason.STOP_STRING


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _parts(content: Any) -> Iterable[Delta]:
    """A content's text, which may be a list of parts, thoughts among them (Mistral)."""
    if isinstance(content, str):
        yield Channel.ANSWER, content
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict) and part.get("type") == "thinking":
            for _, text in _parts(part.get("thinking")):
                yield Channel.REASONING, text
        elif isinstance(part, dict):
            yield Channel.ANSWER, _text(part.get("text"))
