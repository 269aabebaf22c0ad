"""What every part of the transcript shares: how text is set, and where its parts may stand.

``Paper`` is handed down when parts are made; nothing here is global.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtGui import QFont, QFontMetricsF, QTextCharFormat, QTextFormat

from app.chat.attachment import Attachment
from app.rendering.blocks import Block, Style
from app.rendering.reader import Reader
from app.ui.look import Look
from app.ui.theme import Theme
from app.ui.transcript.formulas import Formulas
from app.ui.transcript.long_texts import LongTexts
from app.ui.transcript.selection import Selection
from app.ui.transcript.spacing import gap
from app.ui.typefaces import TYPES

CODE = QTextFormat.Property.UserProperty.value + 1  # on inline code and the space at its ends
PAD = QTextFormat.Property.UserProperty.value + 2  # on that space alone: never copied
GOES_ON = QTextFormat.Property.UserProperty.value + 5  # on a row of code that began a row before

SEAL, SEAL_LEFT, SEAL_MARGIN = 24, 38, 56
_NARROW = 800


@dataclass(frozen=True, slots=True)
class Measure:
    """Where the reading column stands in a viewport, in pixels; ``prose`` is for running text."""

    left: int
    width: int
    seal: bool
    prose: int = 640

    @classmethod
    def of(cls, viewport: int, theme: Theme) -> Measure:
        """Return the column for a viewport's width; larger text gets a wider column."""
        side = 20 if viewport < _NARROW else 24
        width = max(120, min(theme.column, viewport - 2 * side))
        left = max(side, (viewport - width) // 2)
        return cls(left, width, seal=left >= SEAL_MARGIN, prose=min(theme.prose, width))


@dataclass(frozen=True, slots=True)
class Manner:
    """How running text is set: a font of the theme, which also gives the line, and a colour."""

    font: str = "reading"
    ink: str = "ink"

    def quoted(self) -> Manner:
        """Return how the same text is set inside a quote."""
        return Manner(self.font, "ink2")


READING = Manner()
QUESTION = Manner("question")
THOUGHT = Manner("thought", "ink2")
NOTE = Manner("thought", "ink2")
TABLE = Manner("table")
TABLE_HEAD = Manner("table-head")

# fonts that the theme has no name for, by one that it has, and whether they are bold
_DERIVED = {"thought": ("note", False), "table-head": ("table", True)}
_BASELINE = 0.8  # of a line of fixed height, from its top: Qt's rule


class Typeset:
    """Fonts, line heights and character formats, made once for a look of the theme."""

    def __init__(self, theme: Theme) -> None:
        self._theme = theme
        self._formats: dict[tuple[Manner, Style, str], QTextCharFormat] = {}
        self._advances: dict[tuple[Manner, str], float] = {}

    def forget(self) -> None:
        """The theme has changed: make everything anew."""
        self._formats.clear()
        self._advances.clear()

    def font(self, manner: Manner) -> QFont:
        """Return the font of a manner."""
        name, bold = _DERIVED.get(manner.font, (manner.font, False))
        font = self._theme.font(name)
        if bold:
            font.setWeight(QFont.Weight.Bold)
        return font

    def line(self, manner: Manner) -> int:
        """Return the line height of a manner in pixels."""
        name, _ = _DERIVED.get(manner.font, (manner.font, False))
        return self._theme.line_height(name)

    def middle(self, manner: Manner) -> float:
        """Return how far below a line's top the middle of its letters is, in pixels."""
        name, _ = _DERIVED.get(manner.font, (manner.font, False))
        usual = self._theme.px(TYPES[name].line)
        return _BASELINE * self.line(manner) - (_BASELINE - 0.5) * usual + 1

    def gap(self, before: Block | None, block: Block) -> int:
        """Return the space above a block in pixels."""
        return self._theme.px(self._theme.air(gap(before, block)))

    def advance(self, manner: Manner, number: str) -> float:
        """Return how wide the number of a list item is, in pixels."""
        key = manner, number
        if key not in self._advances:
            self._advances[key] = QFontMetricsF(self.font(manner)).horizontalAdvance(number)
        return self._advances[key]

    def format(self, manner: Manner, style: Style, link: str = "") -> QTextCharFormat:
        """Return the format of a piece of text."""
        key = manner, style, "link" if link else ""
        if key not in self._formats:
            self._formats[key] = self._make(manner, style, linked=bool(link))
        made = QTextCharFormat(self._formats[key])
        if link:
            made.setAnchor(True)
            made.setAnchorHref(link)
        return made

    def _make(self, manner: Manner, style: Style, *, linked: bool) -> QTextCharFormat:
        made = QTextCharFormat()
        made.setFont(self._styled(self.font(manner), manner, style))
        made.setForeground(self._theme.color("accent" if linked else manner.ink))
        if linked:
            made.setFontUnderline(True)
        if style & Style.STRIKE:
            made.setFontStrikeOut(True)
        if style & Style.RAISED:
            made.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignSuperScript)
        if style & Style.CODE:
            made.setProperty(CODE, True)
        return made

    def _styled(self, font: QFont, manner: Manner, style: Style) -> QFont:
        if style & Style.CODE:
            mono = self._theme.font("code")
            mono.setPixelSize(round(font.pixelSize() * 13 / 15))
            mono.setBold(font.bold())
            font = mono
        if style & Style.BOLD:
            font.setWeight(QFont.Weight.Bold)
        font.setItalic(bool(style & Style.ITALIC))
        return font


@dataclass(frozen=True, slots=True)
class Paper:
    """What is handed down to every part of the transcript."""

    look: Look
    typeset: Typeset
    formulas: Formulas
    selection: Selection
    reader: Reader
    texts: LongTexts
    open_link: Callable[[str], object]  # what becomes of it is nobody's concern
    copy: Callable[[str], None]
    copy_markdown: Callable[[], None]  # of what is selected
    save: Callable[[str, str], None]  # text, suggested file name
    preview: Callable[[Attachment], object]  # what it opens is nobody's concern
