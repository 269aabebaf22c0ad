"""Several devices on a machine that has one: ``cpu:0``, ``cpu:1`` as if each had its own memory.

Under this mode a tensor made or moved to ``cpu:N`` belongs there, what is computed from it too, and
an operation on tensors of two devices is the error that it would be on two GPUs. Plain ``cpu`` is
one more device: the host.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves, tree_map
from torch.utils.weak import WeakIdKeyDictionary

HOST = torch.device("cpu")
MOVES = (Tensor.to, Tensor.cpu)


class FakeDevices(TorchFunctionMode):
    """Notes where tensors are, and refuses what two devices cannot do together.

    Attributes:
        moves: how many tensors went from one device to another: (from, to) -> count.
    """

    def __init__(self) -> None:
        super().__init__()
        self.moves: Counter[tuple[str, str]] = Counter()
        self._places = WeakIdKeyDictionary()

    def place(self, x: Tensor) -> torch.device:
        """Where a tensor is."""
        found: torch.device = self._places.get(x, HOST)
        return found

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Do it where its tensors are."""
        given = dict(kwargs or {})
        tensors = [x for x in tree_leaves((args, given)) if isinstance(x, Tensor)]
        if func == Tensor.device.__get__:  # a new wrapper each time
            return self.place(tensors[0])
        devices = [x for x in tree_leaves((args, given)) if isinstance(x, torch.device)]
        result = func(*args, **given)
        if func in MOVES:
            at = HOST if func is Tensor.cpu else (devices or [self.place(tensors[0])])[0]
            return self._moved(tensors[0], result, at)
        at = self._common(func, tensors)
        if not tensors and devices:
            at = devices[0]
        return tree_map(lambda x: self._put(x, at) if isinstance(x, Tensor) else x, result)

    def _moved(self, x: Tensor, result: Tensor, at: torch.device) -> Tensor:
        if at == self.place(x):
            return self._put(result, at)
        self.moves[str(self.place(x)), str(at)] += 1
        return self._put(result.clone() if result is x else result, at)

    def _common(self, func: Callable[..., Any], tensors: list[Tensor]) -> torch.device:
        places = {self.place(x) for x in tensors if x.dim()}
        assert len(places) < 2, f"{func.__name__} on tensors of {sorted(map(str, places))}"
        return places.pop() if places else (self.place(tensors[0]) if tensors else HOST)

    def _put(self, x: Tensor, at: torch.device) -> Tensor:
        if at != HOST:
            self._places[x] = at
        return x
