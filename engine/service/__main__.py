"""The engine's process: commands on standard input, events on standard output, all pickled.

``python -m engine.service``; only ``process_host`` starts it. It ends when its input ends,
so it never outlives the window, however that came to its end.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from typing import BinaryIO

from engine.contract import Command, Event
from engine.service import real_engine
from engine.service.crash_file import watch_as_told
from engine.service.gathering import Gathering
from engine.service.process_host import Cancel
from engine.service.thread_host import ThreadHost

_GRACE_S = 4.0


def main() -> int:
    """Serve until the input ends; the exit status."""
    watch_as_told()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the window's to understand
    commands, events = _take_channels()

    def send(message: tuple[Event, ...]) -> None:
        try:
            pickle.dump(message, events, pickle.HIGHEST_PROTOCOL)
            events.flush()
        except BrokenPipeError:
            os._exit(1)  # nobody is left to hear anything

    host = ThreadHost(Gathering(send).take, real_engine)
    while (message := _next(commands)) is not None:
        if isinstance(message, Cancel):
            host.cancel(message.request)
        else:
            host.submit(message)
    if not host.close(_GRACE_S):
        os._exit(1)  # it hangs in native code
    return 0


def _take_channels() -> tuple[BinaryIO, BinaryIO]:
    """Standard input and output for the messages alone: what libraries print goes to the errors."""
    events = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return sys.stdin.buffer, events


def _next(commands: BinaryIO) -> Command | Cancel | None:
    try:
        message: Command | Cancel = pickle.load(commands)
    except EOFError:
        return None
    return message


sys.exit(main())
