"""What is to be written of a model, and how much of it: known before anything is read."""

from __future__ import annotations

import errno
import os
from math import prod
from pathlib import Path

from engine.contract import EngineError, FaultKind
from engine.library.recipes import Recipe, Scheme
from engine.library.write_fault import free_at, write_fault
from engine.quantization.names import is_head, is_rounded, layer_of, together
from engine.quantization.source import Source

_SPARE = 64 << 20  # tokenizer, configuration, what was measured


class Plan:
    """Files, and the scheme of each weight before anything was measured.

    Attributes:
        schemes: of the weights that are rounded.
        layers: how many.
        files: names of the tensors of each layer, then of what belongs to none.
    """

    def __init__(self, source: Source, recipe: Recipe) -> None:
        names = source.checkpoint.names()
        self._shapes = {name: source.checkpoint.shape(name) for name in names}
        self._recipe = recipe
        self.schemes = {
            name: scheme for name in names if (scheme := self._scheme(name)) is not None
        }
        if not self.schemes:
            raise source.unsupported(source.kind or "no layers")
        by_layer: dict[int | None, list[str]] = {}
        for name in names:
            by_layer.setdefault(layer_of(name), []).append(name)
        self.layers = len([layer for layer in by_layer if layer is not None])
        self.files = [
            by_layer[layer] for layer in sorted(number for number in by_layer if number is not None)
        ]
        self.files.append(by_layer.get(None, []))

    @property
    def keeps_some(self) -> bool:
        """Whether a share of the layers' weights is to stay in 8 bits."""
        return self._recipe.kept_share > 0

    @property
    def expected_bytes(self) -> int:
        """Of the finished weights; what is kept in 8 bits included."""
        total = 0.0
        for name, shape in self._shapes.items():
            scheme = self.schemes.get(name)
            total += prod(shape) * (16 if scheme is None else scheme.bits_per_weight) / 8
            if scheme is not None and scheme.bits == 4:
                total += prod(shape) * self._recipe.kept_share / 2
        return int(total)

    def size(self, name: str) -> int:
        """Values of a weight."""
        return prod(self._shapes[name])

    def families(self) -> dict[str, list[str]]:
        """The layers' rounded weights, those together that must be stored alike."""
        found: dict[str, list[str]] = {}
        for name in self.schemes:
            if not is_head(name):
                found.setdefault(together(name), []).append(name)
        return found

    def bits_per_weight(self, schemes: dict[str, Scheme]) -> float:
        """Of all weights, those included that stay in 16 bits."""
        bits = sum(
            self.size(name) * (schemes[name].bits_per_weight if name in schemes else 16)
            for name in self._shapes
        )
        return bits / sum(map(self.size, self._shapes))

    def check_room(self, target: Path, there: int = 0, beside: int = 0) -> None:
        """Raise DISK_FULL where the copy does not fit, NAME_TAKEN where the name is taken.

        Args:
            target: the folder that will hold the copy.
            there: bytes of the work that are on the disk already.
            beside: bytes that only the work needs, at its most.

        Raises:
            EngineError: UNWRITABLE too, where nothing may be written there.
        """
        if target.exists():
            raise EngineError(FaultKind.NAME_TAKEN, path=str(target))
        free, needed = free_at(target), self.to_come(there, beside)
        if free < needed:
            raise EngineError(FaultKind.DISK_FULL, path=str(target), needed=needed, free=free)
        folder = next(each for each in target.parents if each.exists())
        if not os.access(folder, os.W_OK):
            raise write_fault(errno.EACCES, os.strerror(errno.EACCES), target)

    def to_come(self, there: int, beside: int) -> int:
        """Bytes that must still be free; the arguments are those of ``check_room``."""
        return max(0, self.expected_bytes + beside - there) + _SPARE

    def _scheme(self, name: str) -> Scheme | None:
        shape, recipe = self._shapes[name], self._recipe
        if is_head(name):
            wished = Scheme(recipe.head_bits, recipe.scheme.group)
        elif is_rounded(name, shape):
            wished = recipe.scheme
        else:
            return None
        groups = [group for group in (wished.group, 64, 32) if group <= wished.group]
        fitting = (Scheme(wished.bits, group) for group in groups)
        return next((scheme for scheme in fitting if scheme.fits(shape)), None)
