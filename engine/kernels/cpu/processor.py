"""Which integer dot product this processor has, and how wide its vectors are.

Everything that depends on the processor is decided here once, from its real features; the code
generators take a ``Processor`` and never ask again. A processor that is not this machine's can be
named too, so that its code can be compiled and read here (``tests/kernels/test_targets.py``); and
this machine's can be taken for a lesser one, so that lesser kernels are tested and measured here.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import StrEnum

from llvmlite import binding as llvm

from engine.contract.faults import EngineError, FaultKind
from engine.kernels.interface import SLICE_FLOPS


class DotProduct(StrEnum):
    """How four neighbouring bytes are multiplied and added."""

    VNNI = "vnni"  # vpdpbusd: unsigned x signed into 32 bits
    MADDUBS = "maddubs"  # vpmaddubsw: unsigned x signed into saturating 16 bits
    SDOT = "sdot"  # ARM's dot product: signed x signed into 32 bits
    PORTABLE = "portable"  # 16-bit multiplies and adds that every vector unit has


@dataclass(frozen=True, slots=True)
class Processor:
    """A target of the code generators.

    Attributes:
        triple: LLVM's target triple.
        cpu: LLVM's name of the processor.
        features: LLVM's feature string ("+avx2,-avx512f,…").
        dot: which dot product to generate.
        lanes: 32-bit lanes of one vector register: 16, 8 or 4.
        columns: activation rows that one pass over a weight tile multiplies at most; more would
            not leave enough registers.
        half: the processor converts float16 by itself.
    """

    triple: str
    cpu: str
    features: str
    dot: DotProduct
    lanes: int
    columns: int
    half: bool

    @property
    def slice_flops(self) -> float:
        """See ``Kernels``; 64-byte vectors that add products do 600 to 700 Gop/s a thread."""
        return 4 * SLICE_FLOPS if self.dot is DotProduct.VNNI and self.lanes == 16 else SLICE_FLOPS

    @property
    def label(self) -> str:
        """Its instructions as people name them."""
        match self.dot:
            case DotProduct.VNNI:
                return "AVX-512 VNNI" if self.lanes == 16 else "AVX-VNNI"
            case DotProduct.MADDUBS:
                return "AVX2"
            case DotProduct.SDOT:
                return "NEON"
            case DotProduct.PORTABLE:
                return "portable"


def processor_for(triple: str, cpu: str, features: dict[str, bool]) -> Processor:
    """The target with these LLVM features."""
    text = ",".join(f"{'+' if on else '-'}{name}" for name, on in sorted(features.items()))
    has = {name for name, on in features.items() if on}
    arm = triple.startswith(("aarch64", "arm64"))
    if {"avx512f", "avx512bw", "avx512vl", "avx512vnni"} <= has:
        return Processor(triple, cpu, text, DotProduct.VNNI, 16, 8, half=True)
    if {"avx2", "fma", "f16c"} <= has:
        dot = DotProduct.VNNI if "avxvnni" in has else DotProduct.MADDUBS
        return Processor(triple, cpu, text, dot, 8, 4, half=True)
    if arm and "dotprod" in has:
        return Processor(triple, cpu, text, DotProduct.SDOT, 4, 4, half=True)
    return Processor(triple, cpu, text, DotProduct.PORTABLE, 4, 2, half=arm)


VARIABLE = "INKSTONE_INSTRUCTIONS"
"""The environment's word for a form of kernels, by its label: "AVX2" on a machine that has more."""

_HIDDEN = ("amx", "avx10", "avx512"), ("avxvnni",), ("avx", "f16c", "fma", "sha512", "sm", "v")
"""Features (their beginnings) without which a processor has the next best form of kernels."""


def processors_here() -> dict[str, Processor]:
    """Every form of kernels that this machine can run by its label, the best first."""
    triple, cpu = llvm.get_process_triple(), llvm.get_host_cpu_name()
    features = dict(llvm.get_host_cpu_features())
    best = processor_for(triple, cpu, features)
    forms = {best.label: best}
    for hidden in _HIDDEN if triple.startswith("x86") else ():
        features = {name: on and not name.startswith(hidden) for name, on in features.items()}
        made = processor_for(triple, cpu, features)
        forms.setdefault(made.label, made)
    return forms


def this_processor() -> Processor:
    """The processor that this program runs on, or what it is to be taken for.

    Raises:
        EngineError: SETTING_INVALID for a form that this machine cannot run.
    """
    forms = processors_here()
    wanted = os.environ.get(VARIABLE) or next(iter(forms))
    if wanted not in forms:
        raise EngineError(
            FaultKind.SETTING_INVALID, name=VARIABLE, value=wanted, allowed=", ".join(forms)
        )
    return forms[wanted]
