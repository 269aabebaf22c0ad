"""Writes the table of architectures for the engine's README, from what it has just run.

``python -m tests.families.parity_table`` prints Markdown: for each architecture the largest
difference of any logit from transformers', over all its configurations in the tests, fed whole, in
slices and token by token, from safetensors and from GGUF.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
import tqdm

from engine.families.registry import FAMILIES, Model
from engine.storage.open import open_checkpoint
from tests.families.parity import Sequences, expected, loaded, some_ids
from tests.families.test_deepseek import CASES as DEEPSEEK
from tests.families.test_deepseek import deepseek
from tests.families.test_dense import CASES as DENSE
from tests.families.test_dense import oracle_of
from tests.families.test_gemma import GEMMA
from tests.families.test_gguf_dense import CASES as GGUF_DENSE
from tests.families.test_gguf_mixtures import CASES as GGUF_MIXTURES
from tests.families.test_gguf_mixtures import stacks
from tests.families.test_mixtures import CASES as MIXTURES
from tests.families.tiny_gguf import metadata_of, write_gguf

OTHERS: list[tuple[str, dict[str, Any]]] = [
    ("Llama", {}),
    ("Llama", {"head_dim": 24, "attention_bias": True, "mlp_bias": True}),
    ("Mistral", {"sliding_window": 5}),
    ("Qwen2", {}),
    ("Gemma", {"head_dim": 24}),
    ("Gemma2", {k: v for k, v in GEMMA.items() if k != "attn_implementation"}),
    ("Gemma3", {k: v for k, v in GEMMA.items() if k != "attn_implementation"}),
]


def largest_difference(oracle: Any, model: Model) -> float:
    """Of any logit, over three ways of feeding the same ids."""
    ids = some_ids(model.vocabulary)
    want = expected(oracle, ids)
    runs = (Sequences(model).run("a", ids, slices) for slices in (len(ids), 5, 1))
    return max(float((got - want).abs().max()) for got in runs)


def oracle_for(name: str, changes: dict[str, Any]) -> Any:
    """A tiny random model of transformers."""
    if name == "Gemma3":
        from tests.families.test_gemma import oracle_for as gemma3

        return gemma3({})
    return (deepseek if name.startswith("Deepseek") else oracle_of)(name, changes)


def from_safetensors(folder: Path) -> Iterator[tuple[str, float]]:
    """(model_type, difference) of every configuration."""
    for number, (name, changes) in enumerate([*OTHERS, *DENSE, *MIXTURES, *DEEPSEEK]):
        oracle = oracle_for(name, changes)
        where = folder / str(number)
        oracle.save_pretrained(where)
        model = loaded(open_checkpoint(where), context=64)
        yield oracle.config.model_type, largest_difference(oracle, model)


def from_gguf(folder: Path) -> Iterator[tuple[str, float]]:
    """(llama.cpp's architecture, difference) of every configuration."""
    for number, (arch, name, changes, metadata, how) in enumerate([*GGUF_DENSE, *GGUF_MIXTURES]):
        oracle = oracle_of(name, changes)
        extra = stacks(oracle)
        skip = (".experts.", "shared_expert_gate") if extra else ()
        path = folder / f"{number}.gguf"
        known = {**metadata_of(oracle.config), **metadata}
        write_gguf(path, oracle, arch, known, extra=extra, skip=skip, **how)
        model = loaded(open_checkpoint(path), context=64)
        label = "llama+experts" if extra and arch == "llama" else arch
        yield label, largest_difference(oracle, model)


def largest(found: Iterator[tuple[str, float]]) -> dict[str, float]:
    """The largest difference for each name."""
    table: dict[str, float] = defaultdict(float)
    for name, difference in found:
        table[name] = max(table[name], difference)
    return dict(table)


def main() -> None:
    """Run everything and print the table."""
    tqdm.tqdm.monitor_interval = 0
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        plain, gguf = largest(from_safetensors(folder)), largest(from_gguf(folder))
    print("| architecture | safetensors | GGUF |\n| --- | --- | --- |")
    for family in FAMILIES:
        errors = [plain[kind] for kind in family.model_types if kind in plain]
        ggufs = [gguf[kind] for kind in family.gguf if kind in gguf]
        cells = [f"{max(values):.0e}" if values else "tests" for values in (errors, ggufs)]
        if not family.gguf:
            cells[1] = "as its sibling's" if "deepseek" in family.model_types[0] else "—"
        print(f"| {', '.join(family.model_types)} | {cells[0]} | {cells[1]} |")


if __name__ == "__main__":
    main()
