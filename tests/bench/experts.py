"""What a mixture costs: time by active parameters, not by all of them.

    python tests/bench/experts.py [--experts 8 32 64] [--threads 2] [--rounds 5]

Random 4-bit models of Mixtral's shape, two experts a token, every expert of the same size; beside
them a dense model whose feed-forward is as wide as the two active experts together. Each round
runs every model once, so that other load on the machine meets all of them; what counts are the
medians. ``--one-by-one`` also runs the largest mixture layer by layer and expert by expert.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import torch

from engine.families.registry import build
from engine.kernels.batch import Batch, Span
from engine.kernels.cpu.kernels import CpuKernels
from engine.layers.fused import FusedDecoder
from engine.weights import Grouped4, Weight

HIDDEN, WIDE, CHOSEN, LAYERS, VOCABULARY, PAGE, CONTEXT = 1024, 768, 2, 4, 4096, 32, 1024


class RandomCheckpoint:
    """4-bit codes of the shapes that a configuration asks for, made as they are read."""

    format = "safetensors"

    def __init__(self, config: dict[str, Any], shapes: dict[str, tuple[int, ...]]) -> None:
        self.path = Path("/random/model")
        self.metadata = config
        self._shapes = shapes

    def names(self) -> Sequence[str]:
        """All tensors."""
        return list(self._shapes)

    def shape(self, name: str) -> tuple[int, ...]:
        """Of a tensor."""
        return self._shapes[name]

    def nbytes(self, name: str) -> int:
        """As they will be packed."""
        return torch.Size(self._shapes[name]).numel() * 9 // 16

    def read(self, name: str) -> Weight:
        """A plain tensor for norms and routers, else codes."""
        shape = self._shapes[name]
        if len(shape) == 1 or name.endswith("gate.weight"):
            return torch.randn(shape)
        rows, columns = shape
        codes = torch.randint(0, 256, (rows, columns // 2), dtype=torch.uint8)
        scale = torch.full((rows, columns // 32), 0.2 / columns**0.5, dtype=torch.float16)
        return Grouped4(codes, scale, None, 32)

    def release(self) -> None:
        """Nothing is mapped."""

    def release_in_use(self) -> None:
        """The same."""

    def close(self) -> None:
        """Nothing is open."""


def checkpoint(experts: int) -> RandomCheckpoint:
    """A mixture of so many experts; of 0: a dense model as wide as those that are active."""
    config = {
        "model_type": "mixtral" if experts else "llama", "hidden_size": HIDDEN,
        "intermediate_size": WIDE if experts else WIDE * CHOSEN, "num_hidden_layers": LAYERS,
        "num_attention_heads": 16, "num_key_value_heads": 4, "vocab_size": VOCABULARY,
        "max_position_embeddings": CONTEXT, "rms_norm_eps": 1e-5, "tie_word_embeddings": False,
        "num_local_experts": experts, "num_experts_per_tok": CHOSEN, "rope_theta": 10000.0,
    }  # fmt: skip
    shapes: dict[str, tuple[int, ...]] = {
        "model.embed_tokens.weight": (VOCABULARY, HIDDEN),
        "lm_head.weight": (VOCABULARY, HIDDEN),
        "model.norm.weight": (HIDDEN,),
    }
    for layer in range(LAYERS):
        at = f"model.layers.{layer}"
        shapes[f"{at}.input_layernorm.weight"] = (HIDDEN,)
        shapes[f"{at}.post_attention_layernorm.weight"] = (HIDDEN,)
        for name, rows in (("q", HIDDEN), ("k", 256), ("v", 256), ("o", HIDDEN)):
            shapes[f"{at}.self_attn.{name}_proj.weight"] = (rows, HIDDEN)
        if experts:
            shapes[f"{at}.block_sparse_moe.gate.weight"] = (experts, HIDDEN)
        for expert in range(experts):
            for name, shape in (
                ("w1", (WIDE, HIDDEN)),
                ("w3", (WIDE, HIDDEN)),
                ("w2", (HIDDEN, WIDE)),
            ):
                shapes[f"{at}.block_sparse_moe.experts.{expert}.{name}.weight"] = shape
        if not experts:
            wide = WIDE * CHOSEN
            shapes[f"{at}.mlp.gate_proj.weight"] = shapes[f"{at}.mlp.up_proj.weight"] = (
                wide,
                HIDDEN,
            )
            shapes[f"{at}.mlp.down_proj.weight"] = (HIDDEN, wide)
    return RandomCheckpoint(config, shapes)


class Run:
    """A model and its cache."""

    def __init__(self, name: str, experts: int, kernels: CpuKernels) -> None:
        self.name = name
        made = build(checkpoint(experts), kernels, lambda done, total: None, CONTEXT)
        self.model: Any = made
        self.weight_bytes = made.weight_bytes
        self.cache = kernels.make_cache(made.cache_layers, CONTEXT // PAGE, PAGE, 16)
        self.seconds: list[tuple[float, float]] = []

    def round(self, prompt: int, tokens: int) -> None:
        """Time one prompt and some tokens after it."""
        begin = time.perf_counter()
        self._step(prompt, 0)
        middle = time.perf_counter()
        for number in range(tokens):
            self._step(1, prompt + number)
        self.seconds.append((middle - begin, (time.perf_counter() - middle) / tokens))

    def _step(self, tokens: int, start: int) -> None:
        span = Span(0, tokens, start, tuple(range(-(-(start + tokens) // PAGE))))
        ids = torch.randint(0, VOCABULARY, (tokens,))
        batch = Batch(ids, torch.arange(start, start + tokens), (span,), torch.tensor([tokens - 1]))
        self.model.forward(batch, self.cache)


def one_by_one(run: Run) -> Run:
    """The same model layer by layer, each expert by itself."""
    if not isinstance(run.model, FusedDecoder):
        raise TypeError("the mixture does not run as one program")
    slow = object.__new__(Run)
    slow.name, slow.model, slow.cache = f"{run.name}, one by one", run.model.decoder, run.cache
    slow.weight_bytes, slow.seconds = run.weight_bytes, []
    for block in run.model.decoder.blocks:
        block.feed_forward._mixer = None
    return slow


def main() -> None:
    """Measure and print a Markdown table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--experts", type=int, nargs="+", default=[8, 32, 64])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--prompt", type=int, default=512)
    parser.add_argument("--tokens", type=int, default=32)
    parser.add_argument("--one-by-one", action="store_true")
    given = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    kernels = CpuKernels(given.threads)
    runs = [Run("dense, of the active size", 0, kernels)]
    runs += [Run(f"{count} experts", count, kernels) for count in given.experts]
    if given.one_by_one:
        runs.append(one_by_one(runs[-1]))
    for number in range(given.rounds + 1):
        for run in runs:
            run.round(given.prompt, given.tokens)
            if number == 0:
                run.seconds.clear()  # compiling, buffers, first touch
    print(f"| model | weights | prefill of {given.prompt} | a token |\n| --- | --- | --- | --- |")
    for run in runs:
        prefill, decode = (
            statistics.median(times) * 1e3 for times in zip(*run.seconds, strict=True)
        )
        size = run.weight_bytes / (1 << 20)
        print(f"| {run.name} | {size:.0f} MiB | {prefill:.0f} ms | {decode:.2f} ms |")
    kernels.close()


if __name__ == "__main__":
    main()
