"""A small typed vocabulary over llvmlite's builder: what the kernel generators are written in.

Addresses are 64-bit integers; every load and store names its alignment, so that a generator that
promises too much is seen in a test and not as a fault on somebody's machine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from llvmlite import ir

from engine.kernels.cpu.processor import Processor

Value = Any  # llvmlite is untyped: an ir.Value
Kind = Any  # an ir.Type

I8 = ir.IntType(8)
I16 = ir.IntType(16)
I32 = ir.IntType(32)
I64 = ir.IntType(64)
F16 = ir.HalfType()
F32 = ir.FloatType()


def vector(kind: Kind, lanes: int) -> Kind:
    """The vector type of ``lanes`` elements."""
    return ir.VectorType(kind, lanes)


def constant(kind: Kind, value: float) -> Value:
    """A constant, the same in every lane if ``kind`` is a vector."""
    if isinstance(kind, ir.VectorType):
        return ir.Constant(kind, [value] * kind.count)
    return ir.Constant(kind, value)


def emit_prefetch(module: Any, build: Any, address: Value, pointer: Kind, level: int = 1) -> None:
    """Write the instruction that asks for the cache line at an address, with pointers of a type.

    ``level``: of the cache that gets it.
    """
    kind = ir.FunctionType(ir.VoidType(), [pointer, I32, I32, I32])
    name = "llvm.prefetch.p0"
    known = module.globals.get(name)
    function = ir.Function(module, kind, name) if known is None else known
    read, keep, data = (ir.Constant(I32, number) for number in (0, 4 - level, 1))
    build.call(function, [build.inttoptr(address, pointer), read, keep, data])


class Emitter:
    """Writes one function ``void name(i64, …)``.

    Attributes:
        arguments: the function's arguments, by name.
    """

    def __init__(
        self, module: Any, processor: Processor, name: str, arguments: Sequence[str]
    ) -> None:
        kind = ir.FunctionType(ir.VoidType(), [I64] * len(arguments))
        function = ir.Function(module, kind, name)
        function.attributes.add("nounwind")
        self.processor = processor
        self.arguments: dict[str, Value] = dict(zip(arguments, function.args, strict=True))
        self._module = module
        self._entry = function.append_basic_block("entry")
        self.build = ir.IRBuilder(self._entry)

    def end(self) -> None:
        """Return from the function."""
        self.build.ret_void()

    def number(self, value: int) -> Value:
        """A 64-bit constant."""
        return ir.Constant(I64, value)

    def add(self, *terms: Value | int) -> Value:
        """The sum of 64-bit values."""
        total = self._value(terms[0])
        for term in terms[1:]:
            if term != 0:
                total = self.build.add(total, self._value(term))
        return total

    def times(self, a: Value, b: Value | int) -> Value:
        """The product of 64-bit values."""
        return self.build.mul(a, self._value(b))

    def _value(self, value: Value | int) -> Value:
        return self.number(value) if isinstance(value, int) else value

    def load(self, kind: Kind, address: Value, align: int) -> Value:
        """Load a value of ``kind``."""
        pointer = self.build.inttoptr(address, ir.PointerType())
        loaded = self.build.load(pointer, typ=kind)
        loaded.align = align
        return loaded

    def store(self, value: Value, address: Value, align: int) -> None:
        """Store a value."""
        pointer = self.build.inttoptr(address, ir.PointerType())
        self.build.store(value, pointer).align = align

    def prefetch(self, address: Value, level: int = 1) -> None:
        """Ask for the cache line at an address, which may be no memory at all."""
        emit_prefetch(self._module, self.build, address, ir.PointerType(), level)

    def variable(self, kind: Kind) -> Value:
        """A stack slot in the entry block, which LLVM turns into registers."""
        with self.build.goto_block(self._entry):
            self.build.position_at_start(self._entry)
            return self.build.alloca(kind)

    def get(self, variable: Value, kind: Kind) -> Value:
        """The value of a variable."""
        return self.build.load(variable, typ=kind)

    def set(self, variable: Value, value: Value) -> None:
        """Give a variable a value."""
        self.build.store(value, variable)

    def splat(self, value: Value, lanes: int) -> Value:
        """``value`` in every lane."""
        kind = vector(value.type, lanes)
        one = self.build.insert_element(ir.Constant(kind, ir.Undefined), value, ir.Constant(I32, 0))
        return self.build.shuffle_vector(one, one, constant(vector(I32, lanes), 0))

    def call(self, name: str, result: Kind, *values: Value) -> Value:
        """Call an LLVM intrinsic."""
        kind = ir.FunctionType(result, [value.type for value in values])
        known = self._module.globals.get(name)
        function = ir.Function(self._module, kind, name) if known is None else known
        return self.build.call(function, list(values))

    def fma(self, a: Value, b: Value, c: Value) -> Value:
        """``a * b + c`` on float32 vectors, rounded once where the processor can."""
        if self.processor.triple.startswith("x86") and "+fma" not in self.processor.features:
            return self.build.fadd(self.build.fmul(a, b), c)
        return self.call(f"llvm.fma.v{a.type.count}f32", a.type, a, b, c)

    def floats(self, value: Value) -> Value:
        """A vector of float16 as float32, without a library call where hardware lacks it."""
        lanes = value.type.count
        wide = vector(F32, lanes)
        if self.processor.half:
            return self.build.fpext(value, wide)
        bits = self.build.zext(self.build.bitcast(value, vector(I16, lanes)), vector(I32, lanes))
        sign = self.build.and_(bits, constant(bits.type, 0x8000))
        rest = self.build.xor(bits, sign)
        shifted = self.build.shl(rest, constant(bits.type, 13))
        scaled = self.build.fmul(self.build.bitcast(shifted, wide), constant(wide, 2.0**112))
        top = self.build.shl(sign, constant(bits.type, 16))
        return self.build.bitcast(self.build.or_(self.build.bitcast(scaled, bits.type), top), wide)

    def settle(self, values: Sequence[Value]) -> list[Value]:
        """The same values, with a point here that LLVM's schedulers move nothing across.

        An empty piece of assembly that claims to change them. Without it LLVM computes one sum
        after the other, and the operands that they share are spilled to the stack between.
        """
        letter = "w" if self.processor.triple.startswith(("aarch64", "arm64")) else "x"
        outputs = [f"={letter}" for _ in values]
        inputs = [str(index) for index in range(len(values))]
        kind = ir.LiteralStructType([value.type for value in values])
        signature = ir.FunctionType(kind, [value.type for value in values])
        text = ",".join([*outputs, *inputs, "~{memory}"])
        tied = self.build.asm(signature, "", text, list(values), side_effect=True)
        return [self.build.extract_value(tied, index) for index in range(len(values))]

    @contextmanager
    def loop(self, count: Value) -> Iterator[Value]:
        """Run the body for an index from 0 to ``count`` - 1."""
        index = self.variable(I64)
        self.set(index, self.number(0))
        function = self.build.function
        head = function.append_basic_block("head")
        body = function.append_basic_block("body")
        end = function.append_basic_block("end")
        self.build.branch(head)
        self.build.position_at_end(head)
        now = self.get(index, I64)
        self.build.cbranch(self.build.icmp_signed("<", now, count), body, end)
        self.build.position_at_end(body)
        yield now
        self.set(index, self.build.add(now, self.number(1)))
        self.build.branch(head)
        self.build.position_at_end(end)
