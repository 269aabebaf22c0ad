"""Writes what an 8-bit KV cache changes into the engine's README, family by family.

``python -m tests.families.cache_bits_table``: the KL divergence from the same model with its exact
cache, in nats a token, over tiny random checkpoints of every family, in plain torch. Random weights
have no outliers, so these figures show that a family's cache is rounded as it should be, heads,
latents and windows alike; what a trained model loses, only that model shows (see
``tests/engine/test_cache_bits.py``, and the check that every load with 8 bits makes).
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
import tqdm
from torch import Tensor

from engine.families.model import Model
from engine.families.registry import FAMILIES
from engine.storage.open import open_checkpoint
from tests.families import test_deepseek
from tests.families.parity import Sequences, loaded, some_ids
from tests.families.parity_table import OTHERS, README, RENAMED, model_of, with_table
from tests.families.test_dense import CASES as DENSE
from tests.families.test_mixtures import CASES as MIXTURES

HEAD = ["| family | KL divergence with 8 bits |", "| --- | --- |"]
OUTLIER = 150.0
"""Trained Qwen2.5 models have key biases of this size in a few columns."""


def divergence(model: Model, length: int = 61) -> float:
    """Mean KL divergence of the model with an 8-bit cache from itself with an exact one."""
    rows: list[Tensor] = []
    for bits in (16, 8):
        sequences = Sequences(model, bits=bits)
        logits = sequences.run("a", some_ids(model.vocabulary, length), 9)
        rows.append(logits.double().log_softmax(-1))
    exact, rounded = rows
    return float((exact.exp() * (exact - rounded)).sum(-1).mean())


def models(folder: Path) -> Iterator[tuple[str, Model]]:
    """(model_type, model) of every configuration in the tests."""
    for number, (name, changes) in enumerate([*OTHERS, *DENSE, *MIXTURES, *test_deepseek.CASES]):
        oracle = model_of(name, changes)
        where = folder / str(number)
        oracle.save_pretrained(where)
        yield oracle.config.model_type, loaded(open_checkpoint(where), context=64)
    for kind, write in RENAMED:
        _, checkpoint = write(folder / kind)
        yield kind, loaded(checkpoint, context=64)


def with_keys(folder: Path, outlier: float) -> Model:
    """A Qwen2 whose attention decides much, with outliers in two columns of every head's keys.

    Queries are small there, as trained ones are, so that the outliers decide nothing but the scale.
    """
    oracle: Any = model_of("Qwen2", {})
    dim = oracle.config.hidden_size // oracle.config.num_attention_heads
    with torch.no_grad():
        for layer in oracle.model.layers:
            q, k = layer.self_attn.q_proj, layer.self_attn.k_proj
            for part in (q, k, layer.self_attn.v_proj, layer.self_attn.o_proj):
                part.weight *= 3
            for column, size in ((3, outlier), (6, -outlier)):
                k.bias[column::dim] = size
                for turned in (column, column + dim // 2):  # the rotation mixes these two
                    q.weight[turned::dim] = q.bias[turned::dim] = 0
    oracle.save_pretrained(folder)
    return loaded(open_checkpoint(folder), context=64)


def table(folder: Path) -> list[str]:
    """The table, line by line."""
    largest: dict[str, float] = {}
    for kind, model in models(folder):
        largest[kind] = max(largest.get(kind, 0.0), divergence(model))
    lines = list(HEAD)
    for family in FAMILIES:
        found = [largest[kind] for kind in family.model_types if kind in largest]
        figure = f"{max(found):.0e}" if found else "—"
        lines.append(f"| {', '.join(family.model_types)} | {figure} |")
    for outlier in (0.0, 50.0, OUTLIER):
        broken = divergence(with_keys(folder / f"keys {outlier}", outlier))
        lines.append(f"| qwen2, strong attention, key biases of ± {outlier:.0f} | {broken:.0e} |")
    return lines


def main() -> None:
    """Measure and write the table."""
    tqdm.tqdm.monitor_interval = 0
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as name:
        made = table(Path(name))
    README.write_text(with_table(README.read_text("utf-8"), made), "utf-8")


if __name__ == "__main__":
    main()
