"""Tensors that are views of a mapped file: nothing is copied, nothing may be written."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
import torch
from torch import Tensor

from engine.storage.gguf_metadata import Buffer


class _Window:
    """A stretch of a mapping, offered through numpy's array interface as if it were writable.

    torch warns about every tensor over memory that is marked read-only; nothing here writes. The
    array keeps this object alive, and this object the mapping, so a tensor outlives its
    checkpoint. (A private, writable mapping would do without this, but counts in full against the
    system's commit limit: a model larger than memory could not be opened.)
    """

    def __init__(self, buffer: Buffer, offset: int, nbytes: int) -> None:
        self._buffer = buffer
        address = np.frombuffer(buffer, np.uint8, nbytes, offset).ctypes.data
        self.__array_interface__: dict[str, Any] = {
            "shape": (nbytes,),
            "typestr": "|u1",
            "data": (address, False),
            "version": 3,
        }


def view_tensor(buffer: Buffer, offset: int, shape: tuple[int, ...], dtype: torch.dtype) -> Tensor:
    """A plain tensor of ``shape`` over the mapping's bytes from ``offset`` on.

    Offsets that do not suit the type's size (a file written with an alignment of one) are copied.
    """
    nbytes = prod(shape) * dtype.itemsize
    raw = torch.from_numpy(np.asarray(_Window(buffer, offset, nbytes)))
    if raw.data_ptr() % dtype.itemsize:
        raw = raw.clone()
    return raw.view(dtype).view(shape)
