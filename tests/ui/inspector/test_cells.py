"""Tokens as they are shown: all of one can be seen, whatever it spells."""

from __future__ import annotations

import math

import pytest

from app.ui.inspector.cells import Mark, heat, prompt_cells, reply_cells, shown
from app.ui.inspector.flow import Flow
from app.ui.inspector.odds import cut_by, percent
from engine.contract import Channel, PromptToken, SamplerStep, TokenChoice
from tests.doubles.traces import traced


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b" the", "·the"),
        (b"a\n\n", "a↵↵"),
        (b"\tx", "⇥x"),
        ("也许".encode(), "也许"),
        ("也".encode()[:2], "<E4 B9>"),
        (b"\x80", "<80>"),
        (b"\x00", "<0000>"),
        ("\u200b".encode(), "<200B>"),
        ("\u00a0".encode(), "<00A0>"),
        ("\u0301".encode(), "<0301>"),
        ("e\u0301".encode(), "e\u0301"),
        ("👍".encode(), "👍"),
        (b"", "∅"),
    ],
)
def test_a_token_is_shown_so_that_all_of_it_can_be_seen(raw: bytes, text: str) -> None:
    assert shown(raw) == text


@pytest.mark.parametrize(
    ("share", "step"), [(1.0, 0), (0.9, 0), (0.89, 1), (0.5, 2), (0.2, 3), (0.05, 4)]
)
def test_the_less_likely_a_token_the_warmer_its_ground(share: float, step: int) -> None:
    assert heat(share) == step


def test_thought_and_calls_and_control_tokens_have_inks_of_their_own() -> None:
    choices = [traced("a", 1), traced("b", 2), TokenChoice(3, "c", math.log(0.5))]
    channels = [Channel.REASONING, Channel.TOOL_CALL, Channel.ANSWER]
    cells = reply_cells(choices, channels)
    assert [cell.ink for cell in cells] == ["ink2", "azurite", "ink"]
    assert (cells[2].text, cells[2].heat) == ("c", 2)  # without a trace its text is all there is


def test_what_was_reused_and_what_was_read_are_told_apart() -> None:
    tokens = [PromptToken(n, b"x", is_control=n == 0) for n in range(4)]
    cells = prompt_cells(tokens, 10, 12)
    assert [cell.mark for cell in cells] == [Mark.REUSED] * 2 + [Mark.READ] * 2
    assert [cell.ink for cell in cells] == ["rouge", "ink", "ink", "ink"]


def test_odds_are_said_as_people_read_them() -> None:
    assert [percent(p) for p in (1.0, 0.861, 0.004, 0.0005, 0.00001, 0.0)] == [
        "100.0 %", "86.1 %", "0.4 %", "0.05 %", "< 0.01 %", "0.0 %"
    ]  # fmt: skip


def test_the_step_that_cut_a_candidate_is_known() -> None:
    trace = traced("word", 1).trace
    assert trace is not None
    cut = cut_by(trace, 4)
    assert cut is not None
    assert cut.step is SamplerStep.TOP_P
    assert cut_by(trace, 0) is None


def test_cells_flow_into_lines_and_a_long_one_is_cut_to_the_line() -> None:
    flow = Flow()
    flow.clear(100)
    flow.add([40, 40, 40], 5)
    flow.add([250, 10], 5)
    assert flow.starts == [0, 2, 3, 4]
    assert [flow.line_of(cell) for cell in range(5)] == [0, 0, 1, 2, 3]
    assert flow.widths[3] == 100
    assert flow.cell_at(0, 99) == 1
    assert flow.cell_at(0, 0) == 0
