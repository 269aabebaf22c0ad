"""Triton's interpreter, made ready: kernels run on the CPU, in numpy.

To be entered before Triton is imported, in a process of its own: the switch holds for all kernels.
"""

from __future__ import annotations

import os
from typing import Any


def interpret() -> None:
    """Switch the interpreter on, and teach it products of bfloat16, which it holds as integers."""
    os.environ["TRITON_INTERPRET"] = "1"
    import numpy as np
    from triton import language as tl
    from triton.runtime import interpreter

    plain = interpreter.InterpreterBuilder.create_dot

    def create_dot(self: Any, a: Any, b: Any, *rest: Any) -> Any:
        def widened(x: Any) -> Any:
            if x.dtype.scalar != tl.bfloat16:
                return x
            bits = interpreter._convert_float(x.data, tl.bfloat16, tl.float32, None)
            return interpreter.TensorHandle(bits.view(np.float32), tl.float32)

        return plain(self, widened(a), widened(b), *rest)

    interpreter.InterpreterBuilder.create_dot = create_dot
