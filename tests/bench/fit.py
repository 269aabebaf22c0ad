"""What a model was said to need beside the peak it took: ``python tests/bench/fit.py MODEL…``.

Each model is loaded at each context in a process of its own, reads until the context is nearly full
and writes 64 tokens, as the window's engine would; then what is left of the cache is touched, as
other conversations would fill it. The peak is its largest resident size. ``--read`` reads so many
tokens alone: the same memory in a fraction of the time, for nothing else grows with what was read.
The first model is loaded once before, unheard, for kernels that are compiled take memory too.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Generator
from itertools import product
from pathlib import Path
from typing import Any

import psutil

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

WORD, WRITTEN, MARGIN = " the", 64, 96
CONTEXTS, MOST = (2048, 8192), 1 << 20
PAGE = 4096  # bytes


def answer(path: Path, context: int, read: int, bits: int) -> dict[str, int]:
    """Load a model here and let it answer; what it was said to need, and what it took."""
    from engine.contract import (
        Complete,
        Event,
        GenerateSettings,
        Load,
        Loaded,
        LoadSettings,
        Sampling,
    )
    from engine.device import peak_resident_bytes
    from engine.engine import Answers, Engine, load_from_files
    from engine.library.identify import identify
    from engine.library.memory import memory_taken

    need = memory_taken(identify(path), context, psutil.virtual_memory().available, bits)
    kept: list[Answers] = []

    def load(command: Load) -> Generator[Event, None, Answers]:
        kept.append((yield from load_from_files(command)))
        return kept[0]

    engine, held = Engine(load), None
    asked = LoadSettings(context=context, cache_bits=bits)
    for event in engine.run(Load(1, path, asked), lambda: False):
        held = event.memory if isinstance(event, Loaded) else held
    settings = GenerateSettings(max_tokens=WRITTEN, sampling=Sampling(temperature=1.0, seed=1))
    words = WORD * (min(read, context) - WRITTEN - MARGIN)
    for _ in engine.run(Complete(2, words, settings), lambda: False):
        pass
    assert held is not None
    touch(kept[0])
    return {
        "said": need.total,
        "peak": peak_resident_bytes(),
        "weights": need.weights,
        "cache": need.cache,
        "held_weights": held.weights,
        "held_cache": held.cache,
    }


def touch(answers: Any) -> None:
    """Write to every page of memory that the cache of a loaded model has."""
    for layer in answers._model.cache.layers:
        for part in (layer.keys, layer.values):
            part.reshape(-1)[::PAGE] |= 0


def measured(path: Path, context: int, read: int = MOST, bits: int = 16) -> dict[str, int]:
    """The same in a process of its own."""
    child = [sys.executable, __file__, "--here", str(path), "--context", str(context)]
    child += ["--read", str(read), "--cache-bits", str(bits)]
    ran = subprocess.run(child, capture_output=True, text=True, check=True)
    figures: dict[str, int] = json.loads(ran.stdout.splitlines()[-1])
    return figures


def main() -> None:
    """Measure every model named, or answer in this process."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="+", type=Path)
    parser.add_argument("--context", type=int, action="append")
    parser.add_argument("--read", type=int, default=MOST, metavar="TOKENS")
    parser.add_argument("--cache-bits", type=int, action="append", choices=(16, 8))
    parser.add_argument("--here", action="store_true")
    options = parser.parse_args()
    contexts, caches = options.context or CONTEXTS, options.cache_bits or [16]
    if options.here:
        print(json.dumps(answer(options.models[0], contexts[0], options.read, caches[0])))
        return
    measured(options.models[0], CONTEXTS[0], 1024)
    print("| model | context | cache | said | peak | said / peak |")
    print("| --- | --- | --- | --- | --- | --- |")
    for path, context, bits in product(options.models, contexts, caches):
        got = measured(path, context, options.read, bits)
        said, peak = got["said"] / 1e6, got["peak"] / 1e6
        figures = f"{said:.0f} MB | {peak:.0f} MB | {said / peak:.3f}"
        print(f"| {path.name} | {context:,} | {bits} bit | {figures} |", flush=True)


if __name__ == "__main__":
    main()
