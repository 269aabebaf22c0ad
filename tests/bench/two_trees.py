"""Is one version faster than another? ``python tests/bench/two_trees.py TREE TREE MODEL.gguf``.

Each tree's engine computes in a process of its own, from that tree's sources; rounds alternate, so
that other load on the machine meets both. Told are medians over the rounds of a step of one token
(after 128 and, with ``--depth``, after so many), of ``--together`` rows, and of a prompt, and the
median of the rounds' own ratios. A tree is a checkout: ``git worktree add /tmp/before COMMIT``.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

PAGE, SHALLOW, TOKENS = 32, 128, 32


class Side:
    """One tree's process."""

    def __init__(self, tree: Path, options: argparse.Namespace) -> None:
        script = [sys.executable, "-P", str(Path(__file__).resolve()), "--serve"]
        asked = [str(options.model), "--threads", str(options.threads), "--prompt"]
        asked += [str(options.prompt), "--depth", str(options.depth)]
        asked += ["--cache-bits", str(options.cache_bits), "--together", str(options.together)]
        self._process = subprocess.Popen(
            [*script, *asked], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONPATH": str(tree)}, cwd=tree,
        )  # fmt: skip

    def round(self) -> dict[str, float]:
        """The seconds of each kind of work."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit("A tree's engine ended; what it said stands above.")
        return dict(json.loads(line))

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


def serve(options: argparse.Namespace) -> None:
    """Answer each line of the input with a round's seconds, from the sources on the path."""
    import torch

    from engine.families.registry import build
    from engine.kernels.batch import Batch, Span
    from engine.kernels.cpu.kernels import CpuKernels
    from engine.storage.open import open_checkpoint

    torch.set_num_threads(1)
    room = max(options.prompt, options.depth, SHALLOW) + TOKENS + PAGE
    kernels = CpuKernels(options.threads)
    model = build(open_checkpoint(options.model), kernels, lambda done, total: None, room)
    cache = kernels.make_cache(model.cache_layers, -(-room // PAGE), PAGE, options.cache_bits)

    def step(start: int, tokens: int) -> None:
        span = Span(0, tokens, start, tuple(range(-(-(start + tokens) // PAGE))))
        ids, at = torch.full((tokens,), 5), torch.arange(start, start + tokens)
        model.forward(Batch(ids, at, (span,), torch.tensor([tokens - 1])), cache)

    def seconds(start: int, tokens: int, times: int) -> float:
        begin = time.perf_counter()
        for number in range(times):
            step(start + (number if tokens == 1 else 0), tokens)
        return (time.perf_counter() - begin) / times

    for _ in sys.stdin:
        step(SHALLOW, 1)  # threads wake
        found = {f"a token after {SHALLOW}": seconds(SHALLOW, 1, TOKENS)}
        if options.depth:
            found[f"a token after {options.depth}"] = seconds(options.depth, 1, TOKENS)
        if options.together:
            found[f"{options.together} rows"] = seconds(SHALLOW, options.together, TOKENS // 2)
        if options.prompt:
            found[f"a prompt of {options.prompt}"] = seconds(0, options.prompt, 1)
        print(json.dumps(found), flush=True)
    kernels.close()


def table(rounds: list[tuple[dict[str, float], dict[str, float]]]) -> list[str]:
    """Lines of Markdown."""
    lines = ["| | first, ms | second, ms | second takes |", "| --- | --- | --- | --- |"]
    for name in rounds[0][0]:
        pairs = [(one[name], other[name]) for one, other in rounds]
        one, other = (1e3 * statistics.median(times) for times in zip(*pairs, strict=True))
        ratios = sorted(b / a for a, b in pairs)
        spread = f"{ratios[0]:.3f} to {ratios[-1]:.3f}"
        middle = statistics.median(ratios)
        lines.append(f"| {name} | {one:.3f} | {other:.3f} | {middle:.3f} ({spread}) |")
    return lines


def main() -> None:
    """Measure and print, or serve."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    serves = "--serve" in sys.argv
    if serves:
        sys.argv.remove("--serve")
    else:
        parser.add_argument("trees", type=Path, nargs=2, metavar="TREE")
    parser.add_argument("model", type=Path)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--prompt", type=int, default=512, help="0: none")
    parser.add_argument("--depth", type=int, default=0, help="0: none")
    parser.add_argument("--together", type=int, default=0, help="rows of one step; 0: none")
    parser.add_argument("--cache-bits", type=int, default=16, choices=(8, 16))
    options = parser.parse_args()
    if not options.model.is_file():
        parser.error(f"{options.model} is not a file")
    if serves:
        serve(options)
        return
    for tree in options.trees:
        if not (tree / "engine").is_dir():
            parser.error(f"{tree} is no checkout: it has no folder engine")
    compare(options)


def compare(options: argparse.Namespace) -> None:
    """Let both trees compute in turn."""
    sides: list[Any] = []
    try:
        sides += [Side(tree.resolve(), options) for tree in options.trees]
        for side in sides:
            side.round()  # compiling, buffers, first touch
        rounds = []
        for number in range(options.rounds):
            order = sides if number % 2 == 0 else sides[::-1]
            found = {id(side): side.round() for side in order}
            rounds.append((found[id(sides[0])], found[id(sides[1])]))
        print("\n".join(table(rounds)))
    finally:
        for side in sides:
            side.close()


if __name__ == "__main__":
    main()
