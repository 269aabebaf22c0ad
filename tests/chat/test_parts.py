"""The small pieces: titles, prompts, replies, options, and rows back from the store."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.chat.options import ChatOptions, options_of, options_text
from app.chat.prompt import Snapshots, newest_ids, tool_calls_of
from app.chat.reply import Reply
from app.chat.title import title_of
from app.chat.turn import Turn, TurnFigures, TurnState
from app.chat.turn_row import row_of, turn_of
from app.store.reply_journal import Piece
from app.store.rows import LOST, TurnRow
from engine.contract import (
    Channel,
    Fault,
    FaultKind,
    Finished,
    FinishReason,
    Role,
    Sampling,
    Thinking,
    Timings,
    ToolCall,
    Usage,
)

NOW = datetime(2026, 7, 30, 12, tzinfo=UTC)
REPLY = Turn(2, 1, 1, Role.ASSISTANT, "", "", TurnState.STREAMING, NOW)


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("hello", "hello"),
        ("  \n\n# Rename   photos\nby date", "Rename photos"),
        ("```python\ndef f(): pass", "def f(): pass"),
        (
            "Show me how I can rename all of my photographs by the date they were taken",
            "Show me how I can rename all of my photographs…",
        ),
        (
            "朝东的阳台能不能种番茄，如果能的话应该选什么品种，花盆要多大？",
            "朝东的阳台能不能种番茄，如果能的话应该选什么品种…",
        ),
        ("x" * 100, "x" * 48 + "…"),
        ("<h1>AAA</h1>", "<h1>AAA</h1>"),
        ("???", "???"),
        ("", ""),
        ("a\x00b\tc", "a b c"),
    ],
)
def test_a_title_is_the_first_line_that_says_something(question: str, title: str) -> None:
    assert title_of(question) == title


@settings(deadline=None)
@given(st.text())
def test_every_question_has_a_short_title_of_one_line(question: str) -> None:
    title = title_of(question)
    assert len(title) <= 121
    assert "\n" not in title


def test_a_replys_pieces_joined_are_its_text_and_each_is_taken_once() -> None:
    reply = Reply(replace(REPLY, content="be"), clock=iter([1.0, 3.5]).__next__)
    reply.push(Channel.REASONING, "h")
    reply.push(Channel.REASONING, "m")
    reply.push(Channel.ANSWER, "gin")
    assert reply.take_unsaved() == [Piece("reasoning", 0, "hm"), Piece("answer", 2, "gin")]
    reply.push(Channel.ANSWER, "!")
    assert reply.take_unsaved() == [Piece("answer", 5, "!")]
    assert reply.take_unsaved() == []
    turn = reply.finished(Finished(1, FinishReason.END_OF_TURN, ids=(5,)))
    assert (turn.content, turn.reasoning, turn.ids) == ("begin!", "hm", ())
    assert turn.figures is not None
    assert turn.figures.reasoning_s == 2.5


@pytest.mark.parametrize(
    ("reason", "state"),
    [
        (FinishReason.END_OF_TURN, TurnState.COMPLETE),
        (FinishReason.STOP_STRING, TurnState.COMPLETE),
        (FinishReason.LENGTH, TurnState.CUT),
        (FinishReason.CONTEXT_FULL, TurnState.CUT),
        (FinishReason.CANCELLED, TurnState.STOPPED),
    ],
)
def test_every_reason_has_its_state(reason: FinishReason, state: TurnState) -> None:
    assert Reply(REPLY).finished(Finished(1, reason)).state is state


def test_I9_figures_are_the_engines_and_a_reply_of_one_token_has_no_speed() -> None:
    usage = Usage(prompt_tokens=50, reused_tokens=40, generated_tokens=1, left_out_turns=2)
    timings = Timings(prefill_s=9.0, decode_s=0.01, time_to_first_token_s=9.1)
    figures = Reply(REPLY).finished(Finished(1, FinishReason.END_OF_TURN, usage, timings)).figures
    assert figures == TurnFigures(None, 9.1, 50, 40, 1, 0, 0.0, 9.01, 2, prefill_s=9.0)


def test_a_prompt_leaves_out_replies_that_never_said_anything_and_questions_refused() -> None:
    question = replace(REPLY, id=1, role=Role.USER, content="one", state=TurnState.COMPLETE)
    failed = replace(REPLY, state=TurnState.FAILED)
    again = replace(question, id=3, content="two")
    stopped = replace(failed, state=TurnState.STOPPED)
    for reply, told in ((failed, ["two"]), (stopped, ["one", "two"])):
        messages = Snapshots().take([question, reply, again], {}, system="  ")
        assert [message.content for message in messages] == told
    assert [m.content for m in Snapshots().take([question], {})] == ["one"], "asked again"


def test_a_prompt_carries_reasoning_and_tool_calls() -> None:
    line = json.dumps({"name": "weather", "arguments": {"town": "杭州"}, "id": "7"})
    turn = replace(REPLY, content="a", reasoning="r", tool_calls=line + "\n{broken\n[1]\n")
    (message,) = Snapshots().take([turn], {2: (1, 2)})
    assert (message.reasoning, message.ids) == ("r", (1, 2))
    (call,) = message.tool_calls
    assert (call.name, json.loads(call.arguments), call.id) == ("weather", {"town": "杭州"}, "7")
    assert tool_calls_of('{"name": "f", "arguments": "{}"}') == (ToolCall("f", "{}"),)
    assert tool_calls_of('{"name": "f", "arguments": "a\u2028b"}') == (ToolCall("f", "a\u2028b"),)


def test_ids_are_read_for_the_newest_replies_only_as_far_as_the_context_goes() -> None:
    path = [replace(REPLY, id=number) for number in range(1, 101)]
    read: list[int] = []

    def reader(turn: int) -> tuple[int, ...]:
        read.append(turn)
        return (0,) * 10

    found = newest_ids(path, 45, reader)
    assert list(found) == read == [100, 99, 98, 97, 96]


OPTIONS = ChatOptions(
    system="Be brief.",
    thinking=Thinking.OFF,
    sampling=Sampling(temperature=0.5, seed=7, logit_bias=((5, -1.0),), dry_breakers=("x",)),
    max_tokens=100,
)


def test_options_come_back_as_they_went_in() -> None:
    assert options_of(options_text(OPTIONS)) == OPTIONS
    assert options_text(ChatOptions()) == ""


@settings(deadline=None)
@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists, max_leaves=4))
def test_odd_options_are_the_defaults(value: object) -> None:
    odd = dict.fromkeys(("temperature", "seed", "logit_bias", "order", "top_k"), value)
    text = json.dumps({"system": value, "thinking": value, "max_tokens": value, "sampling": odd})
    assert isinstance(options_of(text), ChatOptions)
    assert options_of(json.dumps(value)) == ChatOptions()


TURN = replace(
    REPLY,
    content="c",
    state=TurnState.FAILED,
    figures=TurnFigures(20.5, 0.1, 1, 2, 3, 4, 0.5, 0.6, 7),
    fault=Fault(FaultKind.DISK_FULL, {"path": "/x", "free": 1}),
    ids=(1, 2),
    model="M",
    tool_calls="{}",
)


def test_a_turn_comes_back_from_its_row() -> None:
    assert turn_of(row_of(TURN)) == TURN


@pytest.mark.parametrize("odd", ["", "null", "[]", "{", "NaN", '{"kind": 3}', '{"figures": [1]}'])
def test_odd_rows_are_turns_all_the_same(odd: str) -> None:
    row = TurnRow(1, 1, None, odd, odd, odd, odd, odd, -(2**62), odd, odd, odd)
    turn = turn_of(row)
    assert (turn.content, turn.role, turn.state) == (odd, Role.ASSISTANT, TurnState.COMPLETE)


def test_a_lost_row_is_a_turn_that_says_so() -> None:
    turn = turn_of(TurnRow(1, 1, None, "user", state=LOST))
    assert turn.state is TurnState.FAILED
    assert turn.fault is not None
    assert turn.fault.kind is FaultKind.FILE_DAMAGED
