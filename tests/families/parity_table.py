"""Writes the tables of architectures and formats into the engine's README, from what it has run.

``python -m tests.families.parity_table``: for each architecture the largest difference of any logit
from transformers', over all its configurations in the tests, fed whole, in slices and token by
token, from safetensors and from GGUF; and for each quantized format the same, with the share that
it has of what the format itself changed.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
import tqdm

from engine.families.registry import FAMILIES, Family
from engine.storage.open import open_checkpoint
from tests.families import test_deepseek, test_gguf, test_gguf_mixtures, test_renamed
from tests.families.parity import largest_difference, loaded
from tests.families.quantized import FAMILIES as QUANTIZED
from tests.families.quantized import oracle_for, quantize
from tests.families.quantized_formats import BLOCK_FP8, FORMATS, Format
from tests.families.test_dense import CASES as DENSE
from tests.families.test_dense import oracle_of
from tests.families.test_gemma import GEMMA
from tests.families.test_gemma import oracle_for as gemma3
from tests.families.test_gguf_dense import CASES as GGUF_DENSE
from tests.families.test_gguf_mixtures import stacks
from tests.families.test_mixtures import CASES as MIXTURES
from tests.families.tiny_gguf import metadata_of, write_gguf

README = Path(__file__).parents[2] / "engine" / "README.md"
ARCHITECTURES, QUANTIZATION = "| architecture |", "| format |"
_GEMMA = {key: value for key, value in GEMMA.items() if key != "attn_implementation"}
OTHERS: list[tuple[str, dict[str, Any]]] = [
    ("Llama", {}),
    ("Llama", {"head_dim": 24, "attention_bias": True, "mlp_bias": True}),
    ("Mistral", {"sliding_window": 5}),
    ("Qwen2", {}),
    ("Gemma", {"head_dim": 24}),
    ("Gemma2", _GEMMA),
    ("Gemma3", {}),
]
RENAMED: list[tuple[str, Callable[[Path], tuple[Any, Any]]]] = [
    ("internlm2", test_renamed.internlm2),
    ("baichuan", test_renamed.baichuan),
]
FILES: list[tuple[str, Callable[[Path], Any]]] = [
    ("llama", lambda path: test_gguf.llama_file(path, {})),
    ("qwen2", test_gguf.qwen2_file),
    ("gemma3", test_gguf.gemma3_file),
    ("gpt-oss", test_gguf_mixtures.gpt_oss_file),
    ("deepseek2", test_deepseek.v2_file),
    ("deepseek2, sigmoid", test_deepseek.v3_file),
]


def model_of(name: str, changes: dict[str, Any]) -> Any:
    """A tiny random model of transformers."""
    if name == "Gemma3":
        return gemma3(changes)
    return (test_deepseek.deepseek if name.startswith("Deepseek") else oracle_of)(name, changes)


def from_safetensors(folder: Path) -> Iterator[tuple[str, float]]:
    """(model_type, difference) of every configuration."""
    cases = [*OTHERS, *DENSE, *MIXTURES, *test_deepseek.CASES]
    for number, (name, changes) in enumerate(cases):
        oracle = model_of(name, changes)
        where = folder / str(number)
        oracle.save_pretrained(where)
        model = loaded(open_checkpoint(where), context=64)
        yield oracle.config.model_type, largest_difference(oracle, model)
    for kind, write in RENAMED:
        oracle, checkpoint = write(folder / kind)
        yield kind, largest_difference(oracle, loaded(checkpoint, context=64))


def from_gguf(folder: Path) -> Iterator[tuple[str, float]]:
    """(llama.cpp's architecture, difference) of every configuration."""
    cases = [*GGUF_DENSE, *test_gguf_mixtures.CASES]
    for number, (arch, name, changes, metadata, how) in enumerate(cases):
        oracle = oracle_of(name, changes)
        extra = stacks(oracle)
        skip = (".experts.", "shared_expert_gate") if extra else ()
        path = folder / f"{number}.gguf"
        known = {**metadata_of(oracle.config), **metadata}
        write_gguf(path, oracle, arch, known, extra=extra, skip=skip, **how)
        model = loaded(open_checkpoint(path), context=64)
        label = "llama+experts" if extra and arch == "llama" else arch
        yield label, largest_difference(oracle, model)
    for label, file in FILES:
        path = folder / f"{label}.gguf"
        oracle = file(path)
        yield label, largest_difference(oracle, loaded(open_checkpoint(path), context=64))


def largest(found: Iterator[tuple[str, float]]) -> dict[str, float]:
    """The largest difference for each name."""
    table: dict[str, float] = defaultdict(float)
    for name, difference in found:
        table[name] = max(table[name], difference)
    return dict(table)


def architectures(folder: Path) -> list[str]:
    """The first table, line by line."""
    plain, gguf = largest(from_safetensors(folder)), largest(from_gguf(folder))

    def line(family: Family) -> str:
        files = ("deepseek2, sigmoid",) if "deepseek_v3" in family.model_types else family.gguf
        errors = [plain[kind] for kind in family.model_types if kind in plain]
        ggufs = [gguf[kind] for kind in files if kind in gguf]
        cells = [f"{max(values):.0e}" if values else "—" for values in (errors, ggufs)]
        return f"| {', '.join(family.model_types)} | {cells[0]} | {cells[1]} |"

    head = [f"{ARCHITECTURES} safetensors | GGUF |", "| --- | --- | --- |"]
    return head + [line(family) for family in FAMILIES]


def is_stored(family: str, form: Format) -> bool:
    """Whether the format can hold the tiny model: its groups must fit the sizes."""
    if family == "deepseek_v3":
        return form.name == BLOCK_FP8
    return form.stacks == (family == "gpt_oss")


def quantization(folder: Path) -> list[str]:
    """The second table, line by line."""

    def cell(family: str, form: Format) -> str:
        if not is_stored(family, form):
            return "—"
        where = folder / f"{family} {form.name}"
        found = quantize(oracle_for(family), form, where)
        difference = largest_difference(found.oracle, found.model())
        share = round(100 * difference / found.change)
        return f"{difference:.0e} ({share} %)" if share else f"{difference:.0e}"

    head = [f"{QUANTIZATION} {' | '.join(QUANTIZED)} |", "| --- |" + " --- |" * len(QUANTIZED)]
    return head + [
        f"| {form.name} | {' | '.join(cell(family, form) for family in QUANTIZED)} |"
        for form in FORMATS
    ]


def with_table(text: str, table: list[str]) -> str:
    """``text`` with the table that begins like ``table`` replaced by it."""
    lines = text.split("\n")
    begin = table[0].split("|")[1]
    first = next(i for i, line in enumerate(lines) if line.startswith(f"|{begin}|"))
    after = next(i for i in range(first, len(lines)) if not lines[i].startswith("|"))
    return "\n".join([*lines[:first], *table, *lines[after:]])


def main() -> None:
    """Run everything and write both tables."""
    tqdm.tqdm.monitor_interval = 0
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = README.read_text("utf-8")
        text = with_table(text, architectures(folder))
        README.write_text(with_table(text, quantization(folder)), "utf-8")


if __name__ == "__main__":
    main()
