"""A GGUF file as a checkpoint.

Plain tensors are views of the mapped file. Quantized ones are read a megabyte at a time and taken
apart straight into their canonical form: no larger copy of a tensor ever exists.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Mapping, Sequence
from io import FileIO
from math import prod
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from engine.contract import EngineError, FaultKind
from engine.storage.gguf_blocks import LEGACY_AND_K, BlockFormat
from engine.storage.gguf_header import GgufHeader, TensorInfo
from engine.storage.gguf_split import read_gguf_headers
from engine.storage.gguf_table_blocks import TABLE_CODED
from engine.storage.mapping import view_tensor
from engine.storage.scales import compact
from engine.weights import Grouped4, Grouped8, Weight

BLOCK_FORMATS = LEGACY_AND_K | TABLE_CODED
_PLAIN = {
    "F32": torch.float32,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
    "F64": torch.float64,
    "I8": torch.int8,
    "I16": torch.int16,
    "I32": torch.int32,
    "I64": torch.int64,
}
_CHUNK = 1 << 19  # bytes of blocks at a time: they and their parts fit a second-level cache


class GgufCheckpoint:
    """One open model in one GGUF file, or in several."""

    format = "gguf"

    def __init__(self, path: Path) -> None:
        self.path = path
        headers = read_gguf_headers(path)
        self.metadata: Mapping[str, Any] = headers[0].metadata
        self._tensors = {name: (h, h.tensors[name]) for h in headers for name in h.tensors}

    def names(self) -> Sequence[str]:
        """The tensors' names, in file order."""
        return list(self._tensors)

    def shape(self, name: str) -> tuple[int, ...]:
        """The tensor's shape in PyTorch's order."""
        return self._find(name)[1].shape

    def nbytes(self, name: str) -> int:
        """Bytes that the tensor takes in the file."""
        return self._find(name)[1].nbytes

    def read(self, name: str) -> Weight:
        """The tensor in its canonical form; a vector is always a plain tensor."""
        header, info = self._find(name)
        dtype = _PLAIN.get(info.type.name)
        if dtype is not None:
            return view_tensor(header.metadata.buffer, info.offset, info.shape, dtype)
        form = BLOCK_FORMATS.get(info.type.name)
        if form is None:
            raise EngineError(
                FaultKind.QUANTIZATION_UNSUPPORTED,
                path=str(header.path),
                quantization=info.type.name,
            )
        weight = _assemble(info, form, _chunks(header.path, info))
        return weight.dequantize().view(info.shape) if len(info.shape) < 2 else weight

    def release(self) -> None:
        """Give mapped pages back, where the system can be told to."""
        for header in {id(header): header for header, _ in self._tensors.values()}.values():
            buffer = header.metadata.buffer
            if isinstance(buffer, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
                buffer.madvise(mmap.MADV_DONTNEED)

    def release_in_use(self) -> None:
        """Nothing: weights are read, not mapped."""

    def close(self) -> None:
        """Let go of the files; tensors and metadata that are in use keep them mapped."""
        self._tensors = {}

    def _find(self, name: str) -> tuple[GgufHeader, TensorInfo]:
        found = self._tensors.get(name)
        if found is None:
            raise EngineError(FaultKind.TENSOR_MISSING, path=str(self.path), tensor=name)
        return found


def _chunks(path: Path, info: TensorInfo) -> Iterator[Tensor]:
    """The tensor's blocks, uint8 [blocks, bytes], some at a time, in one reused buffer.

    Read, not mapped: touched pages of a mapping would count as memory of this process.
    """
    size = info.type.bytes
    buffer = torch.empty(min(info.nbytes, _CHUNK // size * size), dtype=torch.uint8)
    room = buffer.numpy().data
    left = info.nbytes
    with path.open("rb", buffering=0) as file:
        file.seek(info.offset)
        while left:
            part = room[:left]
            _fill(file, part, path, info)
            left -= part.nbytes
            yield buffer[: part.nbytes].view(-1, size)


def _fill(file: FileIO, part: memoryview, path: Path, info: TensorInfo) -> None:
    done = 0
    while done < part.nbytes:
        count = file.readinto(part[done:])
        if not count:
            raise EngineError(
                FaultKind.FILE_TRUNCATED,
                path=str(path),
                size=file.seek(0, 2),
                expected=info.offset + info.nbytes,
            )
        done += count


def _assemble(info: TensorInfo, form: BlockFormat, chunks: Iterator[Tensor]) -> Grouped4 | Grouped8:
    """Take the blocks apart, chunk by chunk, into the tensors of one weight."""
    rows = prod(info.shape[:-1])
    columns = info.shape[-1] if info.shape else 1
    blocks = info.nbytes // info.type.bytes
    groups = info.type.values // form.group
    codes = torch.empty((blocks, info.type.values * form.bits // 8), dtype=form.code_dtype)
    scale = torch.empty((blocks, groups), dtype=form.scale_dtype)
    minimum = torch.empty_like(scale) if form.has_minimum else None
    done = 0
    for chunk in chunks:
        span = slice(done, done + len(chunk))
        parts = form.unpack(chunk)
        codes[span], scale[span] = parts.codes, parts.scale
        if minimum is not None and parts.minimum is not None:
            minimum[span] = parts.minimum
        done = span.stop
    shape = (rows, columns // form.group)
    minimum = None if minimum is None else minimum.view(shape)
    scale, minimum = compact(scale.view(shape), minimum)
    codes = codes.view(rows, -1)
    if form.bits == 4:
        return Grouped4(codes, scale, minimum, form.group)
    return Grouped8(codes, scale, form.group)
