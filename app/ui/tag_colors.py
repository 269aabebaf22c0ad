"""The colours of tags: pigments of the palette, no two tags alike as far as the palette reaches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from zlib import crc32

_PIGMENTS = ("accent", "azurite", "ochre", "rouge", "cinnabar")


def tag_colors(tags: Iterable[str]) -> dict[str, str]:
    """Return a token of the palette for each tag; its name stands beside it or is spoken.

    A tag has the pigment that its name asks for, unless another one took it and some are free.
    """
    taken: Counter[str] = Counter()
    colors: dict[str, str] = {}
    for tag in sorted(set(tags)):
        first = crc32(tag.casefold().encode("utf-8", "surrogatepass")) % len(_PIGMENTS)
        wanted = _PIGMENTS[first:] + _PIGMENTS[:first]
        colors[tag] = min(wanted, key=lambda pigment: taken[pigment])
        taken[colors[tag]] += 1
    return colors
