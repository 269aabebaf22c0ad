"""Which kernels a GPU gets: each way is tried with a small product, and the first that is right.

Triton needs its package, a driver, and on Linux a C compiler once; tinygemm needs sm_80. A way that
fails, or whose product is not the reference's, is logged with its reason and passed over.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from subprocess import SubprocessError

import torch

from engine.kernels.interface import Kernels
from engine.kernels.reference import ReferenceKernels
from engine.weights import Grouped4

_log = logging.getLogger(__name__)

Way = Callable[[torch.device, torch.dtype], Kernels]


class WrongProduct(Exception):
    """A product that is not the reference's."""


FAILURES = (ImportError, OSError, RuntimeError, SubprocessError, WrongProduct)
"""What a way may end in here: a package, a compiler, a driver or an operation that is missing."""


def triton_kernels(device: torch.device, dtype: torch.dtype) -> Kernels:
    """The kernels of this package.

    Raises:
        ImportError: Triton is not installed.
        RuntimeError: there is no driver or compiler, or Triton refuses the device.
    """
    from triton.errors import TritonError  # noqa: PLC0415 (not on every system)

    from engine.kernels.cuda.kernels import CudaKernels  # noqa: PLC0415
    from engine.kernels.cuda.recording import CudaRecorder  # noqa: PLC0415

    if not torch.cuda.is_available():
        raise RuntimeError("there is no CUDA device")
    processors = torch.cuda.get_device_properties(device).multi_processor_count
    kernels = CudaKernels(device, dtype, CudaRecorder(device), processors)
    try:
        check(kernels)
    except TritonError as error:
        raise RuntimeError(str(error)) from error
    return kernels


def tinygemm_kernels(device: torch.device, dtype: torch.dtype) -> Kernels:
    """ATen's 4-bit products.

    Raises:
        RuntimeError: the device or the build of torch has none.
    """
    from engine.kernels.cuda.tinygemm import TinygemmKernels  # noqa: PLC0415

    if dtype is not torch.bfloat16:
        raise RuntimeError("tinygemm multiplies bfloat16 alone")
    kernels = TinygemmKernels(device, dtype)
    check(kernels)
    return kernels


WAYS: tuple[Way, ...] = (triton_kernels, tinygemm_kernels)


@dataclass(frozen=True, slots=True)
class Choice:
    """The kernels that a GPU gets.

    Attributes:
        kernels: of the first way that works; at last the reference's plain torch.
        refused: "name: reason" of each way before it.
    """

    kernels: Kernels
    refused: tuple[str, ...]


def choose_way(device: torch.device, ways: Iterable[Way] = WAYS) -> Choice:
    """The fastest kernels that work on a GPU, and why none faster."""
    major, _ = torch.cuda.get_device_capability(device)
    dtype = torch.bfloat16 if major >= 8 else torch.float16
    return first_that_works(ways, device, dtype)


def first_that_works(ways: Iterable[Way], device: torch.device, dtype: torch.dtype) -> Choice:
    """The first way that does not fail."""
    refused: list[str] = []
    for way in ways:
        try:
            kernels = way(device, dtype)
        except FAILURES as error:
            _log.warning("%s does not work on %s: %s", way.__name__, device, error)
            refused.append(f"{way.__name__.removesuffix('_kernels')}: {error}")
        else:
            _log.info("kernels on %s: %s, %s", device, kernels.name, dtype)
            return Choice(kernels, tuple(refused))
    _log.info("kernels on %s: weights are dequantized for each product, %s", device, dtype)
    slow = ReferenceKernels(device, dtype, slow_because="; ".join(refused))
    return Choice(slow, tuple(refused))


def check(kernels: Kernels) -> None:
    """Compare one product of few rows and one of many with the reference's.

    Raises:
        WrongProduct: they differ by more than rounding.
    """
    made = torch.Generator().manual_seed(1)
    codes = torch.randint(0, 256, (64, 128), generator=made, dtype=torch.uint8)
    scale = torch.rand(64, 8, generator=made).half()
    weight = Grouped4(codes, scale, -8 * scale, 32)
    packed = kernels.pack(weight)
    for rows in (1, 32):
        x = torch.randn(rows, 256, generator=made)
        want = x @ weight.dequantize().T
        got = kernels.linear(x.to(kernels.device, kernels.dtype), packed).float().cpu()
        error = float((got - want).abs().max() / want.abs().max())
        if not error < 2e-2:  # NaN is wrong, too
            raise WrongProduct(f"a product of {rows} rows is off by {error:.2g}")
