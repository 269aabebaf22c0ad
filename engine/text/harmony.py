"""gpt-oss's channels (OpenAI's harmony format), told apart while a reply streams.

A reply is a row of messages, each with a header: ``<|channel|>analysis<|message|>…<|end|>`` is
reasoning, ``<|start|>assistant<|channel|>final<|message|>…<|return|>`` the answer, and a header
with ``to=functions.name`` begins a tool call, which ``<|call|>`` ends. Marks are control tokens.
"""

from __future__ import annotations

import re

from engine.contract import Channel
from engine.text.channels import Delta
from engine.text.marks import HARMONY_ANALYSIS, Tags
from engine.text.tool_calls import call_line, json_values, make_call

_RECIPIENT = re.compile(r"\bto=(?:functions\.)?([\w.-]+)")
_ENDS = frozenset({"<|end|>", "<|return|>", "<|call|>"})
_HEADERS = frozenset({"<|start|>", "<|channel|>", "<|constrain|>"})


class HarmonyChannels:
    """Splits a reply by its headers; the same interface as ``Channels``.

    Args:
        opens: ``HARMONY_ANALYSIS`` where the reply begins inside reasoning.
    """

    def __init__(self, *, opens: Tags | None = None) -> None:
        self._channel = Channel.ANSWER if opens is None else Channel.REASONING
        self._header: str | None = None  # the header that is being written
        self._recipient = ""
        self._call = ""

    @property
    def reasoning(self) -> Tags | None:
        """The tags that the text is inside of now."""
        inside = self._channel is Channel.REASONING and self._header is None
        return HARMONY_ANALYSIS if inside else None

    def push(self, text: str, *, control: bool = False) -> list[Delta]:
        """The deltas that are certain now."""
        if not control:
            return self._text(text)
        deltas: list[Delta] = []
        if text in _ENDS:
            deltas = self._end_message()
        elif text in _HEADERS:
            # the role's header and the channel's make one
            self._header = f"{self._header or ''} "
        elif text == "<|message|>":
            self._begin_message(self._header or "")
        return deltas

    def finish(self) -> list[Delta]:
        """A call that was not closed, now that nothing follows."""
        return self._end_message()

    def _text(self, text: str) -> list[Delta]:
        if self._header is not None:
            self._header += text
            return []
        if self._recipient:
            self._call += text
            return []
        return [(self._channel, text)] if text else []

    def _begin_message(self, header: str) -> None:
        """Whose text follows, by its header."""
        self._header = None
        recipient = _RECIPIENT.search(header)
        self._recipient = recipient[1] if recipient is not None else ""
        analysis = "analysis" in header.split()
        self._channel = Channel.REASONING if analysis else Channel.ANSWER

    def _end_message(self) -> list[Delta]:
        """The call that ends, read; a body that is no JSON is its one argument."""
        recipient, self._recipient = self._recipient, ""
        body, self._call = self._call, ""
        self._channel, self._header = Channel.ANSWER, None
        if not recipient:
            return []
        values = list(json_values(body))
        call = make_call(recipient, values[0] if values else body)
        return [(Channel.TOOL_CALL, call_line(call))]
