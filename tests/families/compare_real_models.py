"""Real models against transformers on the same file, dequantized: greedy text and probabilities.

Not a test: it takes minutes. ``python -m tests.families.compare_real_models MODEL.gguf`` prints,
for plain torch, for the CPU kernels with float activations and for those with 8-bit activations,
the first difference of a greedy continuation with the gap between transformers' two best logits
there (a near-tie explains it), and over the bundled passages the change of perplexity, the
Kullback-Leibler divergence and the share of tokens with the same likeliest one.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import torch

from engine.kernels.choose import default_threads
from engine.kernels.cpu.kernels import CpuKernels
from engine.kernels.interface import Kernels
from engine.kernels.reference import ReferenceKernels
from tests.families.real_models import (
    PASSAGES,
    PROMPT,
    Likeness,
    continuation,
    likeness,
    our_model,
    passage,
    text_of,
    transformers_model,
)


def line(name: str, found: Likeness) -> str:
    """A row of Markdown."""
    change = f"{100 * found.perplexity_change:+.3f} %"
    return f"| {name} | {change} | {found.divergence:.1e} | {100 * found.same_top:.2f} % |"


def main(arguments: Sequence[str]) -> None:
    """Compare one file."""
    path = Path(arguments[0])
    count = int(arguments[1]) if len(arguments) > 1 else 64
    threads = default_threads()
    torch.set_num_threads(threads)
    kernels: dict[str, Kernels] = {
        "plain torch": ReferenceKernels(),
        "float activations": CpuKernels(threads, precise=True),
        "8-bit activations": CpuKernels(threads),
    }
    try:
        oracle = transformers_model(path)
        text = text_of(path)
        models = {name: our_model(path, kernel) for name, kernel in kernels.items()}
        for name, model in models.items():
            found = continuation(oracle, model, kernels[name], text.raw(PROMPT), count)
            gap = "" if found.gap is None else f", then a gap of {found.gap:.4f}"
            print(f"greedy, {name}: {found.same} of {count} tokens the same{gap}", flush=True)
        pairs = [(model, kernels[name]) for name, model in models.items()]
        texts = [passage(text, name) for name in PASSAGES]
        print(f"| {path.name}, {sum(map(len, texts))} tokens | perplexity | KL, nats | same top |")
        print("| --- | --- | --- | --- |")
        for name, likely in zip(models, likeness(oracle, pairs, texts), strict=True):
            print(line(name, likely), flush=True)
    finally:
        for kernel in kernels.values():
            kernel.close()


if __name__ == "__main__":
    main(sys.argv[1:])
