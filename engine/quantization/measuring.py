"""What a text does to each linear map: how large its inputs are, how much rounding would cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from engine.quantization.layered import LayeredModel
from engine.quantization.names import together
from engine.quantization.partial import Partial
from engine.quantization.plan import Plan
from engine.quantization.rounding import error_of, round_nearest
from engine.quantization.source import Source

_ERROR = "#error"


@dataclass(frozen=True, slots=True)
class Measured:
    """What was found.

    Attributes:
        importance: float32 [columns] of each linear map, the mean square of its inputs.
        errors: of the outputs of each linear map, were it rounded to the nearest.
    """

    importance: dict[str, Tensor]
    errors: dict[str, float]


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
        hidden = embedded(source, model)
        kept = partial.load(state)
        hidden = kept["hidden"] if kept else hidden
    at = int(partial.said(state, "layer") or 0)
    for layer, names in enumerate(plan.files[: plan.layers]):
        path = partial.folder / f"measured-{layer:05}.safetensors"
        known = partial.load(path)
        if known is None or (model is not None and at == layer):
            weights = {name: source.float(name) for name in names}
            inputs = Inputs()
            if model is not None and hidden is not None:
                hidden = model.run(layer, hidden, weights, inputs.watch)
            known = _layer(weights, plan, inputs.importance(), source.scale_dtype)
            del weights
            source.checkpoint.release()
            partial.save(path, known)
            if hidden is not None:
                at = layer + 1
                partial.save(state, {"hidden": hidden}, layer=str(at))
        found.importance.update({n: t for n, t in known.items() if not n.endswith(_ERROR)})
        errors = {n: float(t) for n, t in known.items() if n.endswith(_ERROR)}
        found.errors.update({n.removesuffix(_ERROR): error for n, error in errors.items()})
        report(layer + 1)
    return found


def choose_kept(measured: Measured, plan: Plan, share: float) -> list[str]:
    """The weights whose outputs rounding changes most, up to a share of all layers' weights."""
    families = plan.families()
    left = share * sum(plan.size(name) for names in families.values() for name in names)
    chosen: list[str] = []

    def error(key: str) -> float:
        return max(measured.errors.get(name, 0.0) for name in families[key])

    for key in sorted(families, key=error, reverse=True):
        size = sum(plan.size(name) for name in families[key])
        if size <= left and error(key) > 0:
            chosen += families[key]
            left -= size
    return chosen


def _layer(
    weights: dict[str, Tensor], plan: Plan, importance: dict[str, Tensor], dtype: torch.dtype
) -> dict[str, Tensor]:
    known = dict(importance)
    for name, weight in weights.items():
        scheme = plan.schemes.get(name)
        if scheme is not None:
            rounded = round_nearest(weight, scheme, dtype)
            error = error_of(weight, rounded, importance.get(name))
            known[name + _ERROR] = torch.tensor(error)
    return known
