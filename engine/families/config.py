"""A model's configuration in Hugging Face's keys, read with types: what is wrong is named.

Files from the hub differ in age and author: keys are missing, null, or of the wrong type. A missing
key takes the family's default where transformers has one, and is a fault where a model cannot be
built without it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.contract.faults import EngineError, FaultKind

LARGEST = 1 << 31
"""No count in a model is above this; a larger one is a damaged file."""

LARGEST_NUMBER = 1e30


class Config:
    """Typed access to a configuration. Null means "none": it outweighs the family's default.

    Args:
        values: the content of ``config.json``, or what ``gguf.py`` made of a file's metadata.
        path: the checkpoint, for the faults.
        defaults: the family's, under the values.
    """

    def __init__(
        self, values: Mapping[str, Any], path: Path, defaults: Mapping[str, Any] | None = None
    ) -> None:
        self._given = values
        merged = {**(defaults or {}), **values}
        self._values = {key: value for key, value in merged.items() if value is not None}
        self.path = path

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def values(self) -> dict[str, Any]:
        """All values that are not null, defaults included."""
        return dict(self._values)

    def with_defaults(self, defaults: Mapping[str, Any]) -> Config:
        """The same values over other defaults."""
        return Config(self._given, self.path, defaults)

    def invalid(self, detail: str) -> EngineError:
        """The fault for a configuration that cannot be used."""
        return EngineError(FaultKind.CONFIG_INVALID, path=str(self.path), detail=detail)

    def count(self, key: str, default: int | None = None) -> int:
        """A whole number of at least one, at most ``LARGEST``."""
        value = self._get(key, default)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= LARGEST:
            raise self.invalid(f"{key}: {value!r}")
        return value

    def index(self, key: str, default: int | None = None) -> int:
        """A whole number of at least zero."""
        return 0 if self._get(key, default) == 0 else self.count(key, default)

    def number(self, key: str, default: float | None = None) -> float:
        """A finite number."""
        value = self._get(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.invalid(f"{key}: {value!r}")
        if not -LARGEST_NUMBER < value < LARGEST_NUMBER:  # NaN is not either
            raise self.invalid(f"{key}: {value!r}")
        return float(value)

    def positive(self, key: str, default: float | None = None) -> float:
        """A finite number above zero."""
        value = self.number(key, default)
        if value <= 0:
            raise self.invalid(f"{key}: {value!r}")
        return value

    def optional_number(self, key: str) -> float | None:
        """A number, or None where the key is missing or null."""
        return self.number(key) if key in self else None

    def flag(self, key: str, default: bool) -> bool:
        """True or false."""
        value = self._get(key, default)
        if not isinstance(value, bool):
            raise self.invalid(f"{key}: {value!r}")
        return value

    def word(self, key: str, default: str | None = None) -> str:
        """A string."""
        value = self._get(key, default)
        if not isinstance(value, str):
            raise self.invalid(f"{key}: {value!r}")
        return value

    def section(self, key: str) -> Config | None:
        """A nested object, or None where the key is missing or null."""
        value = self._values.get(key)
        if value is None:
            return None
        if not isinstance(value, Mapping):
            raise self.invalid(f"{key}: {value!r}")
        return Config(value, self.path)

    def words(self, key: str, length: int) -> list[str] | None:
        """A list of ``length`` strings, or None where the key is missing."""
        return self._list(key, length, str)

    def numbers(self, key: str, length: int | None = None) -> list[float]:
        """A list of numbers."""
        values = self._list(key, length, (int, float))
        if values is None:
            raise self.invalid(f"{key}: missing")
        return [float(value) for value in values]

    def flags(self, key: str, length: int) -> list[bool] | None:
        """A list of ``length`` truth values (0 and 1 count), or None where the key is missing."""
        values = self._list(key, length, (int, bool))
        return None if values is None else [bool(value) for value in values]

    def _list(
        self, key: str, length: int | None, kind: type | tuple[type, ...]
    ) -> list[Any] | None:
        value = self._values.get(key)
        if value is None:
            return None
        listed = isinstance(value, Sequence) and not isinstance(value, str)
        if not listed or any(not isinstance(one, kind) for one in value):
            raise self.invalid(f"{key}: {value!r}")
        if length is not None and len(value) != length:
            raise self.invalid(f"{key}: {len(value)} entries, {length} expected")
        return list(value)

    def _get(self, key: str, default: object) -> object:
        value = self._values.get(key, default)
        if value is None:
            raise self.invalid(f"{key}: missing")
        return value
