"""What looking into replies costs: ``python tests/bench/inspector.py MODEL``.

The same reply is written without and with traces, then computed once more from its ids; the last
figure is what the traces take in the window's process.
"""

from __future__ import annotations

import argparse
import gc
import pickle
import sys
import time
import tracemalloc
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from engine.contract import (  # noqa: E402
    Event,
    Finished,
    Generate,
    GenerateSettings,
    Inspect,
    Load,
    Message,
    Role,
    Sampling,
    TextDelta,
    TokenChoice,
)
from engine.engine import Engine  # noqa: E402

ASKED = (Message(Role.USER, "Tell a long story about a river."),)
ROUNDS = 5


def run(engine: Engine, command: Generate | Inspect) -> tuple[Finished, list[TokenChoice], float]:
    """Answer a command; its end, its tokens, and how long it took."""
    begin, tokens = time.perf_counter(), []
    end: Event | None = None
    for event in engine.run(command, lambda: False):
        if isinstance(event, TextDelta):
            tokens += event.tokens
        end = event or end
    assert isinstance(end, Finished)
    return end, tokens, time.perf_counter() - begin


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("--tokens", type=int, default=256)
    chosen = parser.parse_args()
    engine = Engine()
    for _ in engine.run(Load(1, chosen.model), lambda: False):
        pass
    sampling = Sampling(seed=1, min_tokens=chosen.tokens)
    plain = GenerateSettings(sampling, max_tokens=chosen.tokens)
    traced = GenerateSettings(sampling, max_tokens=chosen.tokens, alternatives=6, traces=True)
    speeds: dict[str, list[float]] = {"closed": [], "open": []}
    again: list[float] = []
    number = 1
    for _ in range(ROUNDS):  # in turn: the machine may be busy with other things
        for name, settings in (("closed", plain), ("open", traced)):
            number += 1
            end, tokens, _ = run(engine, Generate(number, ASKED, settings))
            speeds[name].append(end.timings.tokens_per_second or 0.0)
        number += 1
        again.append(run(engine, Inspect(number, ASKED, end.ids, traced))[2])
    print(f"decode, inspector closed  {median(speeds['closed']):7.1f} tokens/s")
    print(f"decode, inspector open    {median(speeds['open']):7.1f} tokens/s")
    print(f"{len(end.ids)} tokens once more     {median(again):7.2f} s")
    data = pickle.dumps(tokens)
    print(f"sent for each token       {len(data) / len(tokens):7.0f} bytes")
    gc.collect()
    tracemalloc.start()
    kept = pickle.loads(data)
    taken = tracemalloc.get_traced_memory()[0]
    print(f"kept for 1,000 tokens     {taken / len(kept) / 1000:7.1f} MB")
    engine.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
