"""Smaller copies before and after they are made: how large one would be, what was found of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from engine.contract import EngineError, ModelFacts
from engine.library.copy_facts import FACTS, QUALITY
from engine.library.identify import identify
from engine.library.recipes import Method, Recipe, Scheme
from engine.storage.gguf_split import read_gguf_headers
from engine.storage.model_folder import weight_files
from engine.storage.safetensors_header import read_safetensors_header

_EMBEDDINGS = ("embed_tokens.weight", "token_embd.weight", "wte.weight", "tok_embeddings.weight")
_HEADS = ("lm_head", "output")
_KEPT_BITS = 16


@dataclass(frozen=True, slots=True)
class Shape:
    """Values of a model's parts, as far as a copy tells them apart.

    Attributes:
        facts: of the model.
        embedding: values; they stay in 16 bits.
        head: values of a head of its own; 0 where the embedding is the head.
    """

    facts: ModelFacts
    embedding: int
    head: int

    @property
    def layers(self) -> int:
        """Values of the layers' weights."""
        return max(0, self.facts.parameters - self.embedding - self.head)

    def size(self, recipe: Recipe) -> int:
        """Bytes of a copy's weights, within some percent."""
        kept = Scheme(8, recipe.scheme.group).bits_per_weight
        share = recipe.kept_share if recipe.scheme.bits < 8 else 0.0
        layer = recipe.scheme.bits_per_weight * (1 - share) + kept * share
        bits = self.layers * layer + self.embedding * _KEPT_BITS
        return round((bits + self.head * (recipe.head_bits + 16 / recipe.scheme.group)) / 8)

    def read_bytes(self, size: int) -> int:
        """Bytes that a token reads of a model of this size: an embedding of its own is not read."""
        unread = self.embedding * _KEPT_BITS // 8 if self.head else 0
        active = self.facts.active_parameters / self.facts.parameters
        return round(max(0, size - unread) * active)


def read_shape(path: Path) -> Shape:
    """The parts of a model, from its headers.

    Raises:
        EngineError: as ``identify``.
    """
    facts = identify(path)
    shapes = dict(_gguf(path) if facts.format == "gguf" else _safetensors(path))
    embedding = next((prod(s) for n, s in shapes.items() if n.endswith(_EMBEDDINGS)), 0)
    has_head = any(name.split(".")[0] in _HEADS for name in shapes)
    return Shape(facts, embedding, embedding if has_head else 0)


@dataclass(frozen=True, slots=True)
class Quality:
    """A copy with its report.

    Attributes:
        copy: where it lies.
        report: as ``python -m engine evaluate`` tells it; empty where none was made.
        made_at: when the report was written, in Unix seconds; 0 where there is none.
        source: what the copy was made of; None where the report does not say.
        source_is_there: whether that is still so.
    """

    copy: Path
    report: dict[str, Any]
    made_at: int = 0
    source: Path | None = None
    source_is_there: bool = True


def read_quality(copy: Path) -> Quality:
    """The report that lies beside a copy."""
    try:
        found = json.loads((copy / QUALITY).read_bytes())
        made_at = int((copy / QUALITY).stat().st_mtime)
    except (OSError, ValueError):
        return Quality(copy, {})
    report = found if isinstance(found, dict) else {}
    said = report.get("source_path")
    source = Path(said) if isinstance(said, str) and said else None
    return Quality(copy, report, made_at, source, source is not None and source.exists())


def copies_of(source: Path, models: Iterable[Path]) -> Iterator[Quality]:
    """Those of some models that were made of this one and have a report."""
    for path in models:
        found = read_quality(path)
        if found.source is not None and found.source.resolve() == source.resolve():
            yield found


@dataclass(frozen=True, slots=True)
class Uncompared:
    """A copy without a report.

    Attributes:
        copy: where it lies.
        source_name: of the file or folder that it was made of, as the copy says.
        recipe: by which, as it says too.
        source: that model, found by its name; None where it is not there.
    """

    copy: Path
    source_name: str
    recipe: Recipe
    source: Path | None


def not_compared(models: Sequence[Path]) -> Iterator[Uncompared]:
    """Those of some models that are copies of ours and have no report."""
    by_name = {path.name: path for path in reversed(models)}
    for path in models:
        if not (path / FACTS).is_file() or (path / QUALITY).is_file():
            continue
        try:
            said = json.loads((path / FACTS).read_bytes())
            name = str(said["source"])
            recipe = Recipe(Scheme(said["bits"], said["group"]), Method(said["method"]))
        except (OSError, ValueError, KeyError, TypeError, EngineError):
            continue  # whoever wrote that, it says not how the copy was made
        found = by_name.get(name)
        yield Uncompared(path, name, recipe, None if found == path else found)


def with_report(models: Iterable[Path]) -> frozenset[Path]:
    """Those of some models that have a report."""
    return frozenset(path for path in models if (path / QUALITY).is_file())


def _gguf(path: Path) -> Iterator[tuple[str, tuple[int, ...]]]:
    for header in read_gguf_headers(path):
        yield from ((tensor.name, tensor.shape) for tensor in header.tensors.values())


def _safetensors(path: Path) -> Iterator[tuple[str, tuple[int, ...]]]:
    for file in weight_files(path):
        header = read_safetensors_header(file)
        yield from ((tensor.name, tensor.shape) for tensor in header.tensors.values())
