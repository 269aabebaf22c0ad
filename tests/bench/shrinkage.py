"""How far products of columns are shrunk: ``shrinkage.py MODEL --layers 3 14``.

The calibration text is cut in two. Codes are polished by what one half says of a layer's inputs,
and the error of their outputs is asked of the other half, over what searched scales alone leave.
So the share is chosen without any text that copies are judged on. A text that is to tell how codes
do elsewhere should be of another kind than the one they were found by: ``--apart`` puts the files
of the program's own words into the one half, the stories, questions and lists into the other.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import torch
from torch import Tensor

from engine.library.recipes import PRESETS
from engine.quantization.layered import LayeredModel
from engine.quantization.measuring import embedded
from engine.quantization.polishing import damped, polish
from engine.quantization.rounding import Rounded, round_searched
from engine.quantization.source import Source
from engine.quantizing import CALIBRATION, open_source

SHARES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7)
MAPS = ("q_proj", "o_proj", "gate_proj", "down_proj")
EVERY_ROW = 4


def halves(sequences: int, apart: bool) -> Tensor:
    """Bool [sequences]: which are in the first half; the files' sequences come in turn."""
    at, files = torch.arange(sequences), len(CALIBRATION)
    return at % files < files // 2 if apart else at // files % 2 == 0


def products(
    source: Source, layers: list[int], first: Tensor
) -> Iterator[tuple[str, Tensor, Tensor, Tensor]]:
    """Each map's name and weight, and the mean of ``x xᵀ`` over either half of the text."""
    model = LayeredModel(source.config, frozenset(source.checkpoint.names()))
    hidden = embedded(source, model)
    for layer in range(max(layers) + 1):
        weights = {name: source.float(name) for name in model.weight_names(layer)}
        seen: dict[str, list[Tensor]] = {}

        def watch(name: str, x: Tensor, seen: dict[str, list[Tensor]] = seen) -> None:
            if any(kind in name for kind in MAPS):
                seen.setdefault(name, []).append(x.float().T @ x.float() / len(x))

        hidden = model.run(layer, hidden, weights, watch if layer in layers else None)
        for name, found in seen.items():
            every = torch.stack(found)
            yield name, weights[name][::EVERY_ROW], every[first].mean(0), every[~first].mean(0)


def error(weight: Tensor, rounded: Rounded, hessian: Tensor) -> float:
    """The root of the outputs' squared error; in proportion for one weight and one text."""
    wrong = weight - rounded.weight
    return float(((wrong @ hessian) * wrong).sum()) ** 0.5


@torch.inference_mode()
def main() -> None:
    """Print, for each share, what is left of the searched scales' error."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("--layers", type=int, nargs="+", default=[3, 14])
    parser.add_argument("--apart", action="store_true", help="halves of other kinds of text")
    options = parser.parse_args()
    source, scheme = open_source(options.model), PRESETS["4"].scheme
    left: dict[float, list[float]] = {share: [] for share in SHARES}
    first = halves(len(source.ids), options.apart)
    for name, weight, one, other in products(source, options.layers, first):
        for found_by, asked in ((one, other), (other, one)):
            searched = round_searched(weight, scheme, source.scale_dtype, found_by.diagonal())
            for share in SHARES:
                with patch("engine.quantization.polishing._SHRUNK", share):
                    polished = polish(weight, searched, scheme, damped(found_by))
                ratio = error(weight, polished, asked) / error(weight, searched, asked)
                left[share].append(ratio)
        print(name, flush=True)
    print("| shrunk by | error left |\n| --- | --- |")
    for share, ratios in left.items():
        print(f"| {share} | {sum(ratios) / len(ratios):.4f} |")


if __name__ == "__main__":
    main()
