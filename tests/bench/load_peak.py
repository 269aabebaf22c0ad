"""Time and memory of loading: ``python tests/bench/load_peak.py MODEL…``.

Each model is loaded in a process of its own, after one that compiled the kernels. Told are seconds,
how much the process's memory grew at most above what it held before (Linux: pages of the mapped
file, which the system takes back when it wants, are counted apart), and that over the weights in
canonical form and the cache. "Once" is what the first load of a process leaves there whatever the
model is, the tables of numba's compiler and the compiled kernels: it is told apart, and the last
column counts it too. Libraries are imported before.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SAMPLE_S = 0.005


def resident() -> tuple[int, int]:
    """Bytes of this process's own memory, and of files, in memory now."""
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    found = {line.split(":")[0]: line.split()[1] for line in lines if line.startswith("Rss")}
    own = int(found["RssAnon"]) + int(found["RssShmem"])
    return own * 1024, int(found["RssFile"]) * 1024


class Sampler:
    """The largest of ``resident`` while it runs."""

    def __init__(self) -> None:
        self.own = self.file = 0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        while not self._done.wait(SAMPLE_S):
            own, file = resident()
            self.own, self.file = max(self.own, own), max(self.file, file)

    def stop(self) -> None:
        """End the samples."""
        self._done.set()
        self._thread.join()


def load(path: Path) -> None:
    """Load a model here, and print what it took as JSON."""
    sys.path.insert(0, str(ROOT))
    from engine.contract import Load, Loaded, LoadSettings
    from engine.engine import Engine
    from engine.startup import load_libraries

    for _ in load_libraries(0):  # before, so that the growth is the model's
        pass
    import engine.answering  # noqa: F401 (the same)
    from engine.kernels.choose import choose_kernels

    bare = resident()
    kernels = choose_kernels(None, None)
    kernels.warm_up(lambda done, total: None)
    kernels.close()
    before = resident()
    sampler, begin, memory = Sampler(), time.perf_counter(), None
    for event in Engine().run(Load(1, path, LoadSettings(context=2048)), lambda: False):
        if isinstance(event, Loaded):
            memory = event.memory
    took = time.perf_counter() - begin
    sampler.stop()
    assert memory is not None
    held = memory.weights + memory.cache
    figures = {"s": took, "own": sampler.own - before[0], "file": sampler.file - before[1]}
    figures["once"] = before[0] - bare[0]
    print(json.dumps(figures | {"held": held, "weights": memory.weights, "cache": memory.cache}))


def main() -> None:
    """Load every model named in a process of its own."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("models", nargs="+", metavar="MODEL", type=Path)
    parser.add_argument("--here", action="store_true", help="in this process, as JSON")
    given = parser.parse_args()
    if given.here:
        load(given.models[0])
        return
    print("| model | load | weights + cache | memory grew | over it | mapped file | once | all |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for path in given.models:
        child = [sys.executable, __file__, "--here", str(path)]
        for _ in range(2):
            ran = subprocess.run(child, capture_output=True, text=True, check=True)
        got = json.loads(ran.stdout.splitlines()[-1])
        held, own, file, once = (got[key] / 2**20 for key in ("held", "own", "file", "once"))
        print(
            f"| {path.name} | {got['s']:.1f} s | {held:.0f} MiB | {own:.0f} MiB "
            f"| {own / held:.2f} | {file:.0f} MiB | {once:.0f} MiB | {(own + once) / held:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
