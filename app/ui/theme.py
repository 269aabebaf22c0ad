"""Colours, type and icons of the window, in light and dark, following the system while it runs.

All tokens come from ``resources/themes/palette.json``; ``style.qss`` beside it turns them into the
look of the stock widgets. Painted widgets ask ``color``, ``font`` and ``icon`` when they paint, and
repaint on ``changed``. Sizes are pixels at 100 %; ``scale`` is the text size that the user chose.
Typefaces and how close things stand are ``app/ui/typefaces.py``.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from string import Template
from typing import Literal

from PySide6.QtCore import QDir, QLocale, QObject, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QFont, QGuiApplication, QIcon, QPalette, QPixmap
from PySide6.QtWidgets import QApplication

from app.ui.icons import GlyphEngine, Outlines
from app.ui.system_wishes import wants_contrast, wants_stillness
from app.ui.typefaces import STRATEGIES, TYPES, Face, Typesetting, place_of

_FOLDER = Path(__file__).resolve().parents[2] / "resources" / "themes"
_DRAWINGS = "theme"  # what the style sheet calls the folder, whose path may have a bracket in it

SMALLEST, LARGEST = 0.8, 1.6  # the text sizes that can be chosen

_ASIDE = 80  # px of the reading column that tables and code have more than running text

ThemeName = Literal["light", "dark"]
ThemeChoice = Literal["system", "light", "dark"]


_SCHEMES = {
    "system": Qt.ColorScheme.Unknown,
    "light": Qt.ColorScheme.Light,
    "dark": Qt.ColorScheme.Dark,
}

# in high contrast, what is quiet takes the place of the next stronger token
_STRONGER = {
    "ink2": "ink",
    "ink3": "ink",
    "dis": "ink3",
    "line": "edge",
    "edge": "ink",
    "softEdge": "ink",
}

# what another pigment stands in for when it is chosen as the accent
_ACCENTS = {
    "azurite": {"accent": "azurite", "accentWash": "azuriteWash", "focus": "azurite"},
    "ochre": {"accent": "ochre", "accentWash": "ochreWash", "focus": "ochre"},
}


class Theme(QObject):
    """What the window looks like now; ``changed`` after every switch of colours or text size."""

    changed = Signal()

    def __init__(self, choice: ThemeChoice = "system", scale: float = 1.0) -> None:
        super().__init__()
        self._tokens: dict[str, dict[str, str]] = json.loads(
            (_FOLDER / "palette.json").read_text(encoding="utf-8")
        )
        self._style = Template((_FOLDER / "style.qss").read_text(encoding="utf-8"))
        self._outlines = Outlines()
        self._icons: dict[tuple[str, str, str], QIcon] = {}
        self._app: QApplication | None = None
        self.choice: ThemeChoice = choice
        self.scale = scale
        self.reduced_motion = False
        self.name: ThemeName = self._wanted()
        self._contrast_chosen = False
        self.accent = ""
        self.strong = wants_contrast()
        self.typesetting = Typesetting()
        self._place = place_of("", QLocale.system().uiLanguages())

    def prepare(self, app: QApplication) -> None:
        """Set what widgets are built with: style, font, palette, the system's colour scheme."""
        QDir.setSearchPaths(_DRAWINGS, [str(_FOLDER)])
        app.setStyle("Fusion")
        QGuiApplication.styleHints().setColorScheme(_SCHEMES[self.choice])
        self.name = self._wanted()
        app.setFont(self.font("body"))
        app.setPalette(self._palette())

    def apply(self, app: QApplication) -> None:
        """Dress the application, and follow the system's light and dark from now on.

        With a style sheet set, Qt polishes a widget again each time it is moved into another: for
        the whole window that took 280 ms, against 90 ms when the sheet comes after the building.
        """
        self._app = app
        self.prepare(app)
        app.setStyleSheet(self.style_sheet())
        hints = QGuiApplication.styleHints()
        hints.colorSchemeChanged.connect(self._on_system_changed)
        hints.accessibility().contrastPreferenceChanged.connect(self._on_contrast_changed)

    def use(self, choice: ThemeChoice, scale: float) -> None:
        """Choose light, dark or the system's, and the text size (1.0 is 100 %)."""
        self.choice, self.scale = choice, scale
        QGuiApplication.styleHints().setColorScheme(_SCHEMES[choice])
        self._dress()

    def use_accent(self, accent: str, contrast: str) -> None:
        """Choose the one colour that says "live, chosen, focused", and high contrast or none."""
        self.accent, self._contrast_chosen = accent, contrast == "high"
        self.strong = self._contrast_chosen or wants_contrast()
        self._dress()

    def use_typesetting(self, chosen: Typesetting) -> None:
        """Choose typefaces, the distance of lines, the reading column, and how close all stands."""
        if chosen != self.typesetting:
            self.typesetting = chosen
            self._dress()

    def use_language(self, code: str) -> None:
        """Draw Chinese characters as the readers of a language write them."""
        place = place_of(code, QLocale.system().uiLanguages())
        if place != self._place:
            self._place = place
            self._dress()

    def families(self, face: Face) -> list[str]:
        """Return the typefaces of a kind of text, each standing in for what those before lack."""
        return self.typesetting.families(face, self._place)

    def color(self, token: str) -> QColor:
        """Return a colour by its name in the palette, for example ``"ink2"``."""
        return QColor(self._palette_now()[token])

    def print_colors(self) -> dict[str, str]:
        """Return the colours of paper, whatever is on the screen."""
        return self._tokens["light"]

    def code_colors(self) -> tuple[dict[str, str], dict[str, str]]:
        """Return the colours of a light and of a dark page."""
        return self._tokens["light"], self._tokens["dark"]

    def _palette_now(self) -> dict[str, str]:
        """Return the tokens of now; where the system asks for contrast, stronger ones stand in."""
        tokens = self._tokens[self.name]
        tokens = tokens | {live: tokens[of] for live, of in _ACCENTS.get(self.accent, {}).items()}
        if not self.strong:
            return tokens
        return tokens | {quiet: tokens[strong] for quiet, strong in _STRONGER.items()}

    def font(self, name: str) -> QFont:
        """Return a font by its name in ``TYPES``, at the user's text size."""
        kind = TYPES[name]
        font = QFont()
        font.setFamilies(self.families(kind.face))
        font.setStyleStrategy(STRATEGIES[self._place])
        font.setPixelSize(self.px(kind.size))
        font.setWeight(QFont.Weight.Bold if kind.bold else QFont.Weight.Normal)
        if kind.face == "code":
            font.setStyleHint(QFont.StyleHint.Monospace)
            font.setFixedPitch(True)
        return font

    def line_height(self, name: str) -> int:
        """Return the line height of a font in pixels, at the user's text size."""
        return self.px(self.typesetting.line(TYPES[name]))

    def high(self, usual: int) -> int:
        """Return how tall a control or a row is in pixels; it does not grow with the text."""
        return self.typesetting.height(usual)

    def air(self, usual: int) -> int:
        """Return how much room there is between two things in pixels."""
        return self.typesetting.air(usual)

    @property
    def column(self) -> int:
        """How wide the reading column is in pixels, at the user's text size."""
        return self.px(self.typesetting.column)

    @property
    def prose(self) -> int:
        """How much of the column running text uses, in pixels."""
        return self.px(self.typesetting.column - _ASIDE)

    def px(self, size: float) -> int:
        """Return a length that grows with the text size, in whole pixels."""
        return round(size * self.scale)

    def duration(self, milliseconds: int) -> int:
        """Return how long a motion takes; 0 when the user, or the system, wants none."""
        return 0 if self.reduced_motion or wants_stillness() else milliseconds

    def icon(self, name: str, color: str = "ink2", size: int = 16) -> QIcon:
        """Return a Phosphor icon in a colour of the palette; it draws sharp at every size.

        Args:
            name: as Phosphor names it, without a prefix: ``"copy"``.
            color: a token of the palette.
            size: the usual size, kept for callers that pass it on; the icon itself scales.
        """
        key = (name, color, f"{self.name} {self.strong} {self.accent}")
        if key not in self._icons:
            outline = self._outlines.outline(name)
            engine = GlyphEngine(outline, self.color(color), self.color("dis"))
            self._icons[key] = QIcon(engine)
        return self._icons[key]

    def pixmap(self, name: str, color: str, size: int, ratio: float) -> QPixmap:
        """Return an icon as a picture of ``size`` logical pixels at a device pixel ratio."""
        return self.icon(name, color).pixmap(QSize(size, size), ratio)

    @Slot()
    def _on_system_changed(self) -> None:
        if self.choice == "system":
            self._dress()

    @Slot()
    def _on_contrast_changed(self) -> None:
        self.strong = self._contrast_chosen or wants_contrast()
        self._dress()

    def _dress(self) -> None:
        """Swap the tokens and polish once."""
        self.name = self._wanted()
        if self._app is not None:
            self._app.setFont(self.font("body"))
            self._app.setPalette(self._palette())
            self._app.setStyleSheet(self.style_sheet())
        self.changed.emit()

    def _wanted(self) -> ThemeName:
        if self.choice != "system":
            return self.choice
        dark = QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
        return "dark" if dark else "light"

    def filled(self, source: str) -> str:
        """Return a text, such as a drawing, with ``$token`` replaced by the colours of now."""
        return Template(source).substitute(self._palette_now())

    def style_sheet(self) -> str:
        """Return the style sheet with the tokens of now filled in."""
        sizes = {f"px{size}": f"{self.px(size)}px" for size in range(1, 65)}
        sizes |= {f"high{size}": f"{self.high(size)}px" for size in range(18, 42)}
        sizes |= {f"air{size}": f"{self.air(size)}px" for size in range(1, 25)}
        mono = ",".join(f"'{_quotable(family)}'" for family in self.families("code"))
        return self._style.substitute(
            self._palette_now(), **sizes, drawings=_DRAWINGS, mono=mono, theme=self.name
        )

    def _palette(self) -> QPalette:
        """Return Qt's palette from our tokens, for everything that no rule of ours names."""
        role = QPalette.ColorRole
        colors = {
            role.Window: "paper",
            role.WindowText: "ink",
            role.Base: "paper",
            role.AlternateBase: "stone1",
            role.Text: "ink",
            role.Button: "paper",
            role.ButtonText: "ink",
            role.ToolTipBase: "ink",
            role.ToolTipText: "onInk",
            role.PlaceholderText: "ink3",
            role.Highlight: "accent",
            role.HighlightedText: "onAccent",
            role.Link: "accent",
            role.LinkVisited: "accent",
            role.BrightText: "cinnabar",
            role.Light: "paper",
            role.Midlight: "stone2",
            role.Mid: "stone3",
            role.Dark: "edge",
            role.Shadow: "line",
        }
        palette = QPalette()
        for which, token in colors.items():
            palette.setColor(which, self.color(token))
        for which in (role.WindowText, role.Text, role.ButtonText):
            palette.setColor(QPalette.ColorGroup.Disabled, which, self.color("dis"))
        return palette


def _quotable(family: str) -> str:
    """Return a typeface's name for a style sheet: it comes from a file that anyone can write."""
    return re.sub(r"['\\\\;{}\n]", "", family)
