"""Formulas on the page: source first, drawn a moment later, the source again on copy."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from app.ui.transcript.display_formula import FormulaView
from app.ui.transcript.prose import Prose
from app.ui.transcript.still_text import code_grounds
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


@pytest.mark.parametrize("broken", [r"\frac{1", r"\foo{x} + 1", r"\ce{2H2 + O2 -> 2H2O}"])
def test_what_cannot_be_drawn_whole_stays_its_source_marked_as_code(
    opened: Open, qtbot: QtBot, broken: str
) -> None:
    text = f"It is ${broken}$ here and $y$."
    transcript = opened(question(1, "x"), reply(2, text))
    widget = transcript.turn_widget(2)
    assert widget is not None
    (prose,) = widget.findChildren(Prose)
    grounds = lambda: code_grounds(prose.document().begin(), 20)  # noqa: E731
    qtbot.waitUntil(lambda: OBJECT in prose.toPlainText() and len(grounds()) == 1, timeout=15_000)
    prose.selectAll()
    assert prose.createMimeDataFromSelection().text() == text


def test_a_displayed_formula_that_cannot_be_drawn_shows_all_of_its_source(
    opened: Open, qtbot: QtBot
) -> None:
    source = " + ".join(f"\\unknown_{{{k}}}" for k in range(60))
    transcript = opened(question(1, "x"), reply(2, f"$$\n{source}\n$$\n\n$$\ny\n$$"))
    widget = transcript.turn_widget(2)
    assert widget is not None
    view, other = widget.findChildren(FormulaView)
    formulas = transcript._formulas
    qtbot.waitUntil(lambda: formulas.sketch(other._key()) is not None, timeout=15_000)
    qtbot.waitUntil(lambda: not formulas.is_pending(view._key()), timeout=15_000)
    assert "".join(view._source_lines(view.width())) == source
    assert view.height() > 5 * 20
