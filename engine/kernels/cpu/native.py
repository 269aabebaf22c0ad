"""Turns generated modules into machine code, and keeps the code on disk for the next start.

An object is found by its name and a hash of the processor and LLVM's version, in a folder that is
another for each version of these sources: nothing is ever stale, and the second start neither
generates nor compiles anything.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from llvmlite import binding as llvm
from llvmlite import ir

from engine.kernels.cpu.processor import Processor


def new_module(processor: Processor, name: str) -> Any:
    """An empty module for the processor."""
    module = ir.Module(name)
    module.triple = processor.triple
    return module


def _machine(processor: Processor) -> Any:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple(processor.triple)
    return target.create_target_machine(
        cpu=processor.cpu, features=processor.features, opt=3, reloc="pic", codemodel="default"
    )


def _optimized(module: Any, machine: Any) -> Any:
    """The verified module after the few passes that the generators' output needs.

    No reassociation and no vectorizer: the order of operations is chosen for few live registers.
    """
    parsed = llvm.parse_assembly(str(module))
    parsed.verify()
    passes = llvm.create_new_module_pass_manager()
    passes.add_sroa_pass()
    passes.add_instruction_combine_pass()
    passes.add_simplify_cfg_pass()
    passes.add_loop_simplify_pass()
    passes.add_loop_rotate_pass()
    passes.add_new_gvn_pass()
    passes.run(parsed, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options()))
    return parsed


def compile_object(module: Any, processor: Processor) -> bytes:
    """The module as an object file."""
    machine = _machine(processor)
    return bytes(machine.emit_object(_optimized(module, machine)))


def compile_assembly(module: Any, processor: Processor) -> str:
    """The module as assembly text, for a processor that need not be this one."""
    machine = _machine(processor)
    return str(machine.emit_assembly(_optimized(module, machine)))


_DIGEST_BYTES = hashlib.sha256().digest_size


class NativeCode:
    """The native functions of this process, loaded from a folder or compiled into it.

    Args:
        processor: what they are for.
        folder: where objects are kept; another for each version of the generators.
    """

    def __init__(self, processor: Processor, folder: Path) -> None:
        self.processor = processor
        self._folder = folder
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        machine = _machine(processor)
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)

    def load(self, name: str, write: Callable[[Any], None]) -> None:
        """Make a module's functions callable; ``write`` fills it if it is not on disk yet."""
        path = self._folder / f"{name}.{self._key()}.o"
        if (code := _kept(path)) is None:
            module = new_module(self.processor, name)
            write(module)
            code = compile_object(module, self.processor)
            self._keep(path, code)
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        self._engine.finalize_object()

    def address(self, name: str) -> int:
        """The address of a loaded function."""
        return int(self._engine.get_function_address(name))

    def _key(self) -> str:
        processor = self.processor
        parts = (processor.cpu, processor.features, str(llvm.llvm_version_info))
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]

    def _keep(self, path: Path, code: bytes) -> None:
        """Write the code under a name of its own, then rename: two programs may start at once."""
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as part:
            part.write(hashlib.sha256(code).digest() + code)
        Path(part.name).replace(path)


def _kept(path: Path) -> bytes | None:
    """The code of a file that is there and whole; half an object could end the process."""
    try:
        held = path.read_bytes()
    except FileNotFoundError:
        return None
    told, code = held[:_DIGEST_BYTES], held[_DIGEST_BYTES:]
    return code if hashlib.sha256(code).digest() == told else None
