"""A few good models, so that nobody has to search: data in ``resources/catalog``.

Sizes are what the hub listed when the catalog was made; a download asks the hub again. What a model
will take here is computed from its shape like that of every other.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.library.fit import REACHED, Fit, Room, fit_of_shape
from engine.library.memory import MemoryNeed, memory_of_shape

_FILE = Path(__file__).resolve().parents[3] / "resources" / "catalog" / "models.json"
_CONTEXT = 8192  # tokens
READING = 6.0  # tokens a second: about as fast as people read
_USUAL = 40e9  # bytes a second at which a usual computer reads memory, until it was measured
_QUICKER = 1.05  # times the speed of the middle one, of which few experts may be read


@dataclass(frozen=True, slots=True)
class CatalogModel:
    """A model that is worth having.

    Attributes:
        key: its short name for the command line.
        hub, repository, file: the label of the file in it ("Q4_K_M").
        size: bytes, about.
        parameters, active_parameters: of the model.
        context: tokens that it was trained for.
        cache_bytes_per_token: 2 × layers × KV heads × head size × 2 bytes.
        vocabulary: tokens.
        purposes: "everyday", "languages" (English and Chinese), "programming".
    """

    key: str
    name: str
    publisher: str
    hub: str
    repository: str
    file: str
    size: int
    bits: int
    parameters: int
    active_parameters: int
    context: int
    cache_bytes_per_token: int
    vocabulary: int
    license: str
    purposes: tuple[str, ...]

    @property
    def memory(self) -> int:
        """Bytes that it takes with a context of 8,192 tokens."""
        return self._need.total

    @property
    def read(self) -> float:
        """Bytes of weights that are read for each token."""
        return self._need.weights * self.active_parameters / self.parameters

    @property
    def _usual(self) -> int:
        return min(_CONTEXT, self.context)

    @property
    def _need(self) -> MemoryNeed:
        shape = self.cache_bytes_per_token, self._usual, self.vocabulary
        return memory_of_shape(self.size, self.file, *shape)

    def fit(self, room: Room) -> Fit:
        """Compare what it will take with what is free."""
        return fit_of_shape(self._need, self._usual, self.context, room)

    def speed(self, bandwidth: float) -> float:
        """Tokens a second to expect where memory is read at ``bandwidth`` bytes a second."""
        return REACHED * bandwidth / self.read


def read_catalog(file: Path = _FILE) -> tuple[CatalogModel, ...]:
    """The models of the catalog, the smallest first."""
    entries: list[dict[str, Any]] = json.loads(file.read_text("utf-8"))["models"]
    models = [CatalogModel(**{**entry, "purposes": tuple(entry["purposes"])}) for entry in entries]
    return tuple(sorted(models, key=lambda model: model.size))


def pace_of(speed: float) -> str:
    """How so many tokens a second compare with reading: "faster", "alike", "slower"."""
    if speed >= 2 * READING:
        return "faster"
    return "alike" if speed >= 0.75 * READING else "slower"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Three models for a computer; the middle one is the one to take."""

    quick: CatalogModel
    middle: CatalogModel
    thorough: CatalogModel


def suggest(
    catalog: tuple[CatalogModel, ...], purpose: str, free: int, bandwidth: float, space: int = 0
) -> Suggestion:
    """Three that suit so many free bytes of memory, for a purpose.

    What has no room on the disk is left out (``space`` bytes of it; 0: not known), unless fewer
    than three remain.

    The middle one is the largest that fits and writes faster than people read, unless nothing
    larger fits: then the next smaller. The quick one is quicker. Where nothing fits, the
    smallest are named, and the window says that they do not.
    """
    models = [model for model in catalog if purpose in model.purposes]
    if space and sum(model.size <= space for model in models) >= 3:
        models = [model for model in models if model.size <= space]
    fitting = [model for model in models if model.memory <= free]
    brisk = [m for m in fitting if m.speed(bandwidth or _USUAL) >= READING]
    if len(brisk) >= 3 and brisk[-1] is fitting[-1]:
        middle, thorough = brisk[-2:]  # the largest that fits is the thorough one
    else:
        place = models.index(brisk[-1]) if brisk else 0
        place = min(max(place, 1), len(models) - 2)
        middle, thorough = models[place : place + 2]
    return Suggestion(_quicker_than(middle, models), middle, thorough)


def _quicker_than(model: CatalogModel, models: list[CatalogModel]) -> CatalogModel:
    """The largest smaller one that is quicker; speeds relate alike on every computer."""
    smaller = models[: models.index(model)]
    quicker = [m for m in smaller if m.speed(_USUAL) >= _QUICKER * model.speed(_USUAL)]
    return (quicker or smaller)[-1]
