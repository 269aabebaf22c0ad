"""What looking for models costs: ``python tests/bench/library_scan.py``. Prints a table.

A thousand models among 20,000 other files, three folders deep: each file read for the first time,
then known from the last run, as at every start of the program but the first. The system's own
cache of files is warm both times.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from engine.library.facts_cache import FactsCache
from engine.library.identify import identify
from engine.library.scan import scan
from engine.library.sources import Source, SourceKind
from tests.library.model_files import llama_gguf

MODELS, OTHERS, ROUNDS = 1_000, 20_000, 5


def fill(folder: Path) -> None:
    """Write models and other files, twenty models and 400 others a folder."""
    content = llama_gguf().to_bytes()
    for number in range(MODELS):
        place = folder / f"publisher {number // 200}" / f"家族 {number // 20}"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"model {number}.gguf").write_bytes(content)
    for number in range(OTHERS):
        place = folder / f"publisher {number // 4000}" / f"家族 {number // 400}"
        (place / f"note {number}.txt").touch()


def seconds(folder: Path, cache: FactsCache) -> float:
    """Look through the folder once."""
    began = time.perf_counter()
    found = scan([Source(SourceKind.ADDED, folder)], cache.identify)
    cache.save()
    taken = time.perf_counter() - began
    assert len(found) == MODELS, len(found)
    return taken


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as home:
        folder, kept = Path(home, "models"), Path(home, "facts.json")
        fill(folder)
        first, known = [], []
        for _ in range(ROUNDS):
            kept.unlink(missing_ok=True)
            first.append(seconds(folder, FactsCache(kept, identify)))
            known.append(seconds(folder, FactsCache(kept, identify)))
        print(f"| {MODELS:,} models among {OTHERS:,} files | median of {ROUNDS} | worst |")
        print("| --- | --- | --- |")
        for name, times in (("each read for the first time", first), ("known", known)):
            print(f"| {name} | {statistics.median(times):.2f} s | {max(times):.2f} s |")


if __name__ == "__main__":
    argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0]).parse_args()
    main()
