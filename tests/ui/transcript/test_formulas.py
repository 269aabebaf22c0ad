"""Formulas on the page: source first, drawn a moment later, the source again on copy."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from app.ui.transcript.display_formula import FormulaView
from app.ui.transcript.prose import Prose
from tests.ui.transcript.conftest import Open, question, reply

# ziamath reads its font by a deprecated function when it is imported
pytestmark = pytest.mark.filterwarnings("ignore:path is deprecated")

OBJECT = "\ufffc"


def test_M8_an_inline_formula_takes_the_place_of_its_source(opened: Open, qtbot: QtBot) -> None:
    transcript = opened(question(1, "x"), reply(2, "Let $x^2$ cost $5 or $10."))
    widget = transcript.turn_widget(2)
    assert widget is not None
    (prose,) = widget.findChildren(Prose)
    source, drawn = "Let $x^2$ cost $5 or $10.", f"Let {OBJECT} cost $5 or $10."
    assert prose.toPlainText() in {source, drawn}, "a formula may be drawn at once"
    qtbot.waitUntil(lambda: OBJECT in prose.toPlainText(), timeout=15_000)
    assert prose.toPlainText() == drawn
    assert prose.height() == 25, "a small formula does not move its line"
    prose.selectAll()
    assert prose.createMimeDataFromSelection().text() == source


def test_M8_a_displayed_formula_is_as_tall_as_it_is_drawn(opened: Open, qtbot: QtBot) -> None:
    transcript = opened(question(1, "x"), reply(2, "$$\n\\frac{1}{1+\\frac{1}{x}}\n$$\n\nend"))
    widget = transcript.turn_widget(2)
    assert widget is not None
    (view,) = widget.findChildren(FormulaView)
    qtbot.waitUntil(lambda: view.height() > 50, timeout=15_000)
    assert view.source() == "$$\n\\frac{1}{1+\\frac{1}{x}}\n$$"
    (prose,) = widget.findChildren(Prose)
    assert prose.y() == view.y() + view.height() + 12


def test_a_broken_formula_stays_its_source(opened: Open, qtbot: QtBot) -> None:
    transcript = opened(question(1, "x"), reply(2, r"It is $\frac{1$ here and $y$."))
    widget = transcript.turn_widget(2)
    assert widget is not None
    (prose,) = widget.findChildren(Prose)
    qtbot.waitUntil(lambda: OBJECT in prose.toPlainText(), timeout=15_000)
    assert prose.toPlainText() == rf"It is $\frac{{1$ here and {OBJECT}."
