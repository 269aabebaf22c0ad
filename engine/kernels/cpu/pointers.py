"""What numba lacks and the operations need: addresses, float16, bit casts, atomics, calls.

Operations see memory as addresses in tables of int64; ``floats(address, count)`` and its siblings
make arrays of them, which numba and LLVM optimize as usual.
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from llvmlite import ir
from numba import carray, types
from numba.extending import intrinsic as numba_intrinsic
from numba.extending import register_jitable

from engine.kernels.cpu.emitter import emit_prefetch

Function = TypeVar("Function", bound=Callable[..., Any])

I16 = ir.IntType(16)
I32 = ir.IntType(32)
I64 = ir.IntType(64)
F32 = ir.FloatType()

# 1.5 * 2**23: adding it leaves the nearest integer in the low bits
ROUNDER = np.float32(12582912.0)
ROUNDER_BITS = np.int32(0x4B400000)


def inner(function: Function) -> Function:
    """Make a function callable from compiled operations; it is compiled as part of each."""
    marked: Function = register_jitable(no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)
    return marked


def intrinsic(function: Callable[..., Any]) -> Callable[..., Any]:
    """The decorator ``numba.extending.intrinsic``, typed."""
    made: Callable[..., Any] = numba_intrinsic(function)
    return made


def _emits(result: Any, *arguments: Any) -> Callable[[Callable[[Any, Any], Any]], Any]:
    """(signature, codegen) from a function of (builder, arguments)."""

    def finish(write: Callable[[Any, Any], Any]) -> Any:
        def generate(context: Any, builder: Any, _signature: Any, values: Any) -> Any:
            made = write(builder, values)
            return context.get_dummy_value() if result is types.void else made

        return result(*arguments), generate

    return finish


def word_pointer(builder: Any, address: Any) -> Any:
    """The address of an int64, as instructions take it."""
    return builder.inttoptr(address, I64.as_pointer())


@intrinsic
def as_pointer(_typing: Any, _address: Any) -> Any:
    """The address as a pointer that ``carray`` takes."""
    return _emits(types.voidptr, types.int64)(
        lambda build, values: build.inttoptr(values[0], ir.IntType(8).as_pointer())
    )


@intrinsic
def half_to_float(_typing: Any, _bits: Any) -> Any:
    """float16, given as its bits, to float32."""
    return _emits(types.float32, types.uint16)(
        lambda build, values: build.fpext(build.bitcast(values[0], ir.HalfType()), F32)
    )


@intrinsic
def float_to_half(_typing: Any, _value: Any) -> Any:
    """float32 to the bits of float16, rounded to nearest even."""
    return _emits(types.uint16, types.float32)(
        lambda build, values: build.bitcast(build.fptrunc(values[0], ir.HalfType()), I16)
    )


@intrinsic
def bits_to_float(_typing: Any, _bits: Any) -> Any:
    """The float32 with these bits."""
    return _emits(types.float32, types.int32)(lambda build, values: build.bitcast(values[0], F32))


@intrinsic
def float_to_bits(_typing: Any, _value: Any) -> Any:
    """The bits of a float32."""
    return _emits(types.int32, types.float32)(lambda build, values: build.bitcast(values[0], I32))


@intrinsic
def load_acquire(_typing: Any, _address: Any) -> Any:
    """Read an int64 that another thread writes."""

    def write(build: Any, values: Any) -> Any:
        return build.load_atomic(word_pointer(build, values[0]), "acquire", 8)

    return _emits(types.int64, types.int64)(write)


@intrinsic
def store_release(_typing: Any, _address: Any, _value: Any) -> Any:
    """Write an int64 that another thread reads."""

    def write(build: Any, values: Any) -> None:
        build.store_atomic(values[1], word_pointer(build, values[0]), "release", 8)

    return _emits(types.void, types.int64, types.int64)(write)


@intrinsic
def pause(_typing: Any) -> Any:
    """Tell the processor that this is a spin loop."""
    arm = platform.machine().lower() in {"aarch64", "arm64"}

    def write(build: Any, _values: Any) -> None:
        arguments = [I32] if arm else []
        name = "llvm.aarch64.hint" if arm else "llvm.x86.sse2.pause"
        kind = ir.FunctionType(ir.VoidType(), arguments)
        known = build.module.globals.get(name)
        function = ir.Function(build.module, kind, name) if known is None else known
        build.call(function, [ir.Constant(I32, 1)] if arm else [])

    return _emits(types.void)(write)


@intrinsic
def prefetch(_typing: Any, _address: Any) -> Any:
    """Ask for the cache line at an address, which may be no memory at all."""

    def write(build: Any, values: Any) -> None:
        emit_prefetch(build.module, build, values[0], ir.IntType(8).as_pointer())

    return _emits(types.void, types.int64)(write)


def _caller(count: int) -> Callable[[Any, Any], None]:
    def write(build: Any, values: Any) -> None:
        kind = ir.FunctionType(ir.VoidType(), [I64] * count)
        target = build.inttoptr(values[0], kind.as_pointer())
        build.call(target, list(values[1:]))

    return write


@intrinsic
def call0(_typing: Any, _function: Any) -> Any:
    """Call the native function at an address."""
    return _emits(types.void, types.int64)(_caller(0))


@intrinsic
def call1(_typing: Any, _function: Any, _a: Any) -> Any:
    """Call the native function at an address with one int64."""
    return _emits(types.void, *[types.int64] * 2)(_caller(1))


@intrinsic
def call3(_typing: Any, _function: Any, _a: Any, _b: Any, _c: Any) -> Any:
    """Call the native function at an address with three int64."""
    return _emits(types.void, *[types.int64] * 4)(_caller(3))


@intrinsic
def call4(_typing: Any, _function: Any, _a: Any, _b: Any, _c: Any, _d: Any) -> Any:
    """Call the native function at an address with four int64."""
    return _emits(types.void, *[types.int64] * 5)(_caller(4))


@intrinsic
def call8(
    _typing: Any,
    _function: Any,
    _a: Any,
    _b: Any,
    _c: Any,
    _d: Any,
    _e: Any,
    _f: Any,
    _g: Any,
    _h: Any,
) -> Any:
    """Call the native function at an address with eight int64."""
    return _emits(types.void, *[types.int64] * 9)(_caller(8))


@intrinsic
def call9(
    _typing: Any,
    _function: Any,
    _a: Any,
    _b: Any,
    _c: Any,
    _d: Any,
    _e: Any,
    _f: Any,
    _g: Any,
    _h: Any,
    _i: Any,
) -> Any:
    """Call the native function at an address with nine int64."""
    return _emits(types.void, *[types.int64] * 10)(_caller(9))


@intrinsic
def call10(
    _typing: Any, _function: Any, _a: Any, _b: Any, _c: Any, _d: Any, _e: Any, _f: Any, _g: Any,
    _h: Any, _i: Any, _j: Any,
) -> Any:  # fmt: skip
    """Call the native function at an address with ten int64."""
    return _emits(types.void, *[types.int64] * 11)(_caller(10))


@intrinsic
def call11(
    _typing: Any,
    _function: Any,
    _a: Any,
    _b: Any,
    _c: Any,
    _d: Any,
    _e: Any,
    _f: Any,
    _g: Any,
    _h: Any,
    _i: Any,
    _j: Any,
    _k: Any,
) -> Any:
    """Call the native function at an address with eleven int64."""
    return _emits(types.void, *[types.int64] * 12)(_caller(11))


@intrinsic
def call12(
    _typing: Any,
    _function: Any,
    _a: Any,
    _b: Any,
    _c: Any,
    _d: Any,
    _e: Any,
    _f: Any,
    _g: Any,
    _h: Any,
    _i: Any,
    _j: Any,
    _k: Any,
    _l: Any,
) -> Any:
    """Call the native function at an address with twelve int64."""
    return _emits(types.void, *[types.int64] * 13)(_caller(12))


@inner
def floats(address: int, count: int) -> Any:
    """The float32 array at an address."""
    return carray(as_pointer(address), (count,), np.float32)


@inner
def halves(address: int, count: int) -> Any:
    """The array of float16 bits at an address."""
    return carray(as_pointer(address), (count,), np.uint16)


@inner
def bytes_at(address: int, count: int) -> Any:
    """The int8 array at an address."""
    return carray(as_pointer(address), (count,), np.int8)


@inner
def nearest(x: Any) -> Any:
    """The integer nearest to a float32 of magnitude below 2**22, halves to even."""
    return np.int32(float_to_bits(x + ROUNDER) - ROUNDER_BITS)


@inner
def numbers(address: int, count: int) -> Any:
    """The int64 array at an address."""
    return carray(as_pointer(address), (count,), np.int64)


@inner
def words(address: int, count: int) -> Any:
    """The uint32 array at an address."""
    return carray(as_pointer(address), (count,), np.uint32)
