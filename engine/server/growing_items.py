"""The items of a response, one after another: each begins, grows and is done, told by events."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from engine.contract import TokenChoice, ToolCall
from engine.server.gathered import new_id, token_json

_Events = Iterator[dict[str, Any]]


class GrowingItems:
    """Reasoning, text and calls in the order in which they come.

    Attributes:
        done: the items that are whole.

    Args:
        asks_logprobs: whether text comes with its tokens.
    """

    def __init__(self, *, asks_logprobs: bool) -> None:
        self.done: list[dict[str, Any]] = []
        self._asks_logprobs = asks_logprobs
        self._open: dict[str, Any] | None = None
        self._part: dict[str, Any] = {}

    def reasoning(self, text: str) -> _Events:
        """More reasoning."""
        if self._open is None or self._open["type"] != "reasoning":
            yield from self.close()
            item = {"type": "reasoning", "id": new_id("rs_"), "summary": [], "content": []}
            yield from self._begin(item, {"type": "reasoning_text", "text": ""})
        self._part["text"] += text
        yield self._at_part("response.reasoning_text.delta", delta=text)

    def text(self, text: str, tokens: Sequence[TokenChoice]) -> _Events:
        """More of the answer."""
        if self._open is None or self._open["type"] != "message":
            yield from self.close()
            item = {"type": "message", "id": new_id("msg_"), "role": "assistant", "content": []}
            part = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
            yield from self._begin(item, part)
        shown = [token_json(token) for token in tokens] if self._asks_logprobs else []
        self._part["text"] += text
        self._part["logprobs"] = [*self._part["logprobs"], *shown]
        yield self._at_part("response.output_text.delta", delta=text, logprobs=shown)

    def calls(self, calls: Sequence[ToolCall]) -> _Events:
        """Calls; each is whole when it comes."""
        for call in calls:
            yield from self.close()
            item = {
                "type": "function_call",
                "id": new_id("fc_"),
                "call_id": call.id,
                "name": call.name,
                "arguments": "",
            }
            yield from self._begin(item, None)
            place = {"item_id": item["id"], "output_index": len(self.done)}
            item["arguments"] = call.arguments
            kind = "response.function_call_arguments"
            yield place | {"type": f"{kind}.delta", "delta": call.arguments}
            yield place | {"type": f"{kind}.done", "arguments": call.arguments, "name": call.name}
            yield from self.close()

    def close(self) -> _Events:
        """End the item that is open."""
        if (item := self._open) is None:
            return
        if item["type"] == "message":
            part = self._part
            yield self._at_part(
                "response.output_text.done", text=part["text"], logprobs=part["logprobs"]
            )
        elif item["type"] == "reasoning":
            yield self._at_part("response.reasoning_text.done", text=self._part["text"])
        if self._part:
            yield self._at_part("response.content_part.done", part=self._part)
            item["content"] = [self._part]
        whole = item | {"status": "completed"}
        place = len(self.done)
        self.done.append(whole)
        self._open = None
        yield {"type": "response.output_item.done", "output_index": place, "item": whole}

    def _begin(self, item: dict[str, Any], part: dict[str, Any] | None) -> _Events:
        self._open, self._part = item, part or {}
        yield {
            "type": "response.output_item.added",
            "output_index": len(self.done),
            "item": item | {"status": "in_progress"},
        }
        if part is not None:
            yield self._at_part("response.content_part.added", part=dict(part))

    def _at_part(self, kind: str, **values: Any) -> dict[str, Any]:
        place = {"item_id": self._open["id"] if self._open else "", "content_index": 0}
        return place | {"type": kind, "output_index": len(self.done)} | values
