"""A recorder for the CPU with a CUDA graph's rules, so that they can be broken without a GPU.

While recording, every operation and every kernel is noted with the very tensors that it had;
a replay does them again and puts each result where the first one was. So addresses are kept,
what Python does happens once, and reading a value on the host while recording fails.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class CpuRecorder:
    """Records what runs; ``recordings`` counts."""

    def __init__(self) -> None:
        self.recordings = 0
        self._calls: list[Callable[[], None]] | None = None

    def record(self, run: Callable[[], Tensor]) -> tuple[Tensor, Callable[[], None]]:
        run()
        calls: list[Callable[[], None]] = []
        self._calls = calls
        with _Noting(calls):
            result = run()
        self._calls = None
        self.recordings += 1

        def replay() -> None:
            for call in calls:
                call()

        return result, replay

    def launch(
        self, kernel: Any, grid: tuple[int, ...], arguments: tuple[Any, ...], constants: Any
    ) -> None:
        from engine.kernels.cuda.launches import start

        if self._calls is not None:
            self._calls.append(lambda: start(kernel, grid, arguments, constants))
            with torch.utils._python_dispatch._disable_current_modes():
                start(kernel, grid, arguments, constants)
        else:
            start(kernel, grid, arguments, constants)

    def send(self, values: Sequence[Sequence[float]], target: Tensor) -> None:
        target.copy_(torch.tensor(values, dtype=target.dtype))

    def fetch(self, source: Tensor) -> Callable[[], list[int]]:
        return source.clone().tolist


class _Noting(TorchDispatchMode):
    def __init__(self, calls: list[Callable[[], None]]) -> None:
        super().__init__()
        self._calls = calls

    def __torch_dispatch__(
        self,
        func: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        if func is torch.ops.aten._local_scalar_dense.default:
            raise RuntimeError("a value was read on the host while recording")
        given = kwargs or {}
        first = func(*args, **given)
        outputs = [x for x in tree_leaves(first) if isinstance(x, Tensor)]

        def again() -> None:
            results = [x for x in tree_leaves(func(*args, **given)) if isinstance(x, Tensor)]
            for old, new in zip(outputs, results, strict=True):
                if old.data_ptr() != new.data_ptr():
                    old.copy_(new)

        self._calls.append(again)
        return first
