"""Formulas on the page: source first, drawn a moment later, the source again on copy."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.ui.theme import Theme
from app.ui.transcript.display_formula import FormulaView
from app.ui.transcript.pigments import pigment
from app.ui.transcript.prose import Prose
from app.ui.transcript.still_text import code_grounds
from app.ui.transcript.tables import TableView
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


@pytest.mark.parametrize("broken", [r"\frac{1", r"\foo{x} + 1", r"\SI{5}{\meter}"])
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


def colours_of(widget: QWidget) -> dict[str, int]:
    """Return how many pixels of a widget's picture have which colour."""
    picture = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    found: dict[str, int] = {}
    for y in range(picture.height()):
        for x in range(picture.width()):
            name = picture.pixelColor(x, y).name()
            found[name] = found.get(name, 0) + 1
    return found


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_a_selected_formula_is_as_legible_as_the_words_beside_it(
    opened: Open, qtbot: QtBot, theme: Theme, qapp: QApplication, mode: str
) -> None:
    theme.use("dark" if mode == "dark" else "light", 1.0)
    theme.apply(qapp)
    text = r"$\blacksquare \color{red}{\blacksquare}$"
    transcript = opened(question(3, "x"), reply(4, text))
    widget = transcript.turn_widget(4)
    assert widget is not None
    (prose,) = widget.findChildren(Prose)
    qtbot.waitUntil(lambda: prose.toPlainText() == OBJECT, timeout=15_000)
    ink, red = theme.color("ink").name(), theme.color("cinnabar").name()
    plain = colours_of(prose)
    assert plain.get(ink, 0) > 20
    assert plain.get(red, 0) > 20
    prose.selectAll()
    taken = colours_of(prose)
    assert taken.get(theme.color("onAccent").name(), 0) > 40, "no colour of its own, no wash"
    assert taken.get(red, 0) == 0


def test_a_formula_wider_than_the_column_scrolls_sideways(opened: Open, qtbot: QtBot) -> None:
    long = " + ".join(f"a_{{{k}}}" for k in range(90))
    transcript = opened(question(1, "x"), reply(2, f"$$\n{long}\n$$\n\n$$\ny\n$$"))
    widget = transcript.turn_widget(2)
    assert widget is not None
    view, other = widget.findChildren(FormulaView)
    qtbot.waitUntil(view._bar.isVisible, timeout=15_000)
    assert not other._bar.isVisible()
    before = view.grab().toImage()
    view._bar.setValue(view._bar.maximum())
    assert view.grab().toImage() != before


def test_a_formula_wider_than_its_line_of_words_is_drawn_smaller(
    opened: Open, qtbot: QtBot
) -> None:
    long = " + ".join(f"a_{{{k}}}" for k in range(25))
    transcript = opened(question(1, "x"), reply(2, f"It is ${long}$ then."), width=720)
    widget = transcript.turn_widget(2)
    assert widget is not None
    (prose,) = widget.findChildren(Prose)
    qtbot.waitUntil(lambda: OBJECT in prose.toPlainText(), timeout=15_000)
    layout = prose.document().begin().layout()
    assert max(layout.lineAt(n).naturalTextWidth() for n in range(layout.lineCount())) <= 640


def test_a_tall_formula_in_a_table_or_a_list_makes_its_line_taller(
    opened: Open, qtbot: QtBot
) -> None:
    tall = r"$\begin{pmatrix}1&2\\3&4\\5&6\end{pmatrix}$"
    transcript = opened(question(1, "x"), reply(2, f"| a |\n|---|\n| {tall} |\n\n1. item {tall}"))
    widget = transcript.turn_widget(2)
    assert widget is not None
    (table,) = widget.findChildren(TableView)
    (prose,) = widget.findChildren(Prose)
    qtbot.waitUntil(lambda: table.height() > 75 and prose.height() > 50, timeout=15_000)
    assert prose.drop() > 5, "and the number of the item stands beside its words"


@pytest.mark.parametrize(
    ("name", "token"),
    [
        ("red", "cinnabar"),
        ("blue", "azurite"),
        ("#ff8800", "ochre"),
        ("ForestGreen", "accent"),
        ("purple", "rouge"),
        ("gray", "ink3"),
        ("black", "ink"),
        ("red!50!black", "cinnabar"),
        ("no such colour", "ink"),
    ],
)
def test_colours_of_latex_are_pigments_of_the_theme(theme: Theme, name: str, token: str) -> None:
    assert pigment(theme, name) == theme.color(token)
