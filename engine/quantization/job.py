"""A smaller copy of a model, made layer by layer.

First the model reads a text and each linear map's inputs are looked at; what loses most is kept
in more bits. Then the layers are rounded and written, one file each. At any time only one layer
is in memory, and whatever was written is not made again when the job is started anew.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from engine.contract import EngineError, FaultKind
from engine.library.recipes import Method, Recipe, Scheme
from engine.quantization.awq import fold_scales
from engine.quantization.gptq import round_gptq
from engine.quantization.hidden import Hidden
from engine.quantization.layered import LayeredModel
from engine.quantization.measuring import Measured, choose_kept, measure
from engine.quantization.names import layer_of, together
from engine.quantization.packing import packed
from engine.quantization.partial import Partial
from engine.quantization.plan import Plan
from engine.quantization.polishing import round_polished
from engine.quantization.room import check_memory, disk_beside
from engine.quantization.rounding import Rounded, error_of, round_nearest, round_searched
from engine.quantization.source import Source
from engine.quantization.verify import finish, verify

_ROUNDING_TIMES = 5  # as long as looking at a layer takes, where the text goes through both times


@dataclass(frozen=True, slots=True)
class Made:
    """How far a job is.

    Attributes:
        stage: "starting", "measuring", "rounding" or "verifying".
        done: layers.
        total: layers of this stage.
        seconds_left: of the whole job; -1 while nothing is known.
        written: bytes.
        expected: bytes of the finished copy.
        errors: of the outputs of each layer that is done, 0 to about 1.
    """

    stage: str
    done: int
    total: int
    seconds_left: float = -1.0
    written: int = 0
    expected: int = 0
    errors: list[float] = field(default_factory=list)


Report = Callable[[Made], None]


class Job:
    """One copy.

    Args:
        source: the model.
        target: the folder that will hold the copy; it must not be there.
        recipe: what becomes of the weights.
        report: is told how far it is.
    """

    def __init__(self, source: Source, target: Path, recipe: Recipe, report: Report) -> None:
        self._source, self._recipe, self._report = source, recipe, report
        self._plan = Plan(source, recipe)
        self._partial = Partial(target, self._plan.layers + 1)
        self._began, self._rounding_times = time.monotonic(), 1
        self._errors: list[float] = []
        self._beside = 0  # bytes on the disk that only the work needs

    @property
    def target(self) -> Path:
        """The folder that will hold the copy."""
        return self._partial.target

    @torch.inference_mode()
    def run(self) -> dict[str, Any]:
        """Make the copy; what is told about it in ``quantization.json`` is returned.

        Raises:
            EngineError: DISK_FULL and MEMORY_SHORT before anything is written; DISK_FULL again with
                what is still to come where another program fills the disk; FOLDER_GONE, UNWRITABLE;
                the source's own faults. What was written is kept, and the next run goes on.
        """
        try:
            return self._run()
        except EngineError as error:
            figures = error.fault.figures
            if error.fault.kind is not FaultKind.DISK_FULL or figures.get("needed"):
                raise
            needed = self._plan.to_come(self._partial.taken, self._beside)
            kept = self._partial.taken
            said = {**figures, "path": str(self.target), "needed": needed, "kept": kept}
            raise EngineError(FaultKind.DISK_FULL, **said) from error

    def _run(self) -> dict[str, Any]:
        model = self._model()
        self._beside = disk_beside(self._source, runs=model is not None)
        self._plan.check_room(self.target, self._partial.taken, self._beside)
        check_memory(self._source, self._plan, self._recipe, runs=model is not None)
        source, text = str(self._source.path), str(self._source.calibration or "")
        wish = {**asdict(self._recipe), "source": source, "calibration": text}
        reading = self._source.reading if model is not None else ""  # else no text is read
        self._partial.open({**wish, "stamp": self._source.stamp, "reading": reading})
        measured = self._measured(model)
        schemes = dict(self._plan.schemes)
        for name in choose_kept(measured, self._plan, self._recipe.kept_share):
            schemes[name] = Scheme(8, schemes[name].group)
        self._round(model, measured, schemes)
        self._tell("verifying", 0, 1)
        facts = {
            "bits": self._recipe.scheme.bits,
            "group": self._recipe.scheme.group,
            "method": self._recipe.method.value,
            "calibrated": model is not None,
            "calibration_tokens": self._source.ids.numel() if model is not None else 0,
            "source": self._source.path.name,
            "errors": [round(error, 5) for error in self._errors],
            "bits_per_weight": round(self._plan.bits_per_weight(schemes), 3),
        }
        finish(self._source, self._partial, schemes, facts)
        verify(self._source, self._partial, schemes)
        self._partial.finish()
        return facts

    def _model(self) -> LayeredModel | None:
        """What runs the layers; None where nothing must be run, or nothing of ours can run them."""
        if self._recipe.method is Method.NEAREST or self._source.config is None:
            return None
        model = LayeredModel(self._source.config, frozenset(self._source.checkpoint.names()))
        if model.runs and model.layers == self._plan.layers:
            return model
        if self._recipe.method in {Method.GPTQ, Method.AWQ}:
            raise self._source.unsupported(f"{self._recipe.method.value}: {self._source.kind}")
        return None

    def _measured(self, model: LayeredModel | None) -> Measured:
        wanted = model is not None or self._recipe.kept_share > 0
        if not wanted:
            return Measured({}, {})
        self._rounding_times = 1 if model is None else _ROUNDING_TIMES
        return measure(
            self._source, self._plan, self._partial, model,
            lambda done: self._tell("measuring", done, self._plan.layers),
        )  # fmt: skip

    def _round(
        self, model: LayeredModel | None, measured: Measured, schemes: dict[str, Scheme]
    ) -> None:
        hidden = None
        if model is not None and self._recipe.scheme.bits < 8:  # 8 bits are rounded to the nearest
            hidden = Hidden(self._source, self._partial, model)
        self._began = time.monotonic()
        made_before = 0
        for number, names in enumerate(self._plan.files):
            path = self._partial.shard(number)
            known = self._partial.said(path, "error")
            if known and (hidden is None or hidden.layer > number or number == self._plan.layers):
                self._errors += [float(known)] if number < self._plan.layers else []
                made_before += 1
                continue
            self._tell("rounding", number, self._partial.files, made_before)
            tensors, error = self._layer(number, names, measured, schemes, hidden)
            self._partial.save(path, tensors, error=str(error))
            del tensors
            self._source.checkpoint.release()
            if number < self._plan.layers:
                self._errors.append(error)
                if hidden is not None:
                    hidden.keep(number + 1)
        self._tell("rounding", self._partial.files, self._partial.files)

    def _layer(
        self,
        number: int,
        names: list[str],
        measured: Measured,
        schemes: dict[str, Scheme],
        hidden: Hidden | None,
    ) -> tuple[dict[str, Tensor], float]:
        """What is stored of a layer, and the error of its outputs."""
        source, wrong = self._source, []
        stored: dict[str, Tensor] = {}
        weights = {name: source.float(name) for name in names if name in schemes}
        others = {name: source.plain(name) for name in names if name not in schemes}
        in_layer = number < self._plan.layers
        if self._recipe.method is Method.AWQ and in_layer:
            self._fold(weights, others, measured)
        inputs = None
        if hidden is not None and in_layer:
            inputs = hidden.look({**weights, **{n: t.float() for n, t in others.items()}})
        for name, weight in list(weights.items()):
            importance = measured.importance.get(name)
            products = None if inputs is None else inputs.hessian(together(name))
            rounded = self._rounded(weight, schemes[name], importance, products)
            wrong.append(error_of(weight, rounded, importance, products) ** 2)
            stored |= packed(name, rounded, schemes[name])
            del weights[name]
        error = (sum(wrong) / len(wrong)) ** 0.5 if wrong else 0.0
        return {**stored, **{n: t.contiguous() for n, t in others.items()}}, error

    def _fold(
        self, weights: dict[str, Tensor], others: dict[str, Tensor], measured: Measured
    ) -> None:
        layer = {**weights, **{name: tensor.float() for name, tensor in others.items()}}
        at = _prefix(next(iter(layer)))
        scheme, dtype = self._recipe.scheme, self._source.scale_dtype
        less = self._source.norms_hold_less
        fold_scales(layer, at, measured.importance, scheme, dtype, less)
        weights.update({name: layer[name] for name in weights})
        others.update({name: layer[name].to(old.dtype) for name, old in others.items()})

    def _rounded(
        self,
        weight: Tensor,
        scheme: Scheme,
        importance: Tensor | None,
        products: Tensor | None,
    ) -> Rounded:
        dtype = self._source.scale_dtype
        if self._recipe.method is Method.NEAREST or scheme.bits == 8:
            return round_nearest(weight, scheme, dtype)
        if products is not None:
            by_products = round_gptq if self._recipe.method is Method.GPTQ else round_polished
            return by_products(weight, scheme, dtype, products)
        return round_searched(weight, scheme, dtype, importance)

    def _tell(self, stage: str, done: int, total: int, before: int = 0) -> None:
        spent = time.monotonic() - self._began
        left = -1.0
        if stage == "measuring" and done:
            left = spent / done * (total - done + self._rounding_times * total)
        elif stage == "rounding" and done > before:
            left = spent / (done - before) * (total - done)
        self._report(
            Made(
                stage, done, total, round(left, 1), self._partial.written,
                self._plan.expected_bytes, list(self._errors),
            )
        )  # fmt: skip


def _prefix(name: str) -> str:
    """``model.layers.3.`` of a name in that layer."""
    number = layer_of(name)
    head, _, _ = name.partition(f".{number}.")
    return f"{head}.{number}."
