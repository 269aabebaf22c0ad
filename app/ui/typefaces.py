"""Which typefaces the window is set in, how large each kind of text is, and how close things stand.

One Chinese character has several shapes: 骨, 角 and 返 are drawn differently in Beijing, Taipei,
Tokyo and Seoul, and a font has those of one place. Whatever Latin typeface somebody chooses, the
one behind it for Chinese is the one of the window's language.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from PySide6.QtGui import QFont

Face = Literal["interface", "reading", "code"]
Place = Literal["SC", "TC", "JP", "KR"]


@dataclass(frozen=True, slots=True)
class Type:
    """One kind of text: pixel size and line height at 100 %, weight, and whose typeface it has.

    ``runs`` says that it has lines enough to be set further apart.
    """

    size: int
    line: int
    bold: bool = False
    face: Face = "interface"
    runs: bool = False


TYPES = {
    "caption": Type(12, 16),
    "caption-bold": Type(12, 16, bold=True),
    "small": Type(13, 18),
    "small-bold": Type(13, 18, bold=True),
    "body": Type(14, 20),
    "body-bold": Type(14, 20, bold=True),
    "note": Type(13, 20, face="reading", runs=True),
    "table": Type(14, 22, face="reading"),
    "question": Type(15, 24, face="reading", runs=True),
    "reading": Type(15, 25, face="reading", runs=True),
    "heading": Type(17, 26, bold=True, face="reading"),
    "heading1": Type(20, 28, bold=True, face="reading"),
    "heading2": Type(18, 26, bold=True, face="reading"),
    "heading3": Type(17, 26, bold=True, face="reading"),
    "heading4": Type(15, 25, bold=True, face="reading"),
    "title": Type(16, 24, bold=True),
    "name": Type(18, 26, bold=True),
    "figure": Type(22, 30, bold=True),
    "welcome": Type(28, 36, bold=True),
    "formula": Type(18, 28),
    "code": Type(13, 20, face="code"),
}

if sys.platform == "win32":
    _SANS, _MONO = ["Segoe UI"], ["Cascadia Mono", "Consolas"]
    _HAN = {
        "SC": ("Microsoft YaHei UI", "NSimSun"),
        "TC": ("Microsoft JhengHei UI", "MingLiU"),
        "JP": ("Yu Gothic UI", "MS Gothic"),
        "KR": ("Malgun Gothic", "GulimChe"),
    }
elif sys.platform == "darwin":
    _SANS, _MONO = [".AppleSystemUIFont"], ["SF Mono", "Menlo"]
    _HAN = {
        "SC": ("PingFang SC", "PingFang SC"),
        "TC": ("PingFang TC", "PingFang TC"),
        "JP": ("Hiragino Sans", "Hiragino Sans"),
        "KR": ("Apple SD Gothic Neo", "Apple SD Gothic Neo"),
    }
else:
    _SANS, _MONO = ["Noto Sans"], ["Noto Sans Mono"]
    _HAN = {
        place: (f"Noto Sans CJK {place}", f"Noto Sans Mono CJK {place}")
        for place in ("SC", "TC", "JP", "KR")
    }


# Qt keeps one engine for a first family whatever stands behind it, so that after a switch of the
# language characters would keep their old shapes; fonts that differ in this have one each. It asks
# for nothing else of a font of outlines.
STRATEGIES = {
    "SC": QFont.StyleStrategy.PreferDefault,
    "TC": QFont.StyleStrategy.PreferMatch,
    "JP": QFont.StyleStrategy.PreferOutline,
    "KR": QFont.StyleStrategy.PreferDevice,
}


@dataclass(frozen=True, slots=True)
class Typesetting:
    """How somebody wants the window set; every default is the design's.

    Attributes:
        interface, reading, code: typefaces; empty is the usual one, and a typeface that this
            computer has not gives way to it.
        leading: by how much the lines of a chat stand further apart, or closer.
        column: width of the reading column in pixels at 100 %.
        compact: whether controls and rows stand close.
    """

    interface: str = ""
    reading: str = ""
    code: str = ""
    leading: float = 1.0
    column: int = 720
    compact: bool = False

    def families(self, face: Face, place: Place) -> list[str]:
        """Return the typefaces of a kind of text, each standing in for what those before lack."""
        sans, mono = _HAN[place]
        if face == "code":
            return [*filter(None, [self.code]), *_MONO, mono]
        chosen = [self.reading, self.interface] if face == "reading" else [self.interface]
        return [*filter(None, chosen), *_SANS, sans]

    def line(self, kind: Type) -> float:
        """Return the line height of a kind of text in pixels at 100 %."""
        return kind.line * self.leading if kind.runs else kind.line

    def height(self, usual: int) -> int:
        """Return how tall a control or a row of a usual height is."""
        return max(20, usual - 4) if self.compact and usual > 20 else usual

    def air(self, usual: int) -> int:
        """Return how much room there is between two things, from the usual one."""
        return round(usual * 0.6) if self.compact else usual


def place_of(language: str, system: Iterable[str]) -> Place:
    """Return whose shapes Chinese characters have.

    Args:
        language: of the window; a Chinese one decides.
        system: the system's languages as it writes them, the wanted ones first; they decide for an
            English window.
    """
    for name in (language, *system):
        parts = set(name.lower().replace("_", "-").split("-"))
        if "zh" in parts:
            traditional = parts & {"hant", "tw", "hk", "mo"} and "hans" not in parts
            return "TC" if traditional else "SC"
        if "ja" in parts:
            return "JP"
        if "ko" in parts:
            return "KR"
    return "SC"
