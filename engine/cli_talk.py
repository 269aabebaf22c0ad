"""``chat`` and ``complete``: a conversation in the terminal, and raw text continued."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from engine.cli_options import generate_settings, load_settings
from engine.cli_remote import chosen_model, keys_for
from engine.cli_terminal import EngineAtTerminal, show_notices, speed_line
from engine.cli_window import window_settings
from engine.contract import (
    Channel,
    Complete,
    EngineError,
    Event,
    FaultKind,
    Finished,
    FinishReason,
    Load,
    Loaded,
    TextDelta,
)

if TYPE_CHECKING:
    from engine.terminal.screen import ReplyShown

CANCELLED_STATUS = 130
"""The exit status of programs that Ctrl-C ended."""


def stopped() -> int:
    """Say that Ctrl-C ended it; the exit status."""
    print("Stopped.", file=sys.stderr)
    return CANCELLED_STATUS


def load(
    terminal: EngineAtTerminal, options: argparse.Namespace, path: Path | None = None
) -> Loaded | None:
    """Load the model that the options name; None if Ctrl-C stopped it.

    Args:
        terminal: the engine.
        options: how it is loaded.
        path: of the model; None is what the options name.
    """
    with chosen_model(options, path) as chosen:
        keys = keys_for(chosen)
        command = Load(
            terminal.next_request(),
            chosen,
            load_settings(options),
            keys.key,
            window_settings().offline,
            keys.proxy_password,
        )
        loaded = None
        for event in terminal.run(command):
            if isinstance(event, Loaded):
                loaded = event
                show_notices(event.notices)
    return loaded


def complete(options: argparse.Namespace) -> int:
    """Continue a text; the exit status."""
    with EngineAtTerminal() as terminal:
        loaded = load(terminal, options)
        if loaded is None:
            return stopped()
        settings = generate_settings(options, loaded.default_sampling)
        events = terminal.run(Complete(terminal.next_request(), options.prompt, settings))
        end, _ = print_reply(events, _plain(), as_json=options.json)
    return stopped() if end.reason is FinishReason.CANCELLED else 0


def chat(options: argparse.Namespace) -> int:
    """Answer one prompt, or converse until the input ends; the exit status."""
    if options.prompt is not None and not options.prompt.strip():
        raise EngineError(FaultKind.PROMPT_EMPTY)
    with EngineAtTerminal() as terminal:
        loaded = load(terminal, options)
        return stopped() if loaded is None else _talk(terminal, options, loaded)


def _talk(terminal: EngineAtTerminal, options: argparse.Namespace, loaded: Loaded) -> int:
    # these are for this command alone
    from engine.cli_conversation import Conversation  # noqa: PLC0415
    from engine.terminal.screen import reply_screen  # noqa: PLC0415

    screen = reply_screen(is_plain=options.plain)
    conversation = Conversation(terminal, options, loaded, screen)
    if options.prompt is None:
        return conversation.run()
    end = conversation.answer(options.prompt)
    return stopped() if end.reason is FinishReason.CANCELLED else 0


def print_reply(
    events: Iterator[Event], screen: ReplyShown, *, as_json: bool
) -> tuple[Finished, dict[Channel, str]]:
    """Show a reply as it comes, and its figures; or print all of it as JSON at its end.

    Raises:
        EngineError: what the engine raises; what came before it is shown.
    """
    texts = dict.fromkeys(Channel, "")
    end = None
    try:
        for event in events:
            if isinstance(event, TextDelta):
                texts[event.channel] += event.text
                if not as_json:
                    screen.show(event)
            elif isinstance(event, Finished):
                end = event
    finally:
        screen.end()
    if end is None:
        raise RuntimeError("a reply ended without a terminal event")
    if as_json:
        print(_as_json(end, texts), flush=True)
    else:
        show_notices(end.notices)
        print(speed_line(end), file=sys.stderr)
    return end, texts


def _plain() -> ReplyShown:
    from engine.terminal.screen import PlainReply  # noqa: PLC0415 - imports rich

    return PlainReply()


def _as_json(end: Finished, texts: dict[Channel, str]) -> str:
    shown = asdict(end)
    del shown["request"]
    return json.dumps({channel.value: text for channel, text in texts.items()} | shown)
