"""Colours, type and icons of the window, in light and dark, following the system while it runs.

All tokens come from ``resources/themes/palette.json``; ``style.qss`` beside it turns them into the
look of the stock widgets. Painted widgets ask ``color``, ``font`` and ``icon`` when they paint, and
repaint on ``changed``. Sizes are pixels at 100 %; ``scale`` is the text size that the user chose.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Literal

from PySide6.QtCore import QObject, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QFont, QGuiApplication, QIcon, QPalette, QPixmap
from PySide6.QtWidgets import QApplication

from app.ui.icons import GlyphEngine, Outlines

_FOLDER = Path(__file__).resolve().parents[2] / "resources" / "themes"

SMALLEST, LARGEST = 0.8, 1.6  # the text sizes that can be chosen

ThemeName = Literal["light", "dark"]
ThemeChoice = Literal["system", "light", "dark"]


@dataclass(frozen=True, slots=True)
class Type:
    """One kind of text: pixel size and line height at 100 %, weight and family."""

    size: int
    line: int
    bold: bool = False
    mono: bool = False


TYPES = {
    "caption": Type(12, 16),
    "caption-bold": Type(12, 16, bold=True),
    "small": Type(13, 18),
    "small-bold": Type(13, 18, bold=True),
    "body": Type(14, 20),
    "body-bold": Type(14, 20, bold=True),
    "table": Type(14, 22),
    "question": Type(15, 24),
    "reading": Type(15, 25),
    "heading": Type(17, 26, bold=True),
    "heading1": Type(20, 28, bold=True),
    "heading2": Type(18, 26, bold=True),
    "heading3": Type(17, 26, bold=True),
    "heading4": Type(15, 25, bold=True),
    "title": Type(16, 24, bold=True),
    "name": Type(18, 26, bold=True),
    "figure": Type(22, 30, bold=True),
    "welcome": Type(28, 36, bold=True),
    "formula": Type(18, 28),
    "code": Type(13, 20, mono=True),
}

if sys.platform == "win32":
    SANS, MONO = ["Segoe UI", "Microsoft YaHei UI"], ["Cascadia Mono", "Consolas", "NSimSun"]
elif sys.platform == "darwin":
    SANS, MONO = [".AppleSystemUIFont", "PingFang SC"], ["SF Mono", "Menlo", "PingFang SC"]
else:
    SANS = ["Noto Sans", "Noto Sans CJK SC"]
    MONO = ["Noto Sans Mono", "Noto Sans Mono CJK SC"]

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

    def prepare(self, app: QApplication) -> None:
        """Set what widgets are built with: style, font, palette, the system's colour scheme."""
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
        font.setFamilies(MONO if kind.mono else SANS)
        font.setPixelSize(self.px(kind.size))
        font.setWeight(QFont.Weight.Bold if kind.bold else QFont.Weight.Normal)
        if kind.mono:
            font.setStyleHint(QFont.StyleHint.Monospace)
            font.setFixedPitch(True)
        return font

    def line_height(self, name: str) -> int:
        """Return the line height of a font in pixels, at the user's text size."""
        return self.px(TYPES[name].line)

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
        icons = _FOLDER.as_posix()
        sans = ",".join(f"'{family}'" for family in SANS)
        mono = ",".join(f"'{family}'" for family in MONO)
        return self._style.substitute(
            self._palette_now(), **sizes, icons=icons, sans=sans, mono=mono, theme=self.name
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


def wants_stillness() -> bool:
    """Return whether the system is set to show no animations; Qt 6.11 tells it on Windows alone.

    Elsewhere the effect counts as off always, so it says nothing there.
    """
    effect = Qt.UIEffect.UI_General
    return sys.platform == "win32" and not QApplication.isEffectEnabled(effect)


def wants_contrast() -> bool:
    """Return whether the system is set to high contrast."""
    hints = QGuiApplication.styleHints()  # held: PySide lets its child go with it
    return hints.accessibility().contrastPreference() == Qt.ContrastPreference.HighContrast
