"""The colour of a tag: one of the palette's pigments, always the same one."""

from __future__ import annotations

from zlib import crc32

_PIGMENTS = ("accent", "azurite", "ochre", "rouge", "cinnabar")


def tag_color(tag: str) -> str:
    """Return a token of the palette for a tag; its name stands beside it or is spoken."""
    return _PIGMENTS[crc32(tag.casefold().encode("utf-8", "surrogatepass")) % len(_PIGMENTS)]
