"""The output check: what a model writes, before anybody sees it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from engine.contract import (
    Channel,
    Finished,
    FinishReason,
    Notice,
    NoticeKind,
    TextDelta,
    TokenChoice,
)
from engine.safety.protection import Protection, classified
from engine.safety.questions import notices_of
from engine.safety.rules import Action, Rule
from engine.safety.scanner import MASK, Scanner

_CLASSIFY_EVERY = 400  # characters of an answer


@dataclass(slots=True)
class _Stream:
    """One channel: its scanner, and the tokens whose text waits in it."""

    scanner: Scanner
    pushed: int = 0
    waiting: deque[tuple[int, tuple[TokenChoice, ...]]] = field(default_factory=deque)
    noted: int = 0
    written: str = ""
    classified: int = 0

    def released(self, shown: str, *, all_of_it: bool) -> tuple[TokenChoice, ...]:
        """The tokens of what is shown; those of a masked stretch are left out."""
        given = self.pushed - self.scanner.held
        tokens: tuple[TokenChoice, ...] = ()
        while self.waiting and (all_of_it or self.waiting[0][0] <= given):
            tokens += self.waiting.popleft()[1]
        return () if MASK in shown else tokens


class ReplyCheck:
    """Looks through one reply.

    Args:
        protection: what holds.
        request: whose reply it is.
        seen: text that the answer goes on from.
    """

    def __init__(self, protection: Protection, request: int, seen: str = "") -> None:
        self._protection, self._request, self._seen = protection, request, seen
        self._streams: dict[Channel, _Stream] = {}
        self._met: list[Rule] = []
        self.stopped_by: Rule | None = None

    def text(self, delta: TextDelta) -> Iterator[TextDelta]:
        """New text; what may be shown of it and of what waited."""
        if self.stopped_by is not None:
            return
        if delta.channel is not Channel.REASONING and Channel.REASONING in self._streams:
            yield from self._end(Channel.REASONING)  # a thought is over when the answer begins
        stream = self._stream(delta.channel)
        stream.pushed += len(delta.text)
        if delta.tokens:
            stream.waiting.append((stream.pushed, self._known(delta.tokens)))
        shown = stream.scanner.push(delta.text)
        yield from self._shown(delta.channel, stream, shown)
        if delta.channel is Channel.ANSWER and self._protection.classifier is not None:
            self._classify(stream, delta.text)

    def rest(self) -> Iterator[TextDelta]:
        """What was held back, when the reply has ended."""
        for channel in tuple(self._streams):
            if self.stopped_by is None:
                yield from self._end(channel)

    def end(self, event: Finished, asked: list[Notice]) -> Finished:
        """The reply's end with what was done to it.

        Ids that say something else than the text shown are not told: the next prompt would hold
        what was taken out.
        """
        notices = [
            *event.notices,
            *asked,
            *notices_of(self._met, NoticeKind.OUTPUT_MASKED, NoticeKind.OUTPUT_WARNED),
        ]
        is_changed = any(rule.action is not Action.WARN for rule in self._met)
        reason = event.reason
        if (rule := self.stopped_by) is not None:
            reason = FinishReason.CONTENT_FILTER
            notices.append(
                Notice(NoticeKind.OUTPUT_STOPPED, {"list": rule.group, "rule": rule.name})
            )
        ids = () if is_changed else event.ids
        return replace(event, reason=reason, notices=tuple(notices), ids=ids)

    def _stream(self, channel: Channel) -> _Stream:
        if channel not in self._streams:
            seen = self._seen if channel is Channel.ANSWER else ""
            scanner = Scanner(self._protection.output, self._protection.folding, seen)
            self._streams[channel] = _Stream(scanner)
        return self._streams[channel]

    def _end(self, channel: Channel) -> Iterator[TextDelta]:
        stream = self._streams.pop(channel)
        shown = stream.scanner.finish()
        if stream.scanner.stopped_by is None and stream.classified < len(stream.written):
            self._judge(stream)
        yield from self._shown(channel, stream, shown, is_last=True)

    def _shown(
        self, channel: Channel, stream: _Stream, shown: str, *, is_last: bool = False
    ) -> Iterator[TextDelta]:
        found = stream.scanner.found
        for rule in found[stream.noted :]:
            self._protection.note("output", rule, self._request, channel.value)
        self._met += found[stream.noted :]
        stream.noted = len(found)
        is_stopped = stream.scanner.stopped_by is not None
        tokens = stream.released(shown, all_of_it=is_last and not is_stopped)
        if shown or tokens:
            yield TextDelta(self._request, channel, shown, tokens)
        self.stopped_by = self.stopped_by or stream.scanner.stopped_by

    def _classify(self, stream: _Stream, text: str) -> None:
        """Ask the classifier each time the answer has grown by a stretch."""
        stream.written += text
        if len(stream.written) - stream.classified >= _CLASSIFY_EVERY:
            self._judge(stream)

    def _judge(self, stream: _Stream) -> None:
        classifier = self._protection.classifier
        stream.classified = len(stream.written)
        if classifier is not None and (label := classifier.unwanted(stream.written)):
            rule = classified(label, Action.STOP)
            self._protection.note("output", rule, self._request, Channel.ANSWER.value)
            self._met.append(rule)
            self.stopped_by = stream.scanner.stopped_by = rule

    def _known(self, tokens: tuple[TokenChoice, ...]) -> tuple[TokenChoice, ...]:
        """Tokens without alternatives that a rule forbids, and without what led to them."""
        protection = self._protection

        def is_clean(text: str) -> bool:
            return not protection.output.find(protection.folding.fold(text))

        return tuple(
            replace(token, alternatives=tuple(a for a in token.alternatives if is_clean(a[1])))
            for token in (replace(token, trace=None) for token in tokens)
        )
