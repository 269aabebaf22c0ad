"""Formulas on the page: source first, drawn a moment later, the source again on copy."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.ui.theme import Theme
from app.ui.transcript.display_formula import FormulaView
from app.ui.transcript.formulas import Formulas
from app.ui.transcript.pigments import pigment
from app.ui.transcript.prose import Prose
from app.ui.transcript.spots import take_between
from app.ui.transcript.still_text import code_grounds
from app.ui.transcript.table_part import TablePart
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


class Late:
    """What draws the formulas, held until the test lets it."""

    def __init__(self, real: Formulas) -> None:
        self.waiting: list[Callable[[], None]] = []
        self._real = real
        real._make_background = lambda: self  # type: ignore[assignment,return-value]

    def run(
        self,
        work: Callable[[], object],
        done: Callable[[object], None],
        failed: Callable[[object], None],
    ) -> None:
        self.waiting.append(lambda: done(work()))

    def close(self) -> None:
        pass

    def draw(self) -> None:
        """Draw all that was asked for."""
        while self.waiting:
            self.waiting.pop(0)()


SELECTED = [
    pytest.param("Let $x^2$ be one, and $y$ two.", id="paragraph"),
    pytest.param("- Let $x^2$ be one, and $y$ two.", id="list"),
    pytest.param("| a | b |\n|---|---|\n| Let $x^2$ be | one, and $y$ two. |", id="table"),
]


@pytest.mark.parametrize("backwards", [False, True], ids=["forwards", "backwards"])
@pytest.mark.parametrize("text", SELECTED)
@pytest.mark.parametrize(
    ("first", "last"),
    [("be", "two"), ("Let", "two"), ("one", "and"), ("Let", "one"), ("x^2", "be"), ("Let", "x^2")],
)
def test_what_is_selected_stays_selected_when_a_formula_is_drawn(
    opened: Open, text: str, first: str, last: str, backwards: bool
) -> None:
    transcript = opened()
    late = Late(transcript._formulas)
    transcript.show_path([question(1, "x"), reply(2, text)])
    widget = transcript.turn_widget(2)
    assert widget is not None
    edit = next(iter(widget.findChildren(TablePart) or widget.findChildren(Prose)))
    start = edit.document().find(first).selectionStart()
    end = edit.document().find(last).selectionEnd()
    cursor = edit.textCursor()
    edit.setTextCursor(take_between(cursor, *((end, start) if backwards else (start, end))))
    before = edit.createMimeDataFromSelection().text()
    assert last in before
    late.draw()
    transcript.flush()
    assert edit.toPlainText().count(OBJECT) == 2
    after = edit.createMimeDataFromSelection().text()
    whole = before if first != "x^2" else "$" + before  # a formula is taken whole
    assert after == (whole if last != "x^2" else whole + "$")
    assert (edit.textCursor().anchor() > edit.textCursor().position()) is backwards


def test_marks_of_what_was_found_stay_when_a_formula_is_drawn(opened: Open) -> None:
    transcript = opened()
    late = Late(transcript._formulas)
    transcript.show_path(
        [question(1, "x"), reply(2, "| a |\n|---|\n| $x$ found |\n\nAnd $y$ found.")]
    )
    transcript.show_words(2, "found")
    widget = transcript.turn_widget(2)
    assert widget is not None
    late.draw()
    transcript.flush()
    for edit in [*widget.findChildren(TablePart), *widget.findChildren(Prose)]:
        assert OBJECT in edit.toPlainText()
        assert [mark.cursor.selectedText() for mark in edit.extraSelections()] == ["found"]


def test_sources_are_not_seen_for_a_moment_when_a_chat_is_opened(
    opened: Open, qtbot: QtBot
) -> None:
    transcript = opened()
    late = Late(transcript._formulas)
    transcript.show_path([question(1, "x"), reply(2, "$x^2 + y^2$\n\n$$\nx^2 + y^2\n$$")])
    widget = transcript.turn_widget(2)
    assert widget is not None
    (prose,), (view,) = widget.findChildren(Prose), widget.findChildren(FormulaView)
    transcript._formulas._patience.setInterval(1 << 20)  # started anew: it lasts until the end
    transcript._formulas.wait()
    transcript._formulas.drawn.emit()
    transcript.flush()
    assert prose.toPlainText() == "$x^2 + y^2$", "it keeps its room"
    assert len(colours_of(prose)) == len(colours_of(view)) == 1, "and is not seen"
    transcript._formulas._patience.stop()
    transcript._formulas._on_patience_ended()
    transcript.flush()
    assert min(len(colours_of(prose)), len(colours_of(view))) > 5, "what takes long is shown"
    late.draw()
    transcript.flush()
    assert prose.toPlainText() == OBJECT


def test_cells_that_are_selected_are_all_copied(opened: Open) -> None:
    transcript = opened(question(1, "x"), reply(2, "| a | b |\n|---|---|\n| one | two |"))
    widget = transcript.turn_widget(2)
    assert widget is not None
    (part,) = widget.findChildren(TablePart)
    first, last = part.document().find("a"), part.document().find("two")
    for ends in (
        (first.selectionStart(), last.selectionEnd()),
        (last.selectionEnd(), first.selectionStart()),
    ):
        part.setTextCursor(take_between(part.textCursor(), *ends))
        assert part.createMimeDataFromSelection().text() == "a\tb\none\ttwo"
