"""Every text of the window, in the language that the user reads, and the switch between languages.

Texts are Fluent messages in ``resources/translations/<language>/*.ftl``. A message is parsed when
it is first asked for: parsing the whole of a language costs some 100 ms, and the first screen shows
a fifth of it. A text that does not exist, or that misses a figure, is a bug and raises.

Sizes are decimal (1 GB is 10^9 bytes) everywhere in the window, so that figures can be compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path

from babel import Locale, UnknownLocaleError
from fluent.runtime import FluentBundle, FluentResource
from PySide6.QtCore import QLocale, QObject, Signal

from app.traditional import traditional_texts
from engine.contract import Figure

_FOLDER = Path(__file__).resolve().parents[1] / "resources" / "translations"

LANGUAGES = {"en": "English", "zh_CN": "简体中文", "zh_TW": "繁體中文"}  # code: its own name
_FROM = {"zh_TW": "zh_CN"}  # converted as it is read (``app/traditional.py``), from which one
_TRADITIONAL = {"hant", "tw", "hk", "mo"}  # scripts and regions of a system's language

_ENTRY = re.compile(r"^(-?[a-zA-Z][\w-]*)\s*=", re.MULTILINE)
_REFERENCE = re.compile(r"\{\s*(-?[a-z][\w-]*)\s*[}.(]")
_FAR = 500  # times as large
_FINEST = 5  # decimals; sizes that look alike even then are told in bytes
_KEPT = 2_000  # texts with their figures
_UNITS = ((1_000_000_000_000, "TB"), (1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB"))


def system_language() -> str:
    """Return the code of the language that the system is set to, English if we have it not."""
    return first_language(QLocale.system().uiLanguages())


def first_language(names: Iterable[str]) -> str:
    """Return the code of the first language that we have, English if it is none of them.

    Args:
        names: as systems write them: "zh-Hant-TW", "zh_HK", "en-GB", the wanted ones first.
    """
    for name in names:
        parts = set(name.lower().replace("_", "-").split("-"))
        if "zh" in parts:
            return "zh_TW" if parts & _TRADITIONAL and "hans" not in parts else "zh_CN"
        if "en" in parts:
            return "en"
    return "en"


def entries(source: str) -> Iterator[tuple[str, str]]:
    """Yield (id, source) of every message and term in a Fluent file, without parsing them."""
    starts = list(_ENTRY.finditer(source))
    ends = [match.start() for match in starts[1:]] + [len(source)]
    for match, end in zip(starts, ends, strict=True):
        yield match[1], source[match.start() : end]


class Texts:
    """The messages of one language, parsed one by one as they are needed.

    Args:
        folder: named like the language; its ``*.ftl`` files are read.
        kept: where the texts of a language that is converted from another may be kept.
    """

    def __init__(self, folder: Path, kept: Path | None = None) -> None:
        self._bundle = FluentBundle([folder.name.replace("_", "-")], use_isolating=False)
        self._parsed: set[str] = set()
        self._said: dict[tuple[str, str], str] = {}  # lately: many are said twice a second
        origin = _FROM.get(folder.name)
        if origin is not None:
            self._sources = dict(entries(traditional_texts(folder.parent / origin, folder, kept)))
            return
        self._sources = {}
        for path in sorted(folder.glob("*.ftl")):
            self._sources.update(entries(path.read_text(encoding="utf-8")))

    def ids(self) -> frozenset[str]:
        """Return the ids of all messages and terms."""
        return frozenset(self._sources)

    def format(self, message_id: str, figures: dict[str, Figure]) -> str:
        """Return a message, or its attribute after a dot, with its figures filled in.

        Raises:
            KeyError: there is no such message or attribute.
            ValueError: the message asks for a figure that was not given, or is malformed.
        """
        said = message_id, repr(figures) if figures else ""  # 1 and 1.0 are told apart
        if said in self._said:
            return self._said[said]
        name, _, attribute = message_id.partition(".")
        self._parse(name)
        message = self._bundle.get_message(name)
        pattern = message.attributes[attribute] if attribute else message.value
        text, errors = self._bundle.format_pattern(pattern, figures)
        if errors:
            raise ValueError(f"{message_id}: {errors[0]!r}")
        if len(self._said) >= _KEPT:
            self._said.clear()
        self._said[said] = str(text)
        return str(text)

    def _parse(self, entry_id: str) -> None:
        """Hand an entry, and what it refers to, to Fluent once."""
        if entry_id in self._parsed:
            return
        source = self._sources[entry_id]
        self._parsed.add(entry_id)
        self._bundle.add_resource(FluentResource(source))
        for name in _REFERENCE.findall(source):
            if name in self._sources:
                self._parse(name)


class Language(QObject):
    """The language of the window: its texts, and how it writes numbers, sizes and times.

    Args:
        code: one of ``LANGUAGES``; empty for the system's.
        kept: a folder for texts that are converted from another language; None converts anew.
    """

    changed = Signal()

    def __init__(self, code: str = "", kept: Path | None = None) -> None:
        super().__init__()
        self._loaded: dict[str, Texts] = {}
        self._kept = kept
        self.code = code or system_language()

    def use(self, code: str) -> None:
        """Switch to a language; an empty code means the system's."""
        chosen = code or system_language()
        if chosen not in LANGUAGES:
            raise ValueError(f"no translation for {chosen!r}")
        if chosen != self.code:
            self.code = chosen
            self.changed.emit()

    def text(self, id: str, /, **figures: Figure) -> str:
        """Return a text in the current language, its figures filled in.

        Whole numbers are grouped by Fluent; give sizes and times through ``bytes_text`` and
        ``seconds``.

        Raises:
            KeyError: there is no such text.
            ValueError: a figure is missing.
        """
        return self._texts().format(id, figures)

    def text_in(self, code: str, id: str, /) -> str:
        """Return a text without figures in another language, for a search that knows them all."""
        return self._texts_of(code).format(id, {})

    def number(self, value: float, digits: int = 0) -> str:
        """Return a number with grouped thousands and ``digits`` decimals, for example 1,204."""
        return f"{value:,.{digits}f}".replace("-", "−")

    def bytes_text(self, count: int, beside: int = 0) -> str:
        """Return a size with three or more leading digits: 2.50 GB, 16.4 GB, 98 MB.

        Args:
            count: bytes.
            beside: a larger size in the same sentence, whose unit is used: 0.4 MB of 98 MB.
        """
        return self._size(count, max(count, beside), 1 if beside else 0)

    def sizes(self, counts: Mapping[str, int]) -> dict[str, str]:
        """Return the sizes of one sentence: in one unit, and told apart where they differ.

        A file that lacks its last bytes must not be said to have 98 MB of 98 MB. Sizes that nobody
        takes for one another, as 60 MB and 60 GB, keep the units that suit them.
        """
        largest, different = max(counts.values(), default=0), len(set(counts.values()))
        if any(0 < count * _FAR < largest for count in counts.values()):
            return {name: self.bytes_text(count) for name, count in counts.items()}
        for finer in range(1, _FINEST + 1):
            said = {name: self._size(count, largest, finer) for name, count in counts.items()}
            nothing = self._size(0, largest, finer)
            hidden = any(said[name] == nothing for name, count in counts.items() if count)
            if len(set(said.values())) == different and not hidden:
                return said
        return {name: self.text("size-bytes", count=count) for name, count in counts.items()}

    def _size(self, count: int, largest: int, finer: int) -> str:
        """Return a size in the unit of the largest; ``finer``: how many decimals more."""
        for unit, name in _UNITS:
            if largest >= unit:
                value = count / unit
                digits = 0 if value >= 100 or unit < 10**9 else 1 if value >= 10 else 2
                least = finer if value < 10 else finer - 1
                return f"{value:,.{max(digits, least)}f} {name}"
        return self.text("size-bytes", count=count)

    def gigabytes(self, count: int) -> str:
        """Return a size in GB without its unit and one decimal, for pairs: 4.0 (of 16.4 GB)."""
        return f"{count / 1e9:,.1f}"

    def speed(self, tokens_per_second: float) -> str:
        """Return a speed without its unit: 13.2, 131."""
        return f"{tokens_per_second:,.{0 if tokens_per_second >= 100 else 1}f}"

    def seconds(self, value: float, *, whole: bool = False) -> str:
        """Return a duration: 0.84 s, 10.3 s, 2 min 48 s; ``whole`` drops the decimals."""
        if value >= 59.95:
            minutes, rest = divmod(round(value), 60)
            return self.text("duration-minutes", minutes=minutes, seconds=rest)
        digits = 0 if whole else 2 if value < 0.995 else 1
        return self.text("duration-seconds", seconds=f"{value:.{digits}f}")

    def names_of(self, codes: Iterable[str]) -> str:
        """Return languages ("en", "zh") by name; what has none here stays as it is written."""
        named = []
        for code in codes:
            try:
                told = Locale.parse(code.replace("-", "_")).get_display_name(self.code)
            except (UnknownLocaleError, ValueError):
                told = code
            named.append(told or code)
        return self.text("between").join(named)

    def clock(self, when: datetime) -> str:
        """Return the local time of day, for example 14:32."""
        return when.astimezone().strftime("%H:%M")

    def moment(self, unix_seconds: int) -> str:
        """Return a local day and time, for example 2026-11-29 14:32."""
        return datetime.fromtimestamp(unix_seconds).astimezone().strftime("%Y-%m-%d %H:%M")

    def _texts(self) -> Texts:
        return self._texts_of(self.code)

    def _texts_of(self, code: str) -> Texts:
        if code not in self._loaded:
            kept = self._kept / f"{code}.ftl" if self._kept is not None else None
            self._loaded[code] = Texts(_FOLDER / code, kept)
        return self._loaded[code]
