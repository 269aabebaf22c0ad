"""Models whose layers lie on several devices give the same logits, and only hidden states move."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from engine.families.registry import build
from engine.kernels.cpu.kernels import CpuKernels
from engine.kernels.interface import CacheShape, Kernels
from engine.kernels.reference import ReferenceKernels
from engine.layers.decoder import Decoder
from engine.layers.placed import PlacedBlock, PlacedCache
from tests.doubles.devices import HOST, FakeDevices
from tests.families.parity import PAGE, Sequences, loaded, saved, some_ids
from tests.families.test_deepseek import deepseek
from tests.families.test_dense import oracle_of
from tests.families.test_gemma import GEMMA
from tests.families.test_mixtures import GPT_OSS, QWEN2

FIRST, SECOND = torch.device("cpu", 0), torch.device("cpu", 1)
SLIDING = {name: value for name, value in GEMMA.items() if name != "attn_implementation"}
SLIDING |= {"num_hidden_layers": 3, "layer_types": None}
ORACLES: dict[str, Callable[[], Any]] = {
    "Llama": lambda: oracle_of("Llama", {"num_hidden_layers": 3}),
    "Gemma2": lambda: oracle_of("Gemma2", SLIDING),
    "Qwen2Moe": lambda: oracle_of("Qwen2Moe", {**QWEN2, "num_hidden_layers": 3}),
    "GptOss": lambda: oracle_of("GptOss", {**GPT_OSS, "num_hidden_layers": 3}),
    "DeepseekV3": lambda: deepseek("DeepseekV3", {}),
}


@pytest.fixture
def host() -> Iterator[CpuKernels]:
    made = CpuKernels(1, precise=True)
    yield made
    made.close()


class Spreading:
    """Gives layers to kernels in turn, and notes what it was told."""

    def __init__(self, ends: Kernels, layers: Sequence[Kernels]) -> None:
        self.kernels = (ends, *layers)
        self.layers: tuple[Kernels, ...] = ()
        self.sizes: list[int] = []

    def __call__(
        self, ends: int, layers: Sequence[int], shapes: Sequence[CacheShape]
    ) -> tuple[Kernels, tuple[Kernels, ...]]:
        self.sizes = [ends, *layers]
        turns = self.kernels[1:]
        self.layers = tuple(turns[i * len(turns) // len(layers)] for i in range(len(layers)))
        return self.kernels[0], self.layers


@pytest.mark.parametrize("name", ORACLES)
def test_layers_on_two_devices_and_the_cpu_give_the_same_logits(
    tmp_path: Path, name: str, host: CpuKernels
) -> None:
    """Layers of the first, of the second, and of the host, whose kernels are the CPU's own."""
    checkpoint = saved(ORACLES[name](), tmp_path)
    want_model = loaded(checkpoint)
    ids, other = (some_ids(want_model.vocabulary, seed=seed) for seed in (3, 5))
    truth = Sequences(want_model)
    want = [*truth.step(("a", ids[:9])), *truth.step(("b", other[:13]), ("a", ids[9:10]))]
    with FakeDevices() as devices:
        first, second = (ReferenceKernels(at, torch.float32) for at in (FIRST, SECOND))
        spread = Spreading(first, (first, second, host))
        model = build(checkpoint, first, lambda done, total: None, None, spread)
        assert isinstance(model, Decoder)
        run = Sequences(model, kernels=first)
        run.cache = PlacedCache.make(model.cache_layers, spread.layers, 256 // PAGE, PAGE, 16)
        devices.moves.clear()
        got = [*run.step(("a", ids[:9])), *run.step(("b", other[:13]), ("a", ids[9:10]))]
    for mine, theirs in zip(got, want, strict=True):
        torch.testing.assert_close(mine, theirs, rtol=2e-3, atol=2e-3)
    used = {block.kernels.device for block in model.blocks if isinstance(block, PlacedBlock)}
    assert used >= {FIRST, SECOND}
    assert len(model.blocks) < 3 or HOST in used
    # of each step: x, three tensors of the batch, cosine and sine of each rotary; never a weight
    assert 0 < devices.moves["cpu:0", "cpu:1"] <= 2 * 10


def test_layers_are_told_what_they_take(tmp_path: Path) -> None:
    checkpoint = saved(oracle_of("Llama", {"num_hidden_layers": 3}), tmp_path)
    kernels = ReferenceKernels()
    spread = Spreading(kernels, (kernels,))
    model = build(checkpoint, kernels, lambda done, total: None, None, spread)
    assert isinstance(model, Decoder)
    assert not any(isinstance(block, PlacedBlock) for block in model.blocks)
    assert sum(spread.sizes) == sum(x.nbytes for x in checkpoint.tensors.values())
    assert spread.sizes[1] == spread.sizes[2] == spread.sizes[3] > 0


def test_two_devices_hold_the_cache_of_their_own_layers_alone() -> None:
    shapes = (CacheShape(2, 16, 16), CacheShape(2, 16, 16, window=8), CacheShape(2, 16, 16))
    one, two = ReferenceKernels(), ReferenceKernels()
    cache = PlacedCache.make(shapes, (one, two, two), (6, 4), PAGE, 16)
    whole = one.make_cache(shapes, (6, 4), PAGE, 16)
    assert cache.nbytes == whole.nbytes
    assert cache.parts[0].nbytes == one.make_cache(shapes[:1], 6, PAGE, 16).nbytes
    assert (cache.pages, cache.windows) == (whole.pages, whole.windows)


def test_an_operation_on_two_devices_is_noticed() -> None:
    """The double must be able to fail."""
    with FakeDevices():
        a, b = torch.ones(2, device=FIRST), torch.ones(2).to(SECOND)
        assert (a + 1).device == FIRST
        with pytest.raises(AssertionError, match="add"):
            torch.add(a, b)
        assert torch.equal(a + b.to(FIRST), torch.full((2,), 2.0, device=FIRST))
