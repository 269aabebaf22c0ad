"""The marks by which models set off reasoning from their answer, and how they are found in text.

Marks of the form ``<think>`` are also met with spaces inside (``<think >``, ``</think >``): some
models write them so. A mark may arrive in pieces; what could still become one is ``PARTIAL``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

_MOST_SPACES = 8
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Tags:
    """An opening and a closing mark."""

    open: str
    close: str


REASONING_TAGS = (
    Tags("<think>", "</think>"),
    Tags("<thinking>", "</thinking>"),
    Tags("<thought>", "</thought>"),
    Tags("<reasoning>", "</reasoning>"),
    Tags("<seed:think>", "</seed:think>"),
    Tags("[THINK]", "[/THINK]"),  # Magistral
    Tags("<|START_THINKING|>", "<|END_THINKING|>"),  # Command R
    Tags("<|begin_of_thought|>", "<|end_of_thought|>"),
    Tags("<|channel>thought", "<channel|>"),  # Gemma 4
    Tags("<unused94>thought", "<unused95>"),  # MedGemma
    Tags("◁think▷", "◁/think▷"),  # Kimi
)
HARMONY_ANALYSIS = Tags("<|channel|>analysis<|message|>", "<|end|>")
"""gpt-oss's reasoning, whose marks are headers (``harmony``)."""


class Match(Enum):
    """How a text stands to a set of marks."""

    NONE = "none"
    PARTIAL = "partial"  # more text could make it one
    WHOLE = "whole"


def match_mark(text: str, marks: Sequence[str]) -> tuple[Match, str, int]:
    """Compare the beginning of ``text`` with ``marks``.

    Returns:
        How it matches, the mark, and the characters of ``text`` that it takes.
    """
    partial = False
    for mark in marks:
        length = _length(text, mark)
        if length is not None and length > 0:
            return Match.WHOLE, mark, length
        partial = partial or length == 0
    return (Match.PARTIAL if partial else Match.NONE), "", 0


def _length(text: str, mark: str) -> int | None:
    """Characters of ``text`` that spell ``mark``; 0 if it ends too early, None if it differs."""
    spaced = mark.startswith("<") and mark.endswith(">") and mark.strip("</>").isalpha()
    position = spaces = 0
    for place, character in enumerate(mark):
        gap = spaced and place > 0 and (character in "/>" or mark[place - 1] in "</")
        while gap and position < len(text) and text[position].isspace():
            position += 1
            spaces += 1
        if spaces > _MOST_SPACES:
            return None
        if position == len(text):
            return 0
        if text[position] != character:
            return None
        position += 1
    return position


def opened_by(text: str) -> Tags | None:
    """The tags that a prompt's end has opened and not closed, so that a reply begins inside."""
    end = _SPACE.sub("", text[-64:])
    every = (*REASONING_TAGS, HARMONY_ANALYSIS)
    return next((tag for tag in every if end.endswith(tag.open)), None)
