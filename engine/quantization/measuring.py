"""What a text does to each linear map: how large its inputs are, how much rounding would cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial as partial_of

import torch
from torch import Tensor

from engine.quantization.layered import LayeredModel
from engine.quantization.names import together
from engine.quantization.partial import Partial
from engine.quantization.plan import Plan
from engine.quantization.rounding import error_of, round_nearest
from engine.quantization.source import Source

_LOSS = "#loss"
_EVERY = 2  # sequences of the text: half of it tells how large inputs are
_LOOKED_AT = 4  # sequences that tell how much a layer's output suffers


@dataclass(frozen=True, slots=True)
class Measured:
    """What was found.

    Attributes:
        importance: float32 [columns] of each linear map, the mean square of its inputs.
        losses: of each set of projections that are stored alike, what rounding them to the nearest
            does to their layer's output: its relative squared error, the mean over tokens. Where
            nothing could run the layer, the largest of the weights themselves.
    """

    importance: dict[str, Tensor]
    losses: dict[str, float]


class Inputs:
    """Sums over the inputs of linear maps.

    Args:
        whole: also all products of two columns, once for projections that share their input.
    """

    def __init__(self, whole: bool = False) -> None:
        self._whole = whole
        self._tokens: dict[str, int] = {}
        self._squares: dict[str, Tensor] = {}
        self._products: dict[str, Tensor] = {}
        self._first: dict[str, str] = {}

    def watch(self, name: str, inputs: Tensor) -> None:
        """Add the inputs [tokens, columns] of a linear map."""
        x = inputs.float()
        self._tokens[name] = self._tokens.get(name, 0) + len(x)
        squares = x.square().sum(0)
        self._squares[name] = self._squares[name] + squares if name in self._squares else squares
        key = together(name)
        if self._whole and self._first.setdefault(key, name) == name:
            if key not in self._products:
                self._products[key] = torch.zeros(x.shape[1], x.shape[1])
            self._products[key].addmm_(x.T, x)

    def importance(self) -> dict[str, Tensor]:
        """The mean square of each column's inputs."""
        return {name: found / self._tokens[name] for name, found in self._squares.items()}

    def hessian(self, key: str) -> Tensor:
        """The mean of ``x xᵀ`` over the inputs that these projections share."""
        return self._products[key] / self._tokens[self._first[key]]


def embedded(source: Source, model: LayeredModel) -> Tensor:
    """The text as the first layer gets it."""
    names = source.checkpoint.names()
    name = next(name for name in names if name.endswith(("embed_tokens.weight", "wte.weight")))
    return model.begin(source.ids, source.rows(name, torch.unique(source.ids)))


def measure(
    source: Source,
    plan: Plan,
    partial: Partial,
    model: LayeredModel | None,
    report: Callable[[int], None],
) -> Measured:
    """Look at every layer, one after the other; what a file says already is not done again."""
    found = Measured({}, {})
    hidden: Tensor | None = None
    state = partial.folder / "hidden-measured.safetensors"
    if model is not None:
        first = embedded(source, model)  # the layers learn what they are called with, in any case
        kept = partial.load(state)
        hidden = kept["hidden"] if kept else first[::_EVERY]
        del first
    at = int(partial.said(state, "layer") or 0)
    for layer, names in enumerate(plan.files[: plan.layers]):
        path = partial.folder / f"measured-{layer:05}.safetensors"
        known = partial.load(path)
        if known is None or (model is not None and at == layer):
            weights = {name: source.float(name) for name in names}
            run = partial_of(model.run, layer) if model is not None else None
            known, hidden = _look(weights, plan, source.scale_dtype, run, hidden)
            del weights
            source.checkpoint.release()
            partial.save(path, known)
            if hidden is not None:
                at = layer + 1
                partial.save(state, {"hidden": hidden}, layer=str(at))
        found.importance.update({n: t for n, t in known.items() if not n.endswith(_LOSS)})
        losses = {n: t for n, t in known.items() if n.endswith(_LOSS)}
        found.losses.update({n.removesuffix(_LOSS): float(t) for n, t in losses.items()})
        report(layer + 1)
    return found


def choose_kept(measured: Measured, plan: Plan, share: float) -> list[str]:
    """The weights that spare most for each value, up to a share of all layers' weights."""
    families = plan.families()
    sizes = {key: sum(plan.size(name) for name in names) for key, names in families.items()}
    left = share * sum(sizes.values())
    chosen: list[str] = []

    def worth(key: str) -> float:
        return measured.losses.get(key, 0.0) / sizes[key]

    for key in sorted(families, key=worth, reverse=True):
        if sizes[key] <= left and worth(key) > 0:
            chosen += families[key]
            left -= sizes[key]
    return chosen


def _look(
    weights: dict[str, Tensor],
    plan: Plan,
    dtype: torch.dtype,
    run: Callable[..., Tensor] | None,
    hidden: Tensor | None,
) -> tuple[dict[str, Tensor], Tensor | None]:
    """What is known of a layer then, and the text behind it."""
    inputs, after, some = Inputs(), hidden, None
    if run is not None and hidden is not None:
        after = run(hidden, weights, inputs.watch)
        every = max(1, len(hidden) // _LOOKED_AT)
        some = partial_of(run, hidden[::every][:_LOOKED_AT])
    known = inputs.importance()
    if plan.keeps_some:
        known |= _losses(weights, plan, dtype, some)
    return known, after


def _losses(
    weights: dict[str, Tensor], plan: Plan, dtype: torch.dtype, run: Callable[..., Tensor] | None
) -> dict[str, Tensor]:
    """Of a layer's sets of projections, each alone rounded."""
    alike: dict[str, list[str]] = {}
    for name in weights:
        if name in plan.schemes:
            alike.setdefault(together(name), []).append(name)
    exact = run(weights) if run is not None else None
    known = {}
    for key, names in alike.items():
        rounded = {n: round_nearest(weights[n], plan.schemes[n], dtype) for n in names}
        if run is None or exact is None:
            loss = max(error_of(weights[n], each) ** 2 for n, each in rounded.items())
            known[key + _LOSS] = torch.tensor(loss)
            continue
        wrong = run({**weights, **{n: each.weight for n, each in rounded.items()}}) - exact
        relative = wrong.square().sum(-1) / exact.square().sum(-1).clamp(1e-30)
        known[key + _LOSS] = relative.mean()
    return known
