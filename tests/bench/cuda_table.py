"""How fast the CUDA kernels are: models of random weights, and others in the same run.

Columns: decode in tokens a second, its share of the measured read bandwidth, prefill of 512 tokens,
time to the first token, and per model what the same run gives ATen's tinygemm (all products of one
token, recorded like ours) and transformers' ``generate`` with a static cache (bf16).
"""

from __future__ import annotations

import gc
import statistics
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import torch

from engine.families.registry import build
from engine.kernels.batch import Batch, Span
from engine.kernels.cuda.kernels import CudaKernels
from engine.kernels.cuda.recording import Recorder
from engine.kernels.cuda.tinygemm import TinygemmKernels
from engine.kernels.drawing import DrawRule, NextToken
from engine.kernels.reference import ReferenceKernels
from engine.layers.fused import FusedDecoder, fuse
from engine.storage.open import open_checkpoint
from engine.weights import Grouped4
from tests.bench.cuda_models import (
    FORMS,
    SHAPES,
    Shape,
    random_decoder,
    random_weight,
    weight_bytes,
)

PAGE = 32
ROUNDS = 5


def settle(device: torch.device) -> None:
    """Wait until everything queued is done."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def seconds(device: torch.device, run: Callable[[], object], rounds: int = ROUNDS) -> float:
    """The median time of ``run``, after one run that does not count."""
    run()
    taken = []
    for _ in range(rounds):
        settle(device)
        begin = perf_counter()
        run()
        settle(device)
        taken.append(perf_counter() - begin)
    return statistics.median(taken)


def read_bandwidth(device: torch.device) -> float:
    """Bytes a second that a sum over 2 GiB reads."""
    x = torch.zeros(1 << 29, device=device)
    return x.nbytes / seconds(device, x.sum)


class Run:
    """A model with a cache for one sequence.

    Args:
        shape: of the model.
        form: of its weights.
        kernels: compute.
        context: tokens that the cache holds.
    """

    def __init__(self, shape: Shape, form: str, kernels: CudaKernels, context: int) -> None:
        self.device = kernels.device
        self.decoder = random_decoder(shape, form, kernels)
        fused = fuse(self.decoder)
        assert isinstance(fused, FusedDecoder)
        self.fused = fused
        self.pages = tuple(range(-(-context // PAGE)))
        self.cache = kernels.make_cache(fused.cache_layers, len(self.pages), PAGE, 16)
        self.rule = DrawRule(0.8, 40, 0.95, 0.05, False, shape.vocabulary)

    def prefill(self, tokens: int) -> None:
        """A prompt from the first position on."""
        places = torch.arange(tokens, device=self.device)
        spans = (Span(0, tokens, 0, self.pages),)
        self.fused.forward(Batch(places, places, spans, places[-1:]), self.cache)

    def decode(self, start: int, tokens: int) -> None:
        """Draw tokens, one step ahead of what is read."""
        with torch.inference_mode():
            waiting = self._queue(1, start)
            for position in range(start + 1, start + tokens):
                following = self._queue(None, position)
                waiting()
                waiting = following
            waiting()

    def first_token(self, tokens: int) -> None:
        """A prompt, and the token after it."""
        self.prefill(tokens)
        self.decode(tokens, 1)

    def _queue(self, id: int | None, position: int) -> Callable[[], list[int]]:
        token = NextToken(id, position, (self.pages,), self.rule, 0.5)
        return self.fused.queue([token], self.cache)


def model_row(
    shape: Shape, form: str, kernels: CudaKernels, bandwidth: float, prompt: int, reply: int
) -> str:
    """One line of the table."""
    run = Run(shape, form, kernels, prompt + reply)
    prefill = seconds(run.device, lambda: run.prefill(prompt))
    first = seconds(run.device, lambda: run.first_token(prompt))
    decode = seconds(run.device, lambda: run.decode(prompt, reply))
    bytes_read = weight_bytes(run.decoder) + run.cache.nbytes * (prompt + reply / 2) / (
        len(run.pages) * PAGE
    )
    share = bytes_read * reply / decode / bandwidth
    return (
        f"{shape.name:4} {form:5} {reply / decode:9.1f} tokens/s {share:7.1%} of bandwidth "
        f"{prompt / prefill:9.0f} tokens/s prefill {first * 1000:8.1f} ms to the first token"
    )


def memory_growth(kernels: CudaKernels, shape: Shape, tokens: int) -> int:
    """Bytes that decoding so many tokens leaves behind."""
    run = Run(shape, "int4", kernels, tokens + 64)
    run.decode(0, 32)
    settle(run.device)
    before = torch.cuda.memory_allocated(run.device)
    run.decode(32, tokens)
    settle(run.device)
    return torch.cuda.memory_allocated(run.device) - before


def tinygemm_row(shape: Shape, kernels: CudaKernels, recorder: Recorder) -> str:
    """All products of one layer and one token, recorded: ATen's time over ours."""
    device = kernels.device
    sizes = (
        ((shape.heads + 2 * shape.kv_heads) * shape.dim, shape.hidden),
        (shape.hidden, shape.heads * shape.dim),
        (2 * shape.wide, shape.hidden),
        (shape.hidden, shape.wide),
    )
    weights = [random_weight("int4", *size, device) for size in sizes]
    assert all(isinstance(weight, Grouped4) for weight in weights)
    inputs = [torch.randn(1, size[1], device=device, dtype=torch.bfloat16) for size in sizes]
    taken = []
    for made in (TinygemmKernels(device, torch.bfloat16), kernels):
        packed = [made.pack(weight) for weight in weights]

        def products(made: Any = made, packed: Any = packed) -> torch.Tensor:
            return torch.cat(
                [made.linear(x, w) for x, w in zip(inputs, packed, strict=True)], dim=1
            )

        _, replay = recorder.record(products)
        taken.append(seconds(device, lambda replay=replay: [replay() for _ in range(100)]))
    ratio = taken[0] / taken[1]
    return f"{shape.name:4} int4  a layer's products, tinygemm's time over ours: {ratio:.2f}"


def transformers_row(shape: Shape, device: torch.device, prompt: int, reply: int) -> str:
    """``generate`` with a static cache, bf16."""
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=shape.vocabulary,
        hidden_size=shape.hidden,
        intermediate_size=shape.wide,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.kv_heads,
        head_dim=shape.dim,
        tie_word_embeddings=True,
    )
    with torch.device(device):
        model = LlamaForCausalLM(config).to(torch.bfloat16).eval()
    ids = torch.ones(1, prompt, dtype=torch.int64, device=device)

    def generate(tokens: int) -> float:
        options = {"do_sample": False, "cache_implementation": "static", "eos_token_id": None}
        return seconds(
            device,
            lambda: model.generate(
                ids, max_new_tokens=tokens, min_new_tokens=tokens, pad_token_id=0, **options
            ),
            3,
        )

    speed = (reply - 1) / (generate(reply) - generate(1))
    return f"{shape.name:4} bf16  {speed:9.1f} tokens/s, transformers' generate with a static cache"


def table(kernels: CudaKernels, recorder: Recorder) -> Iterator[str]:
    """The lines, each as soon as it is measured."""
    device = kernels.device
    bandwidth = read_bandwidth(device)
    yield f"{torch.cuda.get_device_name(device)}, reads {bandwidth / 1e9:.0f} GB/s"
    for shape in SHAPES:
        for form in FORMS:
            yield _or_reason(
                f"{shape.name:4} {form:5}",
                partial(model_row, shape, form, kernels, bandwidth, 512, 128),
            )
        yield _or_reason(
            f"{shape.name:4} tinygemm", partial(tinygemm_row, shape, kernels, recorder)
        )
        yield _or_reason(
            f"{shape.name:4} transformers", partial(transformers_row, shape, device, 512, 128)
        )
    yield f"10,000 tokens left {memory_growth(kernels, SHAPES[0], 10_000)} bytes behind"


def _or_reason(what: str, measure: Callable[[], str]) -> str:
    """The line, or why there is none: too little memory, an operation that this GPU lacks."""
    try:
        line = measure()
    except RuntimeError as error:
        line = f"{what}: {str(error).splitlines()[0]}"
    gc.collect()
    torch.cuda.empty_cache()
    return line


def real_model(path: Path, kernels: CudaKernels) -> str:
    """A real model's logits on a prompt and eight more tokens, against the float32 reference."""
    checkpoint = open_checkpoint(path)
    rows = []
    for made in (ReferenceKernels(kernels.device, torch.float32), kernels):
        model = build(checkpoint, made, lambda done, total: None, 256)
        cache = made.make_cache(model.cache_layers, 8, PAGE, 16)
        logits = []
        for start, tokens in ((0, 64), *((64 + i, 1) for i in range(8))):
            places = torch.arange(start, start + tokens, device=made.device)
            batch = Batch(places + 1000, places, (Span(0, tokens, start, (3, 1, 2)),), places * 0)
            batch = replace(batch, logit_rows=torch.arange(tokens, device=made.device))
            logits.append(model.forward(batch, cache).float().log_softmax(-1))
        rows.append(torch.cat(logits))
    checkpoint.close()
    same = float((rows[0].argmax(-1) == rows[1].argmax(-1)).float().mean())
    kl = float((rows[0].exp() * (rows[0] - rows[1])).sum(-1).mean())
    return f"{path.name}: KL {kl:.2g} nats from the reference, same top token {same:.1%}"
