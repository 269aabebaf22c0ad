"""Sizes as the command line says them: decimal as in the window, and alike within one sentence."""

from __future__ import annotations

from collections.abc import Mapping

_UNITS = ((10**9, "GB"), (10**6, "MB"), (10**3, "kB"))
_FAR = 500  # times as large
_FINEST = 4  # decimals; what looks alike even then is told in bytes


def bytes_text(count: float, beside: float = 0) -> str:
    """A number of bytes in its natural unit: "93.8 MB".

    Args:
        count: bytes.
        beside: a larger size in the same sentence, whose unit is used: "0.4 MB of 98.0 MB".
    """
    return _text(count, max(count, beside), 1)


def sizes_text(counts: Mapping[str, float]) -> dict[str, str]:
    """The sizes of one sentence: in one unit, and told apart where they differ.

    A file that lacks its last bytes must not be said to have 98.4 MB of 98.4 MB. Sizes that nobody
    takes for one another, as 60 MB and 60 GB, keep the units that suit them.
    """
    largest, different = max(counts.values(), default=0), len(set(counts.values()))
    if any(0 < count * _FAR < largest for count in counts.values()):
        return {name: bytes_text(count) for name, count in counts.items()}
    for digits in range(1, _FINEST + 1):
        said = {name: _text(count, largest, digits) for name, count in counts.items()}
        nothing = _text(0, largest, digits)
        hidden = any(said[name] == nothing for name, count in counts.items() if count)
        if len(set(said.values())) == different and not hidden:
            return said
    return {name: _text(count, 0, 0) for name, count in counts.items()}


def _text(count: float, largest: float, digits: int) -> str:
    for unit, name in _UNITS:
        if largest >= unit:
            return f"{count / unit:,.{digits}f} {name}"
    return f"{count:,.0f} bytes"
