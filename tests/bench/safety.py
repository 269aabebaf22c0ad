"""What the safety layer costs a token, and a question of 100,000 letters.

    python tests/bench/safety.py

The text is ordinary prose in English and Chinese, a token four English or two Chinese characters.
Processor time, the best of five rounds; "off" is the engine's own iterator, handed through.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from engine.contract import (
    Channel,
    Command,
    Event,
    Finished,
    FinishReason,
    Generate,
    Message,
    Role,
    TextDelta,
)
from engine.safety import Profile
from engine.safety.guard import Guarded

TEXTS = Path(__file__).resolve().parents[2] / "resources" / "texts"
ROUNDS = 5


class Prose:
    """An engine that says these tokens."""

    def __init__(self, tokens: list[str]) -> None:
        self._events = [TextDelta(1, Channel.ANSWER, token) for token in tokens]

    def run(self, command: Command, cancelled: Callable[[], bool]) -> Iterator[Event | None]:
        yield from self._events
        yield Finished(1, FinishReason.END_OF_TURN)

    def close(self) -> None:
        pass


def tokens_of(name: str, size: int) -> list[str]:
    text = (TEXTS / name).read_text("utf-8")[:8_000]
    return [text[k : k + size] for k in range(0, len(text), size)]


def seconds(guarded: Guarded, question: str) -> float:
    best = float("inf")
    for turn in range(ROUNDS):
        command = Generate(1, (Message(Role.USER, question + str(turn)),))
        begin = time.process_time()
        for _ in guarded.run(command, lambda: False):
            pass
        best = min(best, time.process_time() - begin)
    return best


def main() -> None:
    with tempfile.TemporaryDirectory() as home:
        os.environ["INKSTONE_HOME"] = home
        for language, size in (("en", 4), ("zh", 2)):
            tokens = tokens_of(f"held_out_{language}.txt", size)
            for profile in Profile:
                stored = json.dumps({"safety_profile": profile.value})
                Path(home, "settings.json").write_text(stored, "utf-8")
                cost = seconds(Guarded(Prose(tokens)), "Hello") / len(tokens)
                print(f"{language} {profile.value:13} {cost * 1e6:7.2f} µs a token")
        long = "An ordinary sentence with no harm in it. " * 2_500
        for profile in (Profile.FAMILY, Profile.ORGANISATION):
            stored = json.dumps({"safety_profile": profile.value})
            Path(home, "settings.json").write_text(stored, "utf-8")
            cost = seconds(Guarded(Prose([])), long)
            print(f"question of {len(long):,} letters, {profile.value}: {cost * 1e3:.1f} ms")


if __name__ == "__main__":
    argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0]).parse_args()
    main()
