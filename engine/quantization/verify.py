"""The last steps: what lies beside the weights, and reading all of it back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from engine.contract import EngineError, FaultKind
from engine.library.copy_facts import FACTS
from engine.library.recipes import Scheme
from engine.quantization.names import is_rounded, module_of
from engine.quantization.packing import quantization_config
from engine.quantization.partial import Partial, writing
from engine.quantization.source import Source
from engine.storage.open import open_checkpoint
from engine.weights import dense


def finish(
    source: Source, partial: Partial, schemes: Mapping[str, Scheme], facts: Mapping[str, Any]
) -> None:
    """Write configuration, tokenizer, chat template, index, and what was found on the way."""
    names = source.checkpoint.names()
    kept = [
        module_of(name)
        for name in names
        if is_rounded(name, source.checkpoint.shape(name)) and name not in schemes
    ]
    if "lm_head.weight" not in schemes:
        kept.append("lm_head")
    values = {key: value for key, value in source.values.items() if key != "torch_dtype"}
    values |= {"dtype": source.dtype, "quantization_config": quantization_config(schemes, kept)}
    with writing(partial.folder / "tokenizer.json"):
        source.write_text(partial.folder)
    partial.write_index()
    partial.write_json(FACTS, facts)
    partial.write_json("config.json", values)


def verify(source: Source, partial: Partial, schemes: Mapping[str, Scheme]) -> None:
    """Read every weight back.

    Raises:
        EngineError: FILE_DAMAGED for one that is not there, has another shape or is not finite.
    """
    copy = open_checkpoint(partial.folder)
    try:
        wanted, there = set(source.checkpoint.names()), set(copy.names())
        for name in sorted(wanted ^ there):
            raise _damaged(partial, f"{name}: missing" if name in wanted else f"{name}: unknown")
        for name in source.checkpoint.names():
            if copy.shape(name) != source.checkpoint.shape(name):
                raise _damaged(partial, f"{name}: {list(copy.shape(name))}")
            weight = copy.read(name)
            scale = weight if isinstance(weight, torch.Tensor) else weight.scale
            if not bool(torch.isfinite(dense(scale)).all()):
                raise _damaged(partial, f"{name}: not finite")
            del weight, scale
            copy.release()
    finally:
        copy.close()


def _damaged(partial: Partial, detail: str) -> EngineError:
    return EngineError(FaultKind.FILE_DAMAGED, path=str(partial.folder), detail=detail)
