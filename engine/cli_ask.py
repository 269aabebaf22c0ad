"""``evaluate … --ask``: one question to a copy and its source, in a terminal or for a window."""

from __future__ import annotations

import argparse
import io
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from engine.asking import Answer, Asked, Question, Side, ask_both
from engine.cli_options import within
from engine.cli_window import window_settings
from engine.cli_words import fault_sentence
from engine.contract import EngineError, Fault, FaultKind, FinishReason
from engine.job_events import tell
from engine.library.copy_facts import MOST_REPLY_TOKENS, REPLY_TOKENS

_ENDS = {
    FinishReason.LENGTH.value: "ended at the limit of {tokens} tokens",
    FinishReason.CONTEXT_FULL.value: "ended where its context was full, after {tokens} tokens",
    FinishReason.CONTENT_FILTER.value: "ended by a rule of the safety layer",
}


def add_ask(parser: argparse.ArgumentParser) -> None:
    """The options of a question to both."""
    parser.add_argument(
        "--ask",
        metavar="TEXT",
        help="ask both this question instead, without chance, one after the other; -: standard "
        "input, which no list of processes shows",
    )
    parser.add_argument(
        "--max-tokens",
        type=within(int, 1, MOST_REPLY_TOKENS),
        default=REPLY_TOKENS,
        help="of each answer to --ask",
    )
    parser.add_argument(
        "--leave",
        type=within(int, 0, 1 << 50),
        default=0,
        metavar="BYTES",
        help="memory that --ask leaves to other programs",
    )


def ask(options: argparse.Namespace, copy: Path, source: Path | None) -> int:
    """Ask the question; the exit status, 1 where an answer is missing.

    Raises:
        EngineError: PROMPT_EMPTY.
    """
    if options.events and isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8", errors="replace")
    text = str(sys.stdin.read() if options.ask == "-" else options.ask).strip()
    if not text:
        raise EngineError(FaultKind.PROMPT_EMPTY)
    offline = window_settings().offline
    question = Question(text, int(options.max_tokens), int(options.leave), offline)
    line = _Line()
    try:
        found = ask_both(copy, source, question, _Told() if options.events else line)
    finally:
        line.end()
    if options.events:
        tell("asked", **_values(found, question))
    elif options.json:
        print(json.dumps(_values(found, question), ensure_ascii=False))
    else:
        print(_readable(found))
    faults = [each for each in (found.source, found.copy) if isinstance(each, Fault)]
    for fault in faults:
        print(fault_sentence(fault), file=sys.stderr)
    return 1 if faults and not options.events else 0


def _values(found: Asked, question: Question) -> dict[str, Any]:
    sides = ((Side.SOURCE, found.source), (Side.COPY, found.copy))
    said = {side.value: None if each is None else _side(each) for side, each in sides}
    return {"question": question.text, **said, "first_difference": found.first_difference}


def _side(one: Answer | Fault) -> dict[str, Any]:
    if isinstance(one, Fault):
        figures = dict(one.figures)
        return {"fault": one.kind.value, "figures": figures, "sentence": fault_sentence(one)}
    values = asdict(one)
    del values["ids"], values["vocabulary"]
    return values


class _Told:
    """Progress and text as events for another program; what has hardly changed is no news."""

    def __init__(self) -> None:
        self._last: tuple[object, ...] = ()

    def progressed(self, side: Side, stage: str, done: int, total: int) -> None:
        """Tell how far one of them is."""
        now = (side, stage, done * 100 // total if total else 0)
        if self._last != now:
            self._last = now
            tell("progress", side=side.value, stage=stage, done=done, total=total)

    def said(self, side: Side, text: str) -> None:
        """Tell more of an answer."""
        tell("said", side=side.value, text=text)


class _Line:
    """Progress on a line of the terminal, or a line for each of them in a file."""

    def __init__(self) -> None:
        self._side: Side | None = None
        self._is_terminal = sys.stderr.isatty()

    def progressed(self, side: Side, stage: str, done: int, total: int) -> None:
        """Show how far one of them is."""
        if self._is_terminal:
            far = f" {done * 100 // total} %" if total else ""
            print(f"\r\033[K{side.value}: {stage}{far}", end="", file=sys.stderr, flush=True)
        elif side is not self._side:
            print(f"Asking the {side.value} …", file=sys.stderr)
        self._side = side

    def said(self, side: Side, text: str) -> None:
        """Say nothing: answers are shown when both are there."""

    def end(self) -> None:
        """Take the line away."""
        if self._is_terminal and self._side is not None:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def _readable(found: Asked) -> str:
    lines: list[str] = []
    for side, one in ((Side.SOURCE, found.source), (Side.COPY, found.copy)):
        if isinstance(one, Answer):
            figures = [f"{one.tokens} tokens"]
            if one.tokens_per_second:
                figures.append(f"{one.tokens_per_second} tokens/s measured")
            if one.ended in _ENDS:
                figures.append(_ENDS[one.ended].format(tokens=one.tokens))
            lines += [f"{side.value}: {one.name} ({', '.join(figures)})"]
            lines += [one.reply or one.reasoning or "(nothing)", ""]
    if found.first_difference is not None:
        at = found.first_difference
        lines.append(f"first difference at token {at}" if at else "the same, token for token")
    return "\n".join(lines).rstrip()
