"""What a decode step needs of the device besides kernels: a recording, and copies that do not wait.

Behind an interface because a recording has rules that can be broken without a GPU: it keeps the
addresses that it saw, and what Python does while recording happens once. The tests have a recorder
for the CPU with the same rules.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import torch
from torch import Tensor


class Recorder(Protocol):
    """Records work on one device; all work goes in the order of the calls."""

    def record(self, run: Callable[[], Tensor]) -> tuple[Tensor, Callable[[], None]]:
        """Record what ``run`` does.

        ``run`` may be called more than once, so it must do the same each time.

        Returns:
            Where each replay leaves the result, and what replays it. The result is overwritten
            by the next replay.
        """
        ...

    def send(self, values: Sequence[Sequence[float]], target: Tensor) -> None:
        """Copy host values into a tensor of the device without waiting for the device."""
        ...

    def fetch(self, source: Tensor) -> Callable[[], list[int]]:
        """Begin to copy an int64 vector to the host; the call waits for it and gives it."""
        ...


class CudaRecorder:
    """CUDA graphs that share one pool of memory.

    Args:
        device: whose current stream the work goes to.
    """

    _IN_FLIGHT = 4
    """Host buffers in turn: two steps are queued at most, each with one copy of each kind."""

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._pool: Any = None
        self._buffers: dict[tuple[torch.Size, torch.dtype, bool], list[Tensor]] = {}

    def record(self, run: Callable[[], Tensor]) -> tuple[Tensor, Callable[[], None]]:
        """See ``Recorder``; the first run compiles kernels, which a recording must not."""
        with torch.cuda.device(self._device):
            side = torch.cuda.Stream()  # type: ignore[no-untyped-call]
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                run()
            torch.cuda.current_stream().wait_stream(side)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, pool=self._pool):
                result = run()
            self._pool = graph.pool()
            return result, graph.replay

    def send(self, values: Sequence[Sequence[float]], target: Tensor) -> None:
        """See ``Recorder``."""
        host = self._host(target, to_device=True)
        host.copy_(torch.tensor(values, dtype=target.dtype))
        target.copy_(host, non_blocking=True)

    def fetch(self, source: Tensor) -> Callable[[], list[int]]:
        """See ``Recorder``."""
        host = self._host(source, to_device=False)
        host.copy_(source, non_blocking=True)
        arrived = torch.cuda.Event()  # type: ignore[no-untyped-call]
        arrived.record(torch.cuda.current_stream(self._device))

        def read() -> list[int]:
            arrived.synchronize()
            numbers: list[int] = host.tolist()
            return numbers

        return read

    def _host(self, like: Tensor, *, to_device: bool) -> Tensor:
        """A pinned buffer that no copy under way uses."""
        key = (like.shape, like.dtype, to_device)
        if key not in self._buffers:
            self._buffers[key] = [
                torch.empty(like.shape, dtype=like.dtype, pin_memory=True)
                for _ in range(self._IN_FLIGHT)
            ]
        buffers = self._buffers[key]
        buffers.append(buffers.pop(0))
        return buffers[-1]
