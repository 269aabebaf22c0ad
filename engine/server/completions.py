"""``/v1/completions``: raw text continued, whole or in chunks."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from engine.contract import Channel, Finished, TextDelta, TokenChoice
from engine.server.fields import CompletionRequest
from engine.server.gathered import Gathered, new_id, usage_json
from engine.server.wishes import prompts_of


class CompletionWriter:
    """Writes one answer.

    Args:
        request: what was asked for.
        model: the name that the answer carries.
    """

    def __init__(self, request: CompletionRequest, model: str) -> None:
        self._prompts = prompts_of(request)
        prompts = [prompt for prompt in self._prompts for _ in range(request.n)]
        self._echoes = prompts if request.echo else [""] * len(prompts)
        self._choices = [Gathered() for _ in prompts]
        self._places = [len(echo) for echo in self._echoes]  # characters before the next token
        self._logprobs = request.logprobs
        self._asks_usage = request.stream_options.include_usage
        self._head = {
            "id": new_id("cmpl-"),
            "object": "text_completion",
            "created": int(time.time()),
            "model": model,
        }

    def opening(self) -> Iterator[dict[str, Any]]:
        """The prompts, where they are to be repeated."""
        for place, echo in enumerate(self._echoes):
            if echo:
                yield self._chunk(place, echo)

    def delta(self, place: int, delta: TextDelta) -> Iterator[dict[str, Any]]:
        """The chunks of new text."""
        plain = replace(delta, channel=Channel.ANSWER)  # raw text has no other
        answer, _, _ = self._choices[place].take(plain)
        yield self._chunk(place, answer, tokens=delta.tokens)

    def end(self, place: int, end: Finished) -> Iterator[dict[str, Any]]:
        """The chunk that ends a choice."""
        self._choices[place].finish(end)
        yield self._chunk(place, "", reason=self._choices[place].finish_reason)

    def closing(self) -> Iterator[dict[str, Any]]:
        """The chunk of token counts, where it was asked for."""
        if self._asks_usage:
            yield self._head | {"choices": [], "usage": self._usage()}

    def whole(self) -> dict[str, Any]:
        """The whole answer."""
        choices = [
            {
                "index": place,
                "text": self._echoes[place] + choice.answer,
                "logprobs": self._odds(choice.tokens, len(self._echoes[place])),
                "finish_reason": choice.finish_reason,
            }
            for place, choice in enumerate(self._choices)
        ]
        return self._head | {"choices": choices, "usage": self._usage()}

    def _chunk(
        self, place: int, text: str, reason: str | None = None, tokens: Sequence[TokenChoice] = ()
    ) -> dict[str, Any]:
        choice: dict[str, Any] = {"index": place, "text": text, "finish_reason": reason}
        choice["logprobs"] = self._odds(tokens, self._places[place]) if tokens else None
        self._places[place] += sum(len(token.text) for token in tokens)
        return self._head | {"choices": [choice]}

    def _odds(self, tokens: Sequence[TokenChoice], offset: int) -> dict[str, Any] | None:
        if self._logprobs is None:
            return None
        offsets = []
        for token in tokens:
            offsets.append(offset)
            offset += len(token.text)
        return {
            "tokens": [token.text for token in tokens],
            "token_logprobs": [token.logprob for token in tokens],
            "top_logprobs": [
                {text: logprob for _, text, logprob, _ in token.alternatives} for token in tokens
            ],
            "text_offset": offsets,
        }

    def _usage(self) -> dict[str, Any]:
        ends = [choice.end for choice in self._choices if choice.end]
        return usage_json(ends, len(self._prompts))
