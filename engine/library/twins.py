"""Models that lie on the disk twice: the same weights in files of their own."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from engine.contract import EngineError, ModelFacts
from engine.library.scan import Found
from engine.storage.gguf_split import read_gguf_headers
from engine.storage.model_folder import weight_files
from engine.storage.safetensors_header import read_safetensors_header

_SAMPLES, _SAMPLE = 32, 4096  # places looked at in each file, and bytes at each


def mark_twins(found: Sequence[Found]) -> list[Found]:
    """The same models, each that has the weights of one before it with ``twin`` set.

    Only models whose figures agree are looked into: their tensors' names, types and shapes, and
    samples of their bytes. Names and templates may differ.
    """
    alike: dict[tuple[object, ...], list[int]] = {}
    for number, each in enumerate(found):
        if each.facts is not None:
            alike.setdefault(_figures(each.facts), []).append(number)
    marked = list(found)
    for numbers in alike.values():
        first: dict[str, Path] = {}
        for number in numbers if len(numbers) > 1 else ():
            path = found[number].path
            print_ = fingerprint(path)
            if print_ and first.setdefault(print_, path) != path:
                marked[number] = replace(found[number], twin=first[print_])
    return marked


def fingerprint(path: Path) -> str:
    """What two copies of the same weights have in common; empty where they cannot be read."""
    told = hashlib.sha256()
    try:
        for part in _parts(path):
            told.update(part)
    except (EngineError, OSError):
        return ""
    return told.hexdigest()


def _figures(facts: ModelFacts) -> tuple[object, ...]:
    return (
        facts.format,
        facts.architecture,
        facts.parameters,
        facts.bits_per_weight,
        facts.layers,
        facts.vocabulary,
    )


def _parts(path: Path) -> Iterator[bytes]:
    if path.is_dir():
        for file in sorted(weight_files(path)):
            stored = read_safetensors_header(file).tensors.values()
            yield repr([(t.name, t.dtype, t.shape) for t in stored]).encode()
            yield from _samples(file, sum(t.nbytes for t in stored))
        return
    for header in read_gguf_headers(path):
        tensors = header.tensors.values()
        yield repr([(t.name, t.type.name, t.shape) for t in tensors]).encode()
        yield from _samples(header.path, sum(t.nbytes for t in tensors))


def _samples(path: Path, weights: int) -> Iterator[bytes]:
    """Bytes at even distances, counted from the end: what stands before the weights may differ."""
    with path.open("rb") as file:
        for number in range(1, _SAMPLES + 1):
            file.seek(
                -min(weights * number // _SAMPLES, os.fstat(file.fileno()).st_size), os.SEEK_END
            )
            yield file.read(_SAMPLE)
