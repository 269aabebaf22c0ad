"""Steps that the compiled code runs by itself draw what single steps draw, one after the other."""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from engine.families.registry import build
from engine.kernels.batch import Batch, Span
from engine.kernels.cpu.bursts import MOST_STEPS
from engine.kernels.cpu.kernels import CpuKernels
from engine.kernels.cpu.step_runner import BURST_S
from engine.kernels.cpu.token_draw import TokenDraw
from engine.kernels.drawing import Burst, DrawRule
from engine.kernels.groups import group_windows
from engine.kernels.interface import CachePool
from engine.layers.fused import FusedDecoder
from tests.families.parity import saved
from tests.families.test_deepseek import deepseek
from tests.families.test_dense import oracle_of
from tests.families.test_released_windows import oracle_of as windowed_oracle

PAGE, PAGES, SIZE = 4, 40, 90  # of 97 ids that the model knows, 90 exist
GREEDY = DrawRule(0.0, 0, 1.0, 0.0, False, SIZE)
RULES = [
    GREEDY,
    DrawRule(1.5, 0, 1.0, 0.0, False, SIZE),
    DrawRule(0.8, 40, 0.95, 0.0, False, SIZE),
    DrawRule(0.7, 0, 0.9, 0.05, True, SIZE),
    DrawRule(1.0, 1, 1.0, 0.0, False, SIZE),
]
UNIFORMS = (0.31, 0.77, 0.02, 0.99, 0.5, 0.64, 0.18, 0.43, 0.91, 0.07, 0.58, 0.26)
ENDS = (95, 89, 3)  # one that does not exist is never drawn
MODELS: dict[str, Callable[[], Any]] = {
    "llama": lambda: oracle_of("Llama", {}),
    "window": lambda: windowed_oracle(
        "Gemma3",
        {
            "sliding_window": 6,
            "layer_types": ["sliding_attention", "full_attention"],
            "head_dim": 16,
            "query_pre_attn_scalar": 20,
        },
    ),
    "capped": lambda: oracle_of("Gemma2", {"head_dim": 16, "final_logit_softcapping": 5.0}),
    "experts": lambda: oracle_of("Mixtral", {"num_local_experts": 4}),
    "latent": lambda: deepseek("DeepseekV2", {"moe_intermediate_size": 32}),
}


class Text:
    """One sequence over a real cache, its pages out of order."""

    def __init__(self, model: FusedDecoder, kernels: CpuKernels) -> None:
        self.model = model
        windows = group_windows(model.cache_layers)
        self.cache: CachePool = kernels.make_cache(model.cache_layers, PAGES, PAGE, 16)
        order = torch.randperm(PAGES, generator=torch.Generator().manual_seed(2)).tolist()
        self.tables = tuple(array("q", order) for _ in windows)
        self.ids: list[int] = []

    def read(self, ids: list[int]) -> torch.Tensor:
        """The logits after some more tokens."""
        start = len(self.ids)
        pages, *others = self.tables
        span = Span(0, len(ids), start, pages, windows=tuple(others))
        positions = torch.arange(start, start + len(ids))
        batch = Batch(torch.tensor(ids), positions, (span,), torch.tensor([len(ids) - 1]))
        self.ids += ids
        return self.model.forward(batch, self.cache)[0]

    def singles(self, id: int, rule: DrawRule, steps: int, early: int = 0) -> list[int]:
        """Step by step, each drawn by itself, until an end."""
        draw, drawn = TokenDraw(rule), [id]
        for number in range(steps):
            logits = self.read(drawn[-1:]).numpy().copy()
            if number < early:
                logits[list(ENDS)] = -torch.inf
            drawn.append(draw(logits, UNIFORMS[number]))
            if drawn[-1] in ENDS:
                break
        return drawn[1:]

    def burst(self, id: int, rule: DrawRule, steps: int, early: int = 0) -> list[int]:
        """The same at once."""
        start = len(self.ids)
        wanted = Burst(id, start, self.tables, rule, UNIFORMS[:steps], ENDS, early)
        drawn = self.model.burst(wanted, self.cache)
        self.ids += [id, *drawn[:-1]]
        return drawn


@pytest.fixture(params=[1, 2, 3], ids="threads{}".format)
def kernels(request: pytest.FixtureRequest) -> Iterator[CpuKernels]:
    made = CpuKernels(request.param)
    yield made
    made.close()


def built(kernels: CpuKernels, folder: Path, kind: str = "llama") -> FusedDecoder:
    model = build(saved(MODELS[kind](), folder), kernels, lambda done, total: None)
    assert isinstance(model, FusedDecoder)
    return model


@pytest.mark.parametrize("kind", MODELS)
def test_a_burst_draws_what_single_steps_draw(
    tmp_path: Path, kernels: CpuKernels, kind: str
) -> None:
    """Twelve tokens go over borders of pages; what comes after reads what they left."""
    model = built(kernels, tmp_path, kind)
    for rule in RULES:
        one, other = Text(model, kernels), Text(model, kernels)
        for text in (one, other):
            text.read([5, 7, 11, 13, 17])
        for id in (19, 23):
            assert one.burst(id, rule, MOST_STEPS, early=2) == other.singles(
                id, rule, MOST_STEPS, early=2
            )
        assert one.ids == other.ids
        assert torch.equal(one.read([2]), other.read([2]))


@pytest.mark.parametrize("steps", range(1, MOST_STEPS + 1))
def test_a_burst_has_the_steps_that_were_wanted(
    tmp_path: Path, kernels: CpuKernels, steps: int
) -> None:
    text = Text(built(kernels, tmp_path), kernels)
    assert len(text.burst(1, RULES[0], steps, early=steps)) == steps


def test_an_end_ends_it_unless_it_comes_early(tmp_path: Path, kernels: CpuKernels) -> None:
    model = built(kernels, tmp_path)
    hot = RULES[1]
    ended = 0
    for id in range(4, 60):
        drawn = Text(model, kernels).burst(id, hot, MOST_STEPS)
        assert not set(drawn[:-1]) & set(ENDS)
        ended += drawn[-1] in ENDS
        assert drawn[-1] in ENDS or len(drawn) == MOST_STEPS
        early = Text(model, kernels).burst(id, hot, MOST_STEPS, early=MOST_STEPS)
        assert not set(early) & set(ENDS)
    assert ended > 3  # 56 times twelve draws of which about one in 40 is an end


def test_logits_that_are_no_numbers_end_it(tmp_path: Path, kernels: CpuKernels) -> None:
    checkpoint = saved(MODELS["llama"](), tmp_path)
    checkpoint.tensors["model.norm.weight"][3] = torch.nan
    model = build(checkpoint, kernels, lambda done, total: None)
    assert isinstance(model, FusedDecoder)
    for rule in RULES:
        assert Text(model, kernels).burst(1, rule, MOST_STEPS) == [-1]


def test_threads_that_fell_asleep_are_woken(tmp_path: Path, kernels: CpuKernels) -> None:
    """Workers sleep after some milliseconds; a burst begins with them or not at all."""
    text, other = (Text(built(kernels, tmp_path / name), kernels) for name in "ab")
    for id in (1, 2, 3):
        time.sleep(0.05)
        assert text.burst(id, GREEDY, 4, early=4) == other.singles(id, GREEDY, 4, early=4)


def test_how_long_a_burst_is_follows_what_steps_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernels = CpuKernels(1)
    text = Text(built(kernels, tmp_path), kernels)
    runner: Any = text.model.runner
    assert text.model.longest_burst(GREEDY) == 1  # nobody knows yet
    text.read([1])
    for step_s, steps in ((BURST_S, 1), (BURST_S / 2.5, 2), (BURST_S / 100, MOST_STEPS)):
        monkeypatch.setattr(runner._choice, "usual_s", step_s)
        assert text.model.longest_burst(GREEDY) == steps
    assert text.model.longest_burst(DrawRule(1.0, 300, 1.0, 0.0, False, SIZE)) == 1
    kernels.close()
