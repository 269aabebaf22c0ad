"""One reply of a server on its way: its pieces go in, the contract's events come out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from engine.contract import (
    Channel,
    Event,
    Figure,
    Finished,
    FinishReason,
    Memory,
    Metrics,
    Notice,
    NoticeKind,
    TextDelta,
    Usage,
)
from engine.library.servers.access import Access
from engine.remote.clock import RemoteClock
from engine.remote.estimate import GrowingEstimate
from engine.remote.pieces import Pieces

NO_MEMORY = Memory(0, 0, 0, 0)


class RemoteReply:
    """The text, the figures and the end of one request.

    Args:
        request: its number.
        access: who answers.
        splits: whether reasoning's tags are looked for in the text.
        stop: stop strings.
        least: tokens that the prompt has at least; fewer that were read mean that it was cut.
        about: tokens that the prompt has by estimate, for a server that counts none.
        most: tokens that were asked for; an estimate is never above them. None: as many as come.
        left_out: settings that this server does not take.
    """

    def __init__(
        self,
        request: int,
        access: Access,
        *,
        splits: bool,
        stop: Sequence[str] = (),
        least: int = 0,
        about: int = 0,
        most: int | None = None,
        left_out: tuple[str, ...] = (),
    ) -> None:
        self.clock = RemoteClock()
        self._request, self._access = request, access
        self._pieces = Pieces(splits=splits, stop=stop)
        self._least, self._about = least, about
        self._most, self._left_out = most, left_out
        self._said_in = {channel: GrowingEstimate() for channel in Channel}

    @property
    def has_ended(self) -> bool:
        """Whether the server said why it ended."""
        return self._pieces.told.reason is not None

    @property
    def overruns(self) -> bool:
        """Whether the server writes on behind a stop string: it need not be listened to."""
        return self._pieces.overruns

    def take(self, content: dict[str, Any]) -> Iterable[Event]:
        """The events of an object of the stream."""
        yield from self._said(self._pieces.push(content))
        if self.clock.is_due():
            yield self._metrics()

    def finish(self) -> Iterable[Event]:
        """What was held back, whatever ended the reply."""
        yield from self._said(self._pieces.finish(complete=self.has_ended))

    def end(self, reason: FinishReason | None = None) -> Finished:
        """The terminal event; without ``reason`` the server's own."""
        usage = self._usage()
        reason = reason or self._pieces.told.reason or FinishReason.END_OF_TURN
        size = usage.context_size
        if reason is FinishReason.LENGTH and size and usage.context_used >= size:
            reason = FinishReason.CONTEXT_FULL
        return Finished(
            self._request,
            reason,
            usage,
            self.clock.timings(usage.generated_tokens),
            notices=tuple(self._notices(usage)),
        )

    def _said(self, deltas: Iterable[tuple[Channel, str]]) -> Iterable[Event]:
        for channel, text in deltas:
            self.clock.arrived(self._said_in[channel].add(text))
            yield TextDelta(self._request, channel, text)

    def _metrics(self) -> Metrics:
        usage = self._usage()
        return Metrics(
            request=self._request,
            generated_tokens=usage.generated_tokens,
            tokens_per_second=self.clock.tokens_per_second(),
            time_to_first_token_s=self.clock.time_to_first_token_s,
            context_used=usage.context_used,
            context_size=usage.context_size,
            memory=NO_MEMORY,
        )

    def _usage(self) -> Usage:
        """The server's counts; estimates where it tells none."""
        told = self._pieces.told.usage
        prompt = _count(told, "prompt_tokens")
        generated = _count(told, "completion_tokens") or self._estimated()
        reasoning = _count(told.get("completion_tokens_details"), "reasoning_tokens")
        return Usage(
            prompt_tokens=prompt,
            reused_tokens=_count(told.get("prompt_tokens_details"), "cached_tokens"),
            generated_tokens=generated,
            reasoning_tokens=reasoning or min(self._said_in[Channel.REASONING].tokens, generated),
            context_used=(prompt or self._about) + generated,
            context_size=self._access.card.context,
        )

    def _estimated(self) -> int:
        tokens = sum(said.tokens for said in self._said_in.values())
        return tokens if self._most is None else min(tokens, self._most)

    def _notices(self, usage: Usage) -> Iterable[Notice]:
        host = self._access.host
        if self._left_out:
            names = ", ".join(self._left_out)
            yield Notice(NoticeKind.SETTINGS_LEFT_OUT, {"host": host, "names": names})
        if 0 < usage.prompt_tokens < self._least:
            cut: dict[str, Figure] = {"host": host, "tokens": usage.prompt_tokens}
            yield Notice(NoticeKind.SERVER_CUT, cut | {"least": self._least})
        if self._pieces.told.filtered:
            yield Notice(NoticeKind.SERVER_FILTERED, {"host": host})


def _count(told: Any, name: str) -> int:
    value = told.get(name) if isinstance(told, dict) else None
    return value if type(value) is int and value > 0 else 0
