"""Contrast (WCAG 2.1) of every rule of the style sheet, and of what is painted, in every look.

Text is held to 4.5:1 against its ground, large text, borders of controls, focus and marks to 3:1.
What is disabled is exempt.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication

from app.ui.theme import Theme
from tests.ui.test_theme import contrast

LOOKS = [
    ("light", False, ""), ("dark", False, ""), ("light", True, ""), ("dark", True, ""),
    ("light", False, "azurite"), ("dark", False, "azurite"),
    ("light", False, "ochre"), ("dark", False, "ochre"),
]  # fmt: skip
SURFACES = ("paper", "stone1")  # what stands without a ground of its own lies on one of these
SILENT = (
    "QToolButton",
    "QProgressBar",
    "QScrollBar",
    "::separator",
    "#rule",
    "QAbstractScrollArea",
    "::handle",
)
# painted text on its ground; buttons with an icon alone are among the marks
PAINTED = """
ink/heat1 ink/heat2 ink/heat3 ink/heat4 ink/code ink2/code ink3/code azurite/code accent/code
ochre/code rouge/code ink/accentWash ink2/accentWash ink/stone2 ink2/stone2 ink3/stone1 ink/paper
onInk/ink rouge/stone2 ink/select cinnabar/paper ochre/paper azurite/paper accent/paper
"""
# painted marks, bars and borders beside what they lie on
MARKS = """
edge/paper ink3/paper ink/paper azurite/paper accent/paper focus/paper focus/stone1 focus/stone2
onInk/ink onInk/ink2 onInk/ink3 ink2/paper ink2/stone1 ink2/stone2 ink2/stone3 ink2/accentWash
edge/stone1 accent/stone1 accent/stone2 accent/stone3
"""


@dataclass(frozen=True)
class Rule:
    """A selector of the style sheet with its values."""

    selector: str
    values: dict[str, str]

    @property
    def bare(self) -> str:
        """The selector without its state: what it adds to."""
        return re.sub(r":(hover|pressed|checked|focus|selected)", "", self.selector)

    def color(self, *names: str) -> QColor | None:
        """Return the colour of the first of these properties that has one."""
        for name in names:
            found = re.search(r"#[0-9A-Fa-f]{6}", self.values.get(name, ""))
            if found:
                return QColor(found.group())
        return None


def rules_of(sheet: str) -> Iterator[Rule]:
    for selectors, body in re.findall(
        r"([^{}]+)\{([^}]*)\}", re.sub(r"/\*.*?\*/", "", sheet, flags=re.DOTALL)
    ):
        pairs = (line.split(":", 1) for line in body.split(";") if ":" in line)
        values = {name.strip(): value.strip() for name, value in pairs}
        for selector in selectors.split(","):
            yield Rule(" ".join(selector.split()), values)


@pytest.fixture(params=LOOKS, ids=lambda look: look[0] + "-strong" * look[1] + look[2])
def theme(request: pytest.FixtureRequest, qapp: QApplication) -> Theme:
    name, strong, accent = request.param
    theme = Theme(name)
    theme.strong, theme.accent = strong, accent
    theme.apply(qapp)
    return theme


def grounds(theme: Theme, rule: Rule, base: Rule | None) -> list[QColor]:
    """Return what a rule's text may lie on."""
    own = rule.color("background")
    if own is None and "transparent" not in rule.values.get("background", "") and base:
        own = base.color("background")
    return [own] if own is not None else [theme.color(name) for name in SURFACES]


def test_every_text_of_the_style_sheet_can_be_read(theme: Theme) -> None:
    rules = [r for r in rules_of(theme.style_sheet()) if ":disabled" not in r.selector]
    base = {rule.selector: rule for rule in rules}
    checked, low = 0, []
    for rule in rules:
        if any(part in rule.selector for part in SILENT) or rule.selector == "QWidget":
            continue
        known = base.get(rule.bare)
        text = rule.color("color") or (known.color("color") if known else None)
        if text is None and "background" in rule.values:
            text = theme.color("ink")
        for color in (text, rule.color("placeholder-text-color")):
            for ground in grounds(theme, rule, known) if color is not None else []:
                checked += 1
                if contrast(color, ground) < 4.5:
                    low.append((rule.selector, color.name(), ground.name()))
    assert low == []
    assert checked > 100


def test_every_selected_text_can_be_read(theme: Theme) -> None:
    pairs = [
        (rule.color("selection-color"), rule.color("selection-background-color"))
        for rule in rules_of(theme.style_sheet())
        if "selection-color" in rule.values
    ]
    assert len(pairs) >= 3
    assert all(a is not None and b is not None and contrast(a, b) >= 4.5 for a, b in pairs)


CONTROLS = (
    "QPushButton", "QLineEdit", "QComboBox", "QAbstractSpinBox", "#form-field",
    "QRadioButton::indicator", "QListView::indicator",
    "QPushButton[kind=\"danger\"]", "QPushButton[kind=\"segment\"]:checked",
)  # fmt: skip


@pytest.mark.parametrize("selector", CONTROLS)
def test_borders_of_controls_stand_out(theme: Theme, selector: str) -> None:
    found = [r for r in rules_of(theme.style_sheet()) if r.selector == selector]
    borders = [c for rule in found if (c := rule.color("border-color", "border")) is not None]
    assert borders
    for surface in SURFACES:
        assert min(contrast(border, theme.color(surface)) for border in borders) >= 3


def test_the_focused_field_stands_out(theme: Theme) -> None:
    focused = [r for r in rules_of(theme.style_sheet()) if r.selector.endswith(":focus")]
    assert len(focused) >= 4
    for rule in focused:
        border = rule.color("border-color", "border")
        assert border is not None, rule.selector
        assert contrast(border, theme.color("paper")) >= 3
        assert contrast(border, theme.color("stone1")) >= 3


@pytest.mark.parametrize("pair", PAINTED.split())
def test_every_painted_text_can_be_read(theme: Theme, pair: str) -> None:
    text, ground = pair.split("/")
    assert contrast(theme.color(text), theme.color(ground)) >= 4.5


@pytest.mark.parametrize("pair", MARKS.split())
def test_every_mark_stands_out(theme: Theme, pair: str) -> None:
    mark, ground = pair.split("/")
    assert contrast(theme.color(mark), theme.color(ground)) >= 3


@pytest.mark.parametrize("name", ["light", "dark"])
def test_in_high_contrast_every_field_has_an_edge(qapp: QApplication, name: str) -> None:
    theme = Theme(name)  # type: ignore[arg-type]
    theme.strong = True
    theme.apply(qapp)
    soft = next(r for r in rules_of(theme.style_sheet()) if r.selector == 'QLineEdit[kind="soft"]')
    border = soft.color("border-color")
    assert border is not None
    assert contrast(border, theme.color("stone1")) >= 7
