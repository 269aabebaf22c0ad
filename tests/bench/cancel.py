"""How long a reply goes on after it was stopped, in the middle of reading and of writing.

    python tests/bench/cancel.py MODEL

Milliseconds from ``cancel`` to the request's end, the least and the middle of nine tries each.
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path
from queue import Queue

from engine.contract import (
    Complete,
    Event,
    Failed,
    Finished,
    GenerateSettings,
    Load,
    LoadSettings,
    Progress,
    Sampling,
    TextDelta,
)
from engine.service import EngineService

_TRIES = 9


def main() -> int:
    """Load the model, stop replies, print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    path = parser.parse_args().model.resolve()
    events: Queue[Event] = Queue()
    service = EngineService(events.put)
    service.submit(Load(0, path, LoadSettings(context=8192)))
    _wait_for_end(events, 0)
    for name, words, begun in (("reading", 1500, Progress), ("writing", 3, TextDelta)):
        took = []
        for number in range(1, _TRIES + 1):
            prompt = f"{name} {number} " + "word " * words
            service.submit(Complete(number, prompt, GenerateSettings(Sampling(min_tokens=500))))
            while not isinstance(event := events.get(), begun):
                if isinstance(event, Failed):
                    raise SystemExit(str(event.fault))
            time.sleep(0.05)
            begin = time.perf_counter()
            service.cancel(number)
            _wait_for_end(events, number)
            took.append((time.perf_counter() - begin) * 1000)
        print(f"{name}: least {min(took):.0f} ms, middle {statistics.median(took):.0f} ms")
    service.close()
    return 0


def _wait_for_end(events: Queue[Event], request: int) -> None:
    event = events.get()
    while event.request != request or not isinstance(event, Finished | Failed):
        event = events.get()
    if isinstance(event, Failed):
        raise SystemExit(str(event.fault))


if __name__ == "__main__":
    raise SystemExit(main())
