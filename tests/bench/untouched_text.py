"""Whether a way of rounding is really below another: ``untouched_text.py MODEL --text FILE…``.

``quality_bars.py`` reads the texts by which constants were chosen. This one reads any other: plain
text in UTF-8, the same number of tokens of each file, through every copy that ``quality_bars.py``
has left in ``--folder`` (give the same ``--off-grid`` and ``--peer``). All copies read a piece of
256 tokens one after the other, so that two of them differ by their rounding alone; how sure a
difference is comes from drawing the pieces anew, some thousand times, with repetition (bootstrap).

Readings stay in the folder, and the same command goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

from engine.quantizing import pieces
from engine.storage.open import open_checkpoint
from engine.text.model_text import open_text
from tests.bench.quality_bars import SLICE, WAYS, Bench, Rows, opened

DRAWS = 10_000

Piece = tuple[str, int, list[int]]
"""A file's name, which of its pieces, and its ids."""


@dataclass(frozen=True, slots=True)
class Copy:
    """One way of rounding.

    Attributes:
        name: with its bits a weight.
        weights: float32, by name.
    """

    name: str
    weights: dict[str, Tensor]


def cut(model: Path, files: Sequence[Path], tokens: int) -> list[Piece]:
    """The files' pieces in turn, so that a run that was stopped knows something of each."""
    text = open_text(model, open_checkpoint(model).metadata)
    found = []
    for file in files:
        whole = pieces(text, file.read_text("utf-8"), SLICE + 1, again=1)
        if len(whole) * SLICE < tokens:
            raise SystemExit(f"{file}: only {len(whole)} pieces of {SLICE} tokens")
        found += [(file.name, at, ids) for at, ids in enumerate(whole[: tokens // SLICE])]
    return sorted(found, key=lambda piece: piece[1])


class Readings:
    """Mean divergence of each piece and copy, in nats a token; kept on disk.

    Args:
        path: of the file that keeps them.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.known: dict[str, dict[str, float]] = (
            json.loads(path.read_text("utf-8")) if path.is_file() else {}
        )

    def read(
        self, bench: Bench, copies: Sequence[Copy], wanted: Sequence[Piece], ends: float
    ) -> bool:
        """Read what is not known yet; False where the time was over before."""
        for file, at, ids in wanted:
            key = f"{file} {at}"
            left = [copy for copy in copies if copy.name not in self.known.get(key, {})]
            if not left:
                continue
            if time.monotonic() > ends:
                return False
            self.known.setdefault(key, {}).update(divergences(bench, left, ids))
            self._path.write_text(json.dumps(self.known, indent=0), "utf-8")
        return True

    def of(self, name: str, wanted: Sequence[Piece]) -> Tensor:
        """A copy's, piece by piece."""
        return torch.tensor([self.known[f"{file} {at}"][name] for file, at, _ in wanted])


@torch.inference_mode()
def divergences(bench: Bench, copies: Sequence[Copy], ids: list[int]) -> dict[str, float]:
    """The mean divergence of each copy over one piece."""
    held = dict(bench.model.named_parameters())
    exact = {name: held[name].data for copy in copies for name in copy.weights}

    def said() -> Tensor:
        logits: Tensor = bench.model(torch.tensor([ids[:-1]])).logits[0]
        return logits.float().log_softmax(-1)

    wanted, found = said(), {}
    for copy in copies:
        try:
            for name, weight in copy.weights.items():
                held[name].data = weight
            each = F.kl_div(said(), wanted, reduction="none", log_target=True).sum(-1)
        finally:
            for name in copy.weights:
                held[name].data = exact[name]
        found[copy.name] = float(each.mean())
    return found


def made(bench: Bench, python: str | None, only: Container[str]) -> Iterator[Copy]:
    """The copies that the table has, or those of some ways."""
    for name, bits, weights in Rows(bench).ways(python, only):
        yield Copy(f"{name} {bits:.2f}", {n: make().float() for n, make in weights.items()})


def drawn(values: Tensor) -> Tensor:
    """Means of as many pieces as there are, drawn anew with repetition: [draws, ways]."""
    random = torch.Generator().manual_seed(1)
    chosen = torch.randint(0, len(values), (DRAWS, len(values)), generator=random)
    return values[chosen].mean(1)


def compare(readings: Readings, wanted: Sequence[Piece], names: Sequence[str]) -> None:
    """Print the copies' divergences, and each way of ours against the others of its size."""
    files = list(dict.fromkeys(file for file, _, _ in wanted))
    print(f"| rounding | {' | '.join(files)} | all |")
    print("| --- |" + " --- |" * (len(files) + 1))
    for name in names:
        shown = [readings.of(name, [p for p in wanted if p[0] == file]).mean() for file in files]
        whole = readings.of(name, wanted).mean()
        print(f"| {name} | {' | '.join(f'{float(v):.4f}' for v in (*shown, whole))} |")
    print("\n| against | difference | in percent | below in so many draws |")
    print("| --- | --- | --- | --- |")
    for ours, theirs in pairs(names):
        both = torch.stack([readings.of(ours, wanted), readings.of(theirs, wanted)], 1)
        means = drawn(both)
        apart = means[:, 0] - means[:, 1]
        share = 100 * apart / means[:, 1]
        gap = float((both[:, 0] - both[:, 1]).mean())
        print(
            f"| {ours} against {theirs} | {gap:+.5f} ± {float(apart.std()):.5f} "
            f"| {100 * gap / float(both[:, 1].mean()):+.1f} ± {float(share.std()):.1f} "
            f"| {float((apart < 0).float().mean()):.1%} |"
        )


def pairs(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What is compared: the recipe and GPTQ with all others of their size."""
    for ours in names:
        way, _, bits = ours.rpartition(" ")
        if way not in {"recipe", "gptq"}:
            continue
        for theirs in names:
            other, _, size = theirs.rpartition(" ")
            if other not in {way, "gptq", "awq"} and abs(float(size) - float(bits)) < 0.1:
                yield ours, theirs


def main() -> int:
    """Read, and print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", help="a GGUF file")
    parser.add_argument("--text", type=Path, nargs="+", required=True, metavar="FILE")
    parser.add_argument("--tokens", type=int, default=16 * SLICE, help="of each file")
    parser.add_argument("--folder", type=Path, required=True, help="of quality_bars.py")
    parser.add_argument("--peer", metavar="PYTHON", help="an interpreter with llama-cpp-python")
    parser.add_argument("--off-grid", action="store_true")
    parser.add_argument("--only", nargs="+", default=WAYS, choices=WAYS, help="these ways")
    parser.add_argument("--minutes", type=float, default=1e6, help="stop after so many")
    options = parser.parse_args()
    ends = time.monotonic() + 60 * options.minutes
    wanted = cut(Path(options.model), options.text, options.tokens)
    with opened(options) as bench:
        copies = list(made(bench, options.peer, options.only))
        readings = Readings(bench.folder / "untouched.json")
        if not readings.read(bench, copies, wanted, ends):
            return 3
    compare(readings, wanted, [copy.name for copy in copies])
    return 0


if __name__ == "__main__":
    sys.exit(main())
