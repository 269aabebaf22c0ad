"""Text as rules read it: one folded form for every way to write the same letters.

Compatibility forms (full width, ligatures, circled letters), accents, case, invisible characters,
look-alikes of other scripts and traditional Chinese all fold away; a line break stays one. Each
character folds by itself, whatever stands beside it, so a text that arrives in pieces folds as it
does in one piece, and every folded character knows the original one that it came from.
"""

from __future__ import annotations

import unicodedata
from functools import cached_property
from typing import Any

_INVISIBLE = frozenset({"Cf", "Mn", "Me", "Cc"})
_BLANK_LETTERS = frozenset("\u115f\u1160\u3164\uffa0\u2800")
_SPACES = frozenset("\t\x1f")  # control characters by category, spaces by meaning
_LINE_BREAKS = frozenset("\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")  # as str.splitlines has them


class Folding(dict[int, str]):
    """A table for ``str.translate`` that fills itself: code point -> its folded characters."""

    def __missing__(self, code: int) -> str:
        folded = self[code] = self._fold(chr(code))
        return folded

    def fold(self, text: str) -> str:
        """Fold a text."""
        return text.translate(self)

    def fold_places(self, text: str) -> tuple[str, list[int]]:
        """Fold a text; with each folded character the place of its original one."""
        if text.isascii() and text.isprintable():
            return text.lower(), list(range(len(text)))
        parts = [self[ord(character)] for character in text]
        places = [place for place, part in enumerate(parts) for _ in part]
        return "".join(parts), places

    def _fold(self, character: str) -> str:
        if character in _LINE_BREAKS:
            return "\n"
        if character in _SPACES or unicodedata.category(character) == "Zs":
            return " "
        if character in _BLANK_LETTERS or unicodedata.category(character) in _INVISIBLE:
            return ""
        return "".join(self._plain(part) for part in unicodedata.normalize("NFKD", character))

    def _plain(self, part: str) -> str:
        """One character of a decomposition."""
        if part.isascii():
            return part.lower()
        if unicodedata.category(part) in _INVISIBLE:
            return ""
        if (digit := unicodedata.digit(part, None)) is not None:
            return str(digit)
        if "\u2e80" <= part <= "\u9fff" or part >= "\U00020000":
            simplified: str = self._simplifier.convert(part)
            return simplified
        return self._alike(part) or self._alike(part.casefold()) or part.casefold()

    def _alike(self, part: str) -> str:
        """The ASCII letter or digit that looks like this; empty if none does."""
        alike = [each["c"].lower() for each in self._confusables.get(part, ())]
        plain = [c for c in alike if len(c) == 1 and c.isascii() and c.isalnum()]
        return min(plain, key=str.isdigit) if plain else ""

    @cached_property
    def _confusables(self) -> dict[str, list[dict[str, str]]]:
        from confusable_homoglyphs import confusables  # noqa: PLC0415 (a tenth of a second)

        found: dict[str, list[dict[str, str]]] = confusables.confusables_data
        return found

    @cached_property
    def _simplifier(self) -> Any:
        import opencc  # noqa: PLC0415 (only where there is Chinese)

        return opencc.OpenCC("t2s")
