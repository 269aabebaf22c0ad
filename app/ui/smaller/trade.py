"""Sizes, likeness and speed of the copies that a model could have: expected, or measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.ui.smaller.charts import TradePoint
from engine.library.fit import REACHED
from engine.library.recipes import PRESETS, Recipe, expected_same_top
from engine.library.smaller import Quality, Shape

_LIKENESS = (
    "tokens", "divergence", "half_below", "most_below", "same_top", "perplexity",
    "source_perplexity",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Known:
    """A copy that was made and compared.

    Attributes:
        key: of the preset that it was made by, else "custom".
        quality: where it lies, and its report.
    """

    key: str
    quality: Quality

    @property
    def copy(self) -> Path:
        """Where it lies."""
        return self.quality.copy

    @property
    def report(self) -> Mapping[str, Any]:
        """Its quality report."""
        return self.quality.report

    @property
    def gone(self) -> Path | None:
        """Where its source was, if it is not there any more."""
        return None if self.quality.source_is_there else self.quality.source or Path()

    @classmethod
    def of(cls, quality: Quality) -> Known | None:
        """The copy of a report; None for one that is not whole."""
        report = quality.report
        try:
            recipe = report.get("recipe") or {}
            key = next((k for k, preset in PRESETS.items() if is_by(preset, recipe)), "custom")
            like = report["likeness"]
            [float(like[key]) for key in _LIKENESS] + [int(each) for each in like.get("drift", ())]
            [float(each) for each in report.get("errors", ())]
            for one in (report["copy"], report["source"]):
                int(one["size"]), float(one["tokens_per_second"]), str(one["reply"]), one["name"]
        except (KeyError, TypeError, ValueError, AttributeError):
            return None
        return cls(key, quality)


def is_by(preset: Recipe, said: Mapping[str, Any]) -> bool:
    """Whether a copy's own file says that it was made by this preset."""
    return (
        said.get("bits") == preset.scheme.bits
        and said.get("group") == preset.scheme.group
        and said.get("method") == preset.method.value
    )


def sizes_of(
    shape: Shape, recipes: Mapping[str, Recipe], known: Mapping[str, Known]
) -> dict[str, int]:
    """Bytes of each copy: of those that were made as they are, else expected."""
    return {
        key: int(known[key].report["copy"]["size"]) if key in known else shape.size(recipe)
        for key, recipe in recipes.items()
    }


def trade_points(
    shape: Shape,
    recipes: Mapping[str, Recipe],
    known: Mapping[str, Known],
    chosen: str,
    bandwidth: float,
    text: Callable[[str], str],
) -> list[TradePoint]:
    """The chart's points: the presets, one's own where it is chosen, the original."""
    sizes = sizes_of(shape, recipes, known)
    points = []
    for key, recipe in recipes.items():
        if key not in PRESETS and key not in {chosen, *known}:
            continue
        made = known.get(key)
        share = made.report["likeness"]["same_top"] if made else expected_same_top(recipe)
        speed = _speed(shape, sizes[key], bandwidth)
        if made:
            speed = float(made.report["copy"]["tokens_per_second"])
        name = text(f"smaller-{key}-short")
        points.append(TradePoint(name, sizes[key], share, speed, made is not None, key == chosen))
    size = shape.facts.weight_bytes or shape.facts.size_bytes
    told = (float(each.report["source"]["tokens_per_second"]) for each in known.values())
    speed = max(told, default=0.0) or _speed(shape, size, bandwidth)
    points.append(TradePoint(text("smaller-original"), size, 1.0, speed, measured=True))
    return points


def _speed(shape: Shape, size: int, bandwidth: float) -> float:
    """Tokens a second; 0 where the memory's speed was not measured."""
    read = shape.read_bytes(size)
    return REACHED * bandwidth / read if read else 0.0
