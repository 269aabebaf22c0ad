"""Our logits against transformers' on a tiny random checkpoint that transformers wrote.

Whole prefill, sliced prefill, cached decode, and two sequences side by side in one batch, on
pages of four tokens in shuffled order: a wrong page, mask, position or window shows at once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import safetensors.torch
import torch
from torch import Tensor

from engine.contract.faults import EngineError, FaultKind
from engine.families.registry import Model, build
from engine.kernels.batch import Batch, Span
from engine.kernels.interface import CachePool, Kernels
from engine.kernels.reference import ReferenceKernels
from engine.weights import Weight

PAGE = 4
TOLERANCE = 1e-4


class MemoryCheckpoint:
    """A checkpoint in memory."""

    def __init__(self, tensors: dict[str, Tensor], config: dict[str, Any]) -> None:
        self.path = Path("/memory/model")
        self.format = "safetensors"
        self.metadata = config
        self.tensors = tensors

    def names(self) -> Sequence[str]:
        return list(self.tensors)

    def shape(self, name: str) -> tuple[int, ...]:
        return tuple(self._weight(name).shape)

    def read(self, name: str) -> Weight:
        return self._weight(name)

    def nbytes(self, name: str) -> int:
        return self._weight(name).nbytes

    def release(self) -> None:
        """Nothing is mapped."""

    def release_in_use(self) -> None:
        """The same."""

    def close(self) -> None:
        self.tensors = {}

    def _weight(self, name: str) -> Tensor:
        if name not in self.tensors:
            raise EngineError(FaultKind.TENSOR_MISSING, path=str(self.path), tensor=name)
        return self.tensors[name]


def saved(oracle: Any, folder: Path) -> MemoryCheckpoint:
    """What transformers writes to disk for ``oracle``, read back."""
    oracle.save_pretrained(folder)
    tensors = safetensors.torch.load_file(folder / "model.safetensors")
    return MemoryCheckpoint(tensors, json.loads((folder / "config.json").read_text("utf-8")))


class Sequences:
    """Feeds token ids to a model in any slices, over one cache with shuffled pages."""

    def __init__(
        self, model: Model, room: int = 256, bits: int = 16, kernels: Kernels | None = None
    ) -> None:
        self.model = model
        self.cache: CachePool = (kernels or ReferenceKernels()).make_cache(
            model.cache_layers, room // PAGE, PAGE, bits
        )
        order = torch.randperm(room // PAGE, generator=torch.Generator().manual_seed(1))
        self._free = order.tolist()
        self._pages: dict[str, list[int]] = {}
        self._ids: dict[str, list[int]] = {}

    def step(self, *feeds: tuple[str, Sequence[int]], wanted: int | None = None) -> list[Tensor]:
        """Run one batch of (sequence, its next ids); logits by sequence.

        ``wanted`` is how many of each sequence's last rows have them; None is all.
        """
        spans: list[Span] = []
        ids: list[int] = []
        positions: list[int] = []
        rows: list[int] = []
        for name, new in feeds:
            known = self._ids.setdefault(name, [])
            start, first = len(known), len(ids)
            known += new
            pages = self._pages.setdefault(name, [])
            while len(pages) * PAGE < start + len(new):
                pages.append(self._free.pop())
            spans.append(Span(first, len(new), start, tuple(pages), known[:start]))
            ids += new
            positions += range(start, start + len(new))
            rows += range(first if wanted is None else len(ids) - wanted, len(ids))
        batch = Batch(
            torch.tensor(ids), torch.tensor(positions), tuple(spans), torch.tensor(rows).long()
        )
        logits = self.model.forward(batch, self.cache)
        assert logits.dtype == torch.float32
        assert logits.shape == (len(rows), self.model.vocabulary)
        return list(logits.split([span.tokens if wanted is None else wanted for span in spans]))

    def feed(self, name: str, ids: Sequence[int], wanted: int = 0) -> Tensor:
        """Feed one sequence, asking for the logits of its last ``wanted`` rows alone."""
        return self.step((name, ids), wanted=wanted)[0]

    def share(self, name: str, other: str, pages: int) -> None:
        """Let a new sequence begin with another's first pages, as the prefix tree does."""
        self._pages[name] = self._pages[other][:pages]
        self._ids[name] = self._ids[other][: pages * PAGE]

    def take_page(self, name: str, index: int) -> None:
        """Make a shared page the sequence's own before it writes there."""
        own = self._free.pop()
        self.cache.copy_page(self._pages[name][index], own)
        self._pages[name][index] = own

    def cut(self, name: str, tokens: int) -> None:
        """Let a sequence know only its first tokens."""
        del self._ids[name][tokens:]

    def run(self, name: str, ids: Sequence[int], slices: int) -> Tensor:
        """All logits of ``ids`` fed ``slices`` at a time."""
        parts = [self.step((name, ids[at : at + slices]))[0] for at in range(0, len(ids), slices)]
        return torch.cat(parts)


def some_ids(vocabulary: int, length: int = 23, seed: int = 3) -> list[int]:
    """Random token ids; 23 is no multiple of a page and passes every window in these tests."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(vocabulary, (length,), generator=generator).tolist()


@torch.inference_mode()
def expected(oracle: Any, ids: Sequence[int]) -> Tensor:
    """transformers' logits of all positions: float32 [tokens, vocabulary]."""
    return oracle(torch.tensor([list(ids)]), use_cache=False).logits[0].float()


def assert_parity(
    oracle: Any, model: Model, ids: Sequence[int] | None = None, tolerance: float = TOLERANCE
) -> None:
    """Every way of feeding the same ids gives transformers' logits."""
    ids = some_ids(model.vocabulary) if ids is None else ids
    other = some_ids(model.vocabulary, len(ids) - 4, seed=5)
    want, want_other = expected(oracle, ids), expected(oracle, other)
    assert want.abs().max() > 0.05, "logits too small to compare anything"
    for slices in (len(ids), 5, 1):
        got = Sequences(model).run("a", ids, slices)
        _close(got, want, tolerance, f"{slices} tokens a step")
    both = Sequences(model)
    first = both.step(("a", ids[:9]))
    second = both.step(("b", other[:13]), ("a", ids[9:10]))
    third = both.step(("a", ids[10:]), ("b", other[13:]))
    _close(torch.cat([first[0], second[1], third[0]]), want, tolerance, "beside another")
    _close(torch.cat([second[0], third[1]]), want_other, tolerance, "the other")
    branch = [*ids[:6], *other[6:]]
    both.share("c", "a", pages=2)
    both.cut("c", 6)
    both.take_page("c", 1)
    got = both.step(("c", branch[6:]))[0]
    _close(got, expected(oracle, branch)[6:], tolerance, "after a prefix that was known")
    _close(both.step(("a", ids[:1]))[0], expected(oracle, [*ids, ids[0]])[-1:], tolerance, "on")


def largest_difference(oracle: Any, model: Model) -> float:
    """Of any logit from transformers', over three ways of feeding the same ids."""
    ids = some_ids(model.vocabulary)
    want = expected(oracle, ids)
    runs = (Sequences(model).run("a", ids, slices) for slices in (len(ids), 5, 1))
    return max(float((got - want).abs().max()) for got in runs)


def _close(got: Tensor, want: Tensor, tolerance: float, how: str) -> None:
    error = (got - want).abs().max().item()
    assert error <= tolerance, f"{how}: differs by {error:.2e}"


def loaded(checkpoint: Any, context: int | None = None) -> Model:
    """Build with the reference kernels in float32."""
    return build(checkpoint, ReferenceKernels(), lambda done, total: None, context)


def tiny(kind: Callable[..., Any], config: Any, seed: int = 0, spread: float = 0.1) -> Any:
    """A random transformers model, its weights large enough that nothing hides in the noise."""
    torch.manual_seed(seed)
    oracle = kind(config).eval()
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, weight in oracle.named_parameters():
            if weight.dim() > 1:
                weight.normal_(0, spread, generator=generator)
            elif name.endswith("weight"):
                weight.add_(torch.randn(weight.shape, generator=generator) * 0.2)
            else:
                weight.normal_(0, 0.1, generator=generator)
    return oracle


@contextmanager
def fault(kind: FaultKind, **figures: object) -> Iterator[None]:
    """The block raises this named fault with at least these figures."""
    with pytest.raises(EngineError) as caught:
        yield
    found = caught.value.fault
    assert found.kind is kind
    assert {name: found.figures.get(name) for name in figures} == figures
