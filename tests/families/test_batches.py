"""What a sequence says does not depend on what runs beside it: greedy, the same tokens.

Prompts of different lengths, read in slices while others already decode, over pages that are too
few for all of them at once, with and without a window.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from engine.families.model import Model
from engine.families.registry import build
from engine.generation.pages import Group
from engine.generation.scheduler import Scheduler
from engine.generation.scheduler import Sequence as Running
from engine.kernels.cpu.kernels import CpuKernels
from engine.kernels.groups import group_windows
from engine.kernels.interface import Kernels
from engine.kernels.reference import ReferenceKernels
from engine.runner import ModelRunner
from tests.families.parity import saved, some_ids
from tests.families.test_released_windows import oracle_of

PAGE, TOKENS = 4, 24
FAMILIES: list[tuple[str, dict[str, Any]]] = [
    ("Llama", {}),
    (
        "Gemma3",
        {
            "sliding_window": 6,
            "layer_types": ["sliding_attention", "full_attention"],
            "head_dim": 16,
            "query_pre_attn_scalar": 20,
        },
    ),
]


def replies(model: Model, kernels: Kernels, prompts: Sequence[list[int]]) -> list[list[int]]:
    """Greedy replies to prompts that arrive three steps apart."""
    windows = group_windows(model.cache_layers)
    pages = [46 if window is None else 24 for window in windows]  # for about three of them
    cache = kernels.make_cache(model.cache_layers, pages, PAGE, 16)
    groups = [Group(*pair) for pair in zip(pages, windows, strict=True)]
    scheduler, runner = Scheduler(groups, PAGE), ModelRunner(model, cache, kernels.device)
    sequences = [Running(list(prompt), len(prompt)) for prompt in prompts]
    waiting, running, steps = list(sequences), [], 0
    while waiting or running:
        if waiting and (steps % 3 == 0 or not running):
            running.append(waiting.pop(0))
            scheduler.add(running[-1])
        step = scheduler.schedule(7)
        rows = iter(runner.run(step))
        for share in step.shares:
            if share.wanted:
                share.sequence.ids.append(int(next(rows).argmax()))
            scheduler.computed(share, len(share.ids))
        for sequence in [s for s in running if len(s.ids) >= s.prompt_tokens + TOKENS]:
            scheduler.finish(sequence)
            running.remove(sequence)
        steps += 1
    return [sequence.ids[sequence.prompt_tokens :] for sequence in sequences]


def assert_independent(model: Model, kernels: Kernels) -> None:
    start = some_ids(model.vocabulary, 9, seed=2)
    prompts = [
        [*start, *some_ids(model.vocabulary, length, seed=length)] for length in (3, 40, 17, 25, 8)
    ]
    together = replies(model, kernels, prompts)
    alone = [replies(model, kernels, [prompt])[0] for prompt in prompts]
    assert together == alone
    assert len({tuple(reply) for reply in together}) == len(prompts), "too alike to tell apart"


@pytest.mark.parametrize(("name", "changes"), FAMILIES, ids=[name for name, _ in FAMILIES])
def test_a_reply_is_the_same_beside_others(
    tmp_path: Path, name: str, changes: dict[str, Any]
) -> None:
    kernels = ReferenceKernels()
    model = build(saved(oracle_of(name, changes), tmp_path), kernels, lambda done, total: None)
    assert_independent(model, kernels)


@pytest.fixture
def cpu() -> Iterator[CpuKernels]:
    made = CpuKernels(2, precise=True)
    yield made
    made.close()


@pytest.mark.parametrize(("name", "changes"), FAMILIES, ids=[name for name, _ in FAMILIES])
def test_a_reply_is_the_same_beside_others_on_the_compiled_kernels(
    tmp_path: Path, cpu: CpuKernels, name: str, changes: dict[str, Any]
) -> None:
    model = build(saved(oracle_of(name, changes), tmp_path), cpu, lambda done, total: None)
    assert_independent(model, cpu)
