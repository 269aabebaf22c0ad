"""``chat`` and ``complete``: a conversation in the terminal, and raw text continued."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import asdict

from engine.cli_options import generate_settings, load_settings, model_path
from engine.cli_terminal import EngineAtTerminal, show_notices, speed_line
from engine.cli_words import fault_sentence
from engine.contract import (
    Channel,
    Complete,
    EngineError,
    Event,
    FaultKind,
    Finished,
    FinishReason,
    Generate,
    Load,
    Loaded,
    Message,
    Role,
    TextDelta,
)

CANCELLED_STATUS = 130
"""The exit status of programs that Ctrl-C ended."""


def load(terminal: EngineAtTerminal, options: argparse.Namespace) -> Loaded | None:
    """Load the model that the options name; None if Ctrl-C stopped it."""
    command = Load(
        terminal.next_request(),
        model_path(options.model),
        load_settings(options),
        os.environ.get("INKSTONE_REMOTE_KEY", ""),  # of a remote model's server
    )
    loaded = None
    for event in terminal.run(command):
        if isinstance(event, Loaded):
            loaded = event
            show_notices(event.notices)
    return loaded


def complete(options: argparse.Namespace) -> int:
    """Continue a text; the exit status."""
    terminal = EngineAtTerminal()
    loaded = load(terminal, options)
    if loaded is None:
        return CANCELLED_STATUS
    settings = generate_settings(options, loaded.default_sampling)
    events = terminal.run(Complete(terminal.next_request(), options.prompt, settings))
    end, _ = _print_reply(events, as_json=options.json)
    return CANCELLED_STATUS if end.reason is FinishReason.CANCELLED else 0


def chat(options: argparse.Namespace) -> int:
    """Answer one prompt, or converse until the input ends; the exit status."""
    if options.prompt is not None and not options.prompt.strip():
        raise EngineError(FaultKind.PROMPT_EMPTY)
    terminal = EngineAtTerminal()
    loaded = load(terminal, options)
    if loaded is None:
        return CANCELLED_STATUS
    conversation = [Message(Role.SYSTEM, options.system)] if options.system else []
    status = 0
    for question in _questions(options.prompt):
        conversation.append(Message(Role.USER, question))
        command = Generate(
            terminal.next_request(),
            tuple(conversation),
            generate_settings(options, loaded.default_sampling),
            options.thinking,
        )
        try:
            end, texts = _print_reply(terminal.run(command), as_json=options.json)
        except EngineError as error:
            if options.prompt is not None:
                raise
            print(fault_sentence(error.fault), file=sys.stderr)
            conversation.pop()
            continue
        reasoning, answer = texts[Channel.REASONING], texts[Channel.ANSWER]
        conversation.append(Message(Role.ASSISTANT, answer, reasoning, ids=end.ids))
        status = CANCELLED_STATUS if end.reason is FinishReason.CANCELLED else 0
    return status if options.prompt is not None else 0


def _questions(prompt: str | None) -> Iterator[str]:
    """The one prompt, or what is typed line by line; Ctrl-C drops a line, Ctrl-D ends."""
    if prompt is not None:
        yield prompt
        return
    if sys.stdin.isatty():
        print("Write, and press Enter. Ctrl-C stops a reply, Ctrl-D ends.", file=sys.stderr)
    while True:
        try:
            line = input("> " if sys.stdin.isatty() else "")
        except KeyboardInterrupt:
            print(file=sys.stderr)
            continue
        except EOFError:
            return
        if line.strip():
            yield line


def _print_reply(events: Iterator[Event], *, as_json: bool) -> tuple[Finished, dict[Channel, str]]:
    """Print a reply as it comes, and its figures; or all of it as JSON at its end."""
    texts = dict.fromkeys(Channel, "")
    printer = _Printer()
    for event in events:
        if isinstance(event, TextDelta):
            texts[event.channel] += event.text
            if not as_json:
                printer.print(event)
        elif isinstance(event, Finished):
            if as_json:
                print(_as_json(event, texts))
            else:
                printer.end()
                show_notices(event.notices)
                print(speed_line(event), file=sys.stderr)
            return event, texts
    raise RuntimeError("a reply ended without a terminal event")


def _as_json(end: Finished, texts: dict[Channel, str]) -> str:
    shown = asdict(end)
    del shown["request"]
    return json.dumps({channel.value: text for channel, text in texts.items()} | shown)


class _Printer:
    """Text on standard output; reasoning dimmed where a terminal can, and set apart."""

    def __init__(self) -> None:
        self._channel: Channel | None = None
        self._dims = sys.stdout.isatty()

    def print(self, delta: TextDelta) -> None:
        """Print a piece at once."""
        if delta.channel is not self._channel:
            self._change(delta.channel)
        sys.stdout.write(delta.text)
        sys.stdout.flush()

    def end(self) -> None:
        """End the reply's last line."""
        self._change(None)

    def _change(self, channel: Channel | None) -> None:
        if self._channel is not None:
            sys.stdout.write("\033[0m\n" if self._dims else "\n")
        if self._dims and channel is Channel.REASONING:
            sys.stdout.write("\033[2m")
        sys.stdout.flush()
        self._channel = channel
