"""A reply while it grows: what arrived, what of it is not on disk yet, and what it ends as.

Pure data, fed by the engine's events; no Qt, no disk, no decision about what happens next.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from app.chat.turn import Turn, TurnFigures, TurnState
from app.store.reply_journal import Piece
from engine.contract import (
    Channel,
    Fault,
    FaultKind,
    Finished,
    FinishReason,
    NoticeKind,
)

_END_STATES = {
    FinishReason.CANCELLED: TurnState.STOPPED,
    FinishReason.LENGTH: TurnState.CUT,
    FinishReason.CONTEXT_FULL: TurnState.CUT,
    FinishReason.CONTENT_FILTER: TurnState.FAILED,
}
_CHECKED = frozenset(
    {
        NoticeKind.INPUT_MASKED,
        NoticeKind.INPUT_WARNED,
        NoticeKind.OUTPUT_MASKED,
        NoticeKind.OUTPUT_WARNED,
        NoticeKind.RULES_INVALID,
        NoticeKind.SETTINGS_LEFT_OUT,
        NoticeKind.SERVER_CUT,
        NoticeKind.SERVER_FILTERED,
    }
)


class Reply:
    """The text of one reply and how long it thought.

    Args:
        turn: the reply as it is at the start; its text, if any, is continued.
        clock: seconds that only grow; for how long the model thought, which no event says.
    """

    def __init__(self, turn: Turn, clock: Callable[[], float] = time.monotonic) -> None:
        self._turn = turn
        self._clock = clock
        self._unsaved: list[Piece] = []
        self._grew = False
        self._thought_since: float | None = None
        self._thought_s = turn.figures.reasoning_s if turn.figures else 0.0
        self._text = {
            Channel.ANSWER: [turn.content],
            Channel.REASONING: [turn.reasoning],
            Channel.TOOL_CALL: [turn.tool_calls],
        }
        self._length = {channel: len(parts[0]) for channel, parts in self._text.items()}

    def push(self, channel: Channel, text: str) -> None:
        """Take new text of a channel."""
        self._grew = True
        self._measure_thought(channel is Channel.REASONING)
        self._text[channel].append(text)
        offset = self._length[channel]
        self._length[channel] += len(text)
        if self._unsaved and self._unsaved[-1].channel == channel.value:
            last = self._unsaved.pop()
            offset, text = last.offset, last.text + text
        self._unsaved.append(Piece(channel.value, offset, text))

    def name_model(self, name: str) -> None:
        """Say who writes it, where that was not known when it was asked for."""
        if not self._turn.model:
            self._turn = replace(self._turn, model=name)

    def take_unsaved(self) -> list[Piece]:
        """Return what arrived since the last call, in order."""
        pieces, self._unsaved = self._unsaved, []
        return pieces

    def current(self, state: TurnState = TurnState.STREAMING) -> Turn:
        """Return the reply with the text so far; earlier figures and ids only while they fit it."""
        return replace(
            self._turn,
            content="".join(self._text[Channel.ANSWER]),
            reasoning="".join(self._text[Channel.REASONING]),
            tool_calls="".join(self._text[Channel.TOOL_CALL]),
            state=state,
            figures=None if self._grew else self._turn.figures,
            ids=() if self._grew else self._turn.ids,
        )

    def finished(self, event: Finished) -> Turn:
        """Return the reply as a good end leaves it, figures and token ids included.

        One that a rule ended has broken off, as far as a reader is concerned.
        """
        self._measure_thought(False)
        stop = next((n for n in event.notices if n.kind is NoticeKind.OUTPUT_STOPPED), None)
        return replace(
            self.current(_END_STATES.get(event.reason, TurnState.COMPLETE)),
            figures=self._figures(event),
            fault=None if stop is None else Fault(FaultKind.OUTPUT_STOPPED, stop.figures),
            ids=self._ids(event),
        )

    def failed(self, fault: Fault) -> Turn:
        """Return the reply as a failure leaves it: the text stays, the fault says why."""
        self._measure_thought(False)
        return replace(self.current(TurnState.FAILED), fault=fault, ids=())

    def _ids(self, event: Finished) -> tuple[int, ...]:
        """Return the ids of the whole text, or none where an earlier part's are unknown."""
        began_empty = not (self._turn.content or self._turn.reasoning or self._turn.tool_calls)
        return self._turn.ids + event.ids if began_empty or self._turn.ids else ()

    def _measure_thought(self, thinks: bool) -> None:
        if thinks and self._thought_since is None:
            self._thought_since = self._clock()
        elif not thinks and self._thought_since is not None:
            self._thought_s += self._clock() - self._thought_since
            self._thought_since = None

    def _figures(self, event: Finished) -> TurnFigures | None:
        """Add what this request measured to what earlier parts of the reply took.

        A request that ended before its first token measured nothing: earlier figures stay.
        """
        usage, timings, before = event.usage, event.timings, self._turn.figures
        if not (self._grew or usage.generated_tokens):
            return before
        total = timings.queue_s + timings.tokenize_s + timings.prefill_s + timings.decode_s
        return TurnFigures(
            tokens_per_second=timings.tokens_per_second,
            time_to_first_token_s=timings.time_to_first_token_s,
            prompt_tokens=usage.prompt_tokens,
            reused_tokens=usage.reused_tokens,
            generated_tokens=usage.generated_tokens + (before.generated_tokens if before else 0),
            reasoning_tokens=usage.reasoning_tokens + (before.reasoning_tokens if before else 0),
            reasoning_s=self._thought_s,
            total_s=total + (before.total_s if before else 0.0),
            left_out_turns=usage.left_out_turns,
            checked=(before.checked if before else ())
            + tuple(notice for notice in event.notices if notice.kind in _CHECKED),
            queue_s=timings.queue_s,
            prefill_s=timings.prefill_s,
            beside_server=timings.beside_server,
        )
