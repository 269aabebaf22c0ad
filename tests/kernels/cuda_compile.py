"""Compile every kernel for real GPUs without one: ``python -m tests.kernels.cuda_compile``.

Launches are compiled instead of started, with the very arguments that a model of common shapes
gives them. Prints one JSON object: a list of what was compiled, with its figures.
"""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import torch
import triton
from triton.backends.compiler import GPUTarget
from triton.backends.nvidia.compiler import get_ptxas
from triton.compiler import ASTSource

from engine.kernels.batch import Span
from engine.kernels.cuda.attending import Decoding, attend, slices_of
from engine.kernels.cuda.launches import Heads, Launches
from engine.kernels.interface import AttentionRule, CacheShape
from engine.kernels.plan import Gate, NormPlan
from engine.kernels.reference_cache import CacheLayer
from engine.weights import Grouped4, Grouped8
from tests.kernels.cuda_checks import eight, four

TARGETS = {80: 163, 89: 99, 90: 227}
"""Compute capability: KiB of shared memory that one block may have there."""
TYPES = {
    torch.float32: "*fp32",
    torch.float16: "*fp16",
    torch.bfloat16: "*bf16",
    torch.float64: "*fp64",
    torch.uint8: "*u8",
    torch.int8: "*i8",
    torch.int32: "*i32",
    torch.int64: "*i64",
}
OPTIONS = ("num_warps", "num_stages")


class Compiler:
    """A ``Launch`` that compiles; each different kernel once for each target."""

    def __init__(self) -> None:
        self.compiled: list[dict[str, Any]] = []
        self._known: set[str] = set()

    def __call__(
        self, kernel: Any, grid: tuple[int, ...], arguments: tuple[Any, ...], given: dict[str, Any]
    ) -> None:
        options = {name: value for name, value in given.items() if name in OPTIONS}
        constants = {name: value for name, value in given.items() if name not in OPTIONS}
        names = kernel.arg_names[: len(arguments)]
        signature = {n: _type(a) for n, a in zip(names, arguments, strict=True)}
        signature |= dict.fromkeys(constants, "constexpr")
        aligned = {(i,): [["tt.divisibility", 16]] for i, a in enumerate(arguments) if _aligned(a)}
        key = f"{kernel.__name__} {signature} {constants} {options} {sorted(aligned)}"
        if key in self._known:
            return
        self._known.add(key)
        for capability in TARGETS:
            source = ASTSource(kernel, signature, constants, aligned)
            made = triton.compile(source, target=GPUTarget("cuda", capability, 32), options=options)
            ptx = made.asm["ptx"]
            self.compiled.append(
                {
                    "kernel": kernel.__name__,
                    "capability": capability,
                    "shared_kib": made.metadata.shared / 1024,
                    "spilled": spilled_bytes(ptx, capability),
                    "tensor_cores": "mma" in ptx,
                }
            )


def spilled_bytes(ptx: str, capability: int) -> int:
    """Bytes of registers that ptxas had to put into memory."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.ptx"
        path.write_text(ptx, "utf-8")
        arch = re.search(r"\.target (\w+)", ptx)
        name = arch[1] if arch else f"sm_{capability}"
        command = [get_ptxas(capability).path, "-v", f"--gpu-name={name}", str(path), "-o"]
        ran = subprocess.run(
            [*command, str(path.with_suffix(".cubin"))], capture_output=True, text=True, check=True
        )
    return sum(int(n) for n in re.findall(r"(\d+) bytes spill stores", ran.stdout + ran.stderr))


def _type(argument: Any) -> str:
    if isinstance(argument, torch.Tensor):
        return TYPES[argument.dtype]
    return "fp32" if isinstance(argument, float) else "i32"


def _aligned(argument: Any) -> bool:
    if isinstance(argument, torch.Tensor):
        return argument.data_ptr() % 16 == 0
    return isinstance(argument, int) and argument % 16 == 0


def start_products(launches: Launches, weight: Grouped4 | Grouped8) -> None:
    """One row, a small batch and a prompt."""
    for rows in (1, 8, 512):
        launches.linear(torch.zeros(rows, 4096, dtype=launches.dtype), weight)


def start_parts(launches: Launches) -> None:
    """What stands between products and attention."""
    x, one = torch.zeros(2, 4096), torch.ones(4096)
    launches.norm(x, NormPlan(one, 1e-5), x.to(launches.dtype))
    launches.norm(x, NormPlan(one, 1e-5, centred=True, bias=one))
    launches.gate(torch.zeros(2, 28672, dtype=launches.dtype), Gate.SILU, True)


def start_attention(launches: Launches, dim: int, bits: int) -> None:
    """Heads in place, a token of each of two sequences, and a slice."""
    dtype = launches.dtype
    layer = CacheLayer.make(CacheShape(8, dim, dim), 64, bits, dtype, torch.device("cpu"))
    assert layer.values is not None
    norm = NormPlan(torch.ones(dim), 1e-5)
    heads = Heads(32, 8, dim, (norm, norm), (torch.zeros(2, 64), torch.zeros(2, 64)))
    slots = torch.zeros(2, dtype=torch.int64)
    qkv = torch.zeros(2, 48 * dim, dtype=dtype)
    q = launches.place_heads(qkv, heads, slots, layer.keys, layer.values)
    rule = AttentionRule(0.1, window=9, softcap=3.0, sinks=torch.zeros(32))
    pages = torch.zeros(2, 2, dtype=torch.int32)
    attend(launches, q, layer, Decoding(slots, slots, pages), 32, rule)
    wide = torch.zeros(40, 32, dim, dtype=dtype)
    slices = slices_of((Span(0, 40, 0, (0, 1)),), 0, 32, torch.device("cpu"))
    attend(launches, wide, layer, slices, 32, rule)


def main() -> None:
    """Compile for the shapes of an 8B model, and for heads of 256, and print what came out."""
    compiler = Compiler()
    launches = Launches(torch.bfloat16, 64, compiler)
    start_products(launches, four(64, 4096, 32, True))
    start_products(launches, eight(64, 4096, 32))
    start_parts(launches)
    start_attention(launches, 128, 16)
    launches = Launches(torch.float16, 64, compiler)
    start_products(launches, four(64, 4096, 128, False))
    start_attention(launches, 256, 8)
    print(json.dumps(compiler.compiled))


if __name__ == "__main__":
    main()
