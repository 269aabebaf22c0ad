"""Text between two processes: fewer messages, the same text in the same order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.contract import (
    Channel,
    Event,
    Finished,
    FinishReason,
    Memory,
    Metrics,
    TextDelta,
    TokenChoice,
)
from engine.service.gathering import Gathering


class Line:
    """What was sent, and a clock that the test moves."""

    def __init__(self) -> None:
        self.messages: list[tuple[Event, ...]] = []
        self.now = 0.0
        self.gathering = Gathering(self.messages.append, lambda: self.now)

    @property
    def sent(self) -> list[Event]:
        return [event for message in self.messages for event in message]


def text(piece: str, request: int = 1, channel: Channel = Channel.ANSWER) -> TextDelta:
    return TextDelta(request, channel, piece, (TokenChoice(len(piece), piece, -1.0),))


def test_a_slow_reply_is_sent_token_by_token() -> None:
    line = Line()
    for piece in ("Ice", " floats", "."):
        line.gathering.take(text(piece))
        line.now += 0.1
    assert [event.text for event in line.sent if isinstance(event, TextDelta)] == [
        "Ice", " floats", ".",
    ]  # fmt: skip


def test_a_fast_reply_is_sent_some_tokens_at_a_time() -> None:
    line = Line()
    for number in range(100):  # 250 tokens a second
        line.gathering.take(text(f"{number} "))
        line.now += 0.004
    line.gathering.take(Finished(1, FinishReason.END_OF_TURN))
    pieces = [event for event in line.sent if isinstance(event, TextDelta)]
    assert "".join(piece.text for piece in pieces) == "".join(f"{n} " for n in range(100))
    assert sum(len(piece.tokens) for piece in pieces) == 100
    assert len(line.messages) <= 7
    assert isinstance(line.sent[-1], Finished)


def test_the_first_text_of_a_reply_does_not_wait_behind_another_reply() -> None:
    line = Line()
    for number in range(3):
        line.gathering.take(text(f"{number} "))
        line.now += 0.004
    line.gathering.take(text("first", request=2))
    assert line.sent[-1] == text("first", request=2)
    assert len(line.messages) == 2


def test_figures_travel_with_the_text_around_them() -> None:
    line = Line()
    figures = Metrics(1, 3, 250.0, 0.02, 3, 100, Memory(1, 1, 1, 0))
    events = [text("a"), text("b"), figures, text("c"), Finished(1, FinishReason.END_OF_TURN)]
    for event in events:
        line.gathering.take(event)
        line.now += 0.004
    assert line.messages == [(events[0],), tuple(events[1:])]


def test_text_that_comes_more_seldom_than_messages_never_waits() -> None:
    line = Line()
    for number in range(9):  # 12 tokens a second: each would wait for a next one that comes late
        line.gathering.take(text(f"{number} "))
        line.now += 0.083
        assert len(line.messages) == number + 1


events = st.builds(
    text, st.text(max_size=4), st.integers(1, 3), st.sampled_from(list(Channel))
) | st.builds(Finished, st.integers(1, 3), st.just(FinishReason.DONE))


@given(st.lists(st.tuples(events, st.floats(0, 0.06)), max_size=40))
def test_nothing_is_lost_swapped_or_mixed(arriving: list[tuple[Event, float]]) -> None:
    line = Line()
    for event, pause in arriving:
        line.gathering.take(event)
        line.now += pause
    line.gathering.take(Finished(9, FinishReason.DONE))

    def flat(all_events: list[Event]) -> list[object]:
        """One entry a character, so that how text was cut does not matter."""
        found: list[object] = []
        for event in all_events:
            if isinstance(event, TextDelta):
                found += [(event.request, event.channel, c) for c in event.text]
            else:
                found.append(event)
        return found

    assert flat(line.sent[:-1]) == flat([event for event, _ in arriving])
