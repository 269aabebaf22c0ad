"""Tokens, type and icons in both themes; contrast as LOOK.md measured it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QFileInfo, Qt
from PySide6.QtGui import QColor, QGuiApplication, QIcon
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.ui import theme as theme_module
from app.ui.icons import Outlines
from app.ui.look import Look
from app.ui.theme import Theme
from app.ui.typefaces import TYPES

ROOT = Path(__file__).parents[2]


def luminance(color: QColor) -> float:
    """Relative luminance (WCAG 2.1)."""
    channels = (color.redF(), color.greenF(), color.blueF())
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def contrast(a: QColor, b: QColor) -> float:
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


PAIRS = """
ink/paper ink2/paper ink3/paper ink2/stone1 ink3/stone1 ink2/stone2 ink3/stone2 onInk/ink
onInk/ink2 accent/paper accent/accentWash azurite/azuriteWash ochre/paper ink/ochreWash
ink/cinnabarWash cinnabar/paper ink/azuriteWash onAccent/accent ink2/stone3 stone3/ink
ochre/ochreWash cinnabar/cinnabarWash
"""
TEXT_ON = [tuple(pair.split("/")) for pair in PAIRS.split()]


@pytest.mark.parametrize("name", ["light", "dark"])
@pytest.mark.parametrize(("text", "ground"), TEXT_ON)
def test_every_text_can_be_read(qapp: QApplication, name: str, text: str, ground: str) -> None:
    theme = Theme(name)  # type: ignore[arg-type]
    theme.apply(qapp)
    assert contrast(theme.color(text), theme.color(ground)) >= 4.5


@pytest.mark.parametrize("name", ["light", "dark"])
def test_borders_and_focus_stand_out(qapp: QApplication, name: str) -> None:
    theme = Theme(name)  # type: ignore[arg-type]
    theme.apply(qapp)
    assert contrast(theme.color("edge"), theme.color("paper")) >= 3
    assert contrast(theme.color("focus"), theme.color("paper")) >= 4.5


def test_the_style_sheet_names_only_known_tokens(look: Look) -> None:
    sheet = look.theme.style_sheet()
    assert "$" not in re.sub(r"/\*.*?\*/", "", sheet, flags=re.DOTALL)
    assert look.theme.color("paper").name().lower() in sheet.lower()


@pytest.mark.parametrize("name", ["My programs 砚", "O'Brien", "Inkstone (1)", "a{b"])
def test_the_style_sheet_holds_from_a_folder_of_any_name(
    qapp: QApplication, qtlog: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A path in the sheet ended it at a bracket or an apostrophe: all rules below were lost."""
    folder = tmp_path / name
    shutil.copytree(theme_module._FOLDER, folder)
    with monkeypatch.context() as patch:
        patch.setattr(theme_module, "_FOLDER", folder)
        theme = Theme("light")
        theme.apply(qapp)
        assert [each.message for each in qtlog.records] == []  # none of a sheet that cannot be read
        drawings = set(re.findall(r"url\((.*)\)", theme.style_sheet()))
        assert drawings == {"theme:check-light.svg"}
        assert QFileInfo("theme:check-light.svg").absoluteFilePath().startswith(str(folder))
    Theme("light").apply(qapp)


def test_the_theme_follows_the_system_while_it_runs(qapp: QApplication, qtbot: QtBot) -> None:
    theme = Theme("system")
    theme.apply(qapp)
    seen: list[str] = []
    theme.changed.connect(lambda: seen.append(theme.name))
    hints = QGuiApplication.styleHints()
    hints.colorSchemeChanged.emit(Qt.ColorScheme.Dark)
    assert seen  # asked again; offscreen has no scheme of its own
    theme.use("dark", 1.0)
    assert theme.name == "dark"
    seen.clear()
    hints.colorSchemeChanged.emit(Qt.ColorScheme.Light)
    assert seen == []  # the user's choice stands


def test_text_size_scales_type_and_style_sheet(look: Look) -> None:
    look.theme.use("light", 1.5)
    assert look.theme.font("reading").pixelSize() == 22
    assert look.theme.line_height("reading") == 38
    assert "font-size: 18px" in look.theme.style_sheet()  # caption: 12 at 100 %


def test_nothing_is_smaller_than_a_caption() -> None:
    assert min(kind.size for kind in TYPES.values()) == 12
    sheet = (ROOT / "resources" / "themes" / "style.qss").read_text("utf-8")
    sizes = [int(size) for size in re.findall(r"font-size: \$px(\d+)", sheet)]
    assert sizes
    assert min(sizes) >= 12


def test_every_icon_that_is_named_exists() -> None:
    outlines = Outlines()
    sources = [p.read_text("utf-8") for p in (ROOT / "app" / "ui").rglob("*.py")]
    calls = r'(?:\bicon\(|StatusIcon\(\s*look,|icon=|pixmap\()\s*"([a-z-]+)"'
    names = {name for source in sources for name in re.findall(calls, source)}
    assert len(names) > 10
    for name in sorted(names):
        assert not outlines.outline(name).isEmpty(), name


def test_an_icon_takes_the_colour_it_is_asked_for(look: Look) -> None:
    picture = look.theme.pixmap("stop-fill", "cinnabar", 16, 2.0).toImage()
    assert picture.width() == 32
    assert picture.pixelColor(16, 16) == look.theme.color("cinnabar")
    disabled = look.theme.icon("stop-fill", "ink").pixmap(16, mode=QIcon.Mode.Disabled).toImage()
    assert disabled.pixelColor(8, 8) == look.theme.color("dis")
    assert look.theme.icon("copy") is look.theme.icon("copy")


@pytest.mark.parametrize("name", ["light", "dark"])
def test_high_contrast_makes_quiet_text_and_borders_strong(qapp: QApplication, name: str) -> None:
    theme = Theme(name)  # type: ignore[arg-type]
    theme.strong = True
    theme.apply(qapp)
    for text in ("ink2", "ink3"):
        assert contrast(theme.color(text), theme.color("stone3")) >= 7
    assert contrast(theme.color("edge"), theme.color("paper")) >= 7
    assert contrast(theme.color("line"), theme.color("paper")) >= 3
    assert contrast(theme.color("dis"), theme.color("paper")) >= 4.5
    assert theme.color("edge").name() in theme.style_sheet().lower()
