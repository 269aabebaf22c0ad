"""The sheet of the advisor: its questions, what was found for each, and all that was looked at."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import (
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QVBoxLayout,
    QWidget,
)

from app.ui.advisor.finding_row import FindingRow
from app.ui.advisor.words import action_text, figure_rows, finding_text, fine_text
from app.ui.buttons import Button
from app.ui.faults import fault_text
from app.ui.look import Look
from app.ui.page_frame import lay_out_dialog
from app.ui.settings.rows import rule
from app.ui.spoken import speak
from app.ui.words import Plain, Words, wrapped
from engine.library.advice.facts import Facts
from engine.library.advice.findings import Finding, Level, Symptom
from engine.library.advice.rules import symptom_of

_OF_FAULTS = frozenset({Symptom.UNFIT, Symptom.FAILED})


class AdvisorDialog(QDialog):
    """Shows that it looks, then what was found.

    Args:
        look: theme and language.
        name: of the model that is asked about; empty for none.
        asked: the question that stands first.
        parent: the window.
    """

    chosen = Signal(object)  # Action
    again_wanted = Signal()

    def __init__(self, look: Look, name: str, asked: Symptom, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._look, self._asked = look, asked
        text = look.language.text
        self.setWindowTitle(text("advisor-of", name=name) if name else text("advisor"))
        self.rows: list[FindingRow] = []
        self.found: tuple[Finding, ...] = ()
        self._inside = QVBoxLayout()
        self.again = Button(look, "advisor-again", "quiet", icon="arrows-clockwise")
        self.again.clicked.connect(self.again_wanted)
        self._lay_out()
        self.show_looking()

    @property
    def is_looking(self) -> bool:
        """Whether nothing was found out yet."""
        return not self.again.isEnabled()

    def show_looking(self) -> None:
        """Say that the computer is looked at."""
        self._clear()
        self.again.setEnabled(False)
        self._inside.addWidget(wrapped(Words(self._look, "advisor-looking", "small2")))

    def show_found(self, facts: Facts, found: Sequence[Finding]) -> None:
        """Show the answers, and the figures that they come from."""
        self._clear()
        self.found = tuple(found)
        self.again.setEnabled(True)
        if facts.running is None and facts.refused is None:
            self._inside.addWidget(wrapped(Words(self._look, "advisor-no-model", "body")))
        else:
            for symptom in self._symptoms(facts, found):
                self._add_answers(symptom, facts, found)
        self._add_figures(facts)
        self._speak(facts)

    def _symptoms(self, facts: Facts, found: Sequence[Finding]) -> list[Symptom]:
        """The questions that can be asked of these facts, the one that was asked first."""
        can_ask = {each.symptom for each in found}
        if facts.running is not None:
            can_ask |= {Symptom.SLOW, Symptom.POOR}
        if facts.refused is not None:
            can_ask.add(symptom_of(facts.refused.fault))
        return sorted(
            (s for s in Symptom if s in can_ask), key=lambda symptom: symptom is not self._asked
        )

    def _add_answers(self, symptom: Symptom, facts: Facts, found: Sequence[Finding]) -> None:
        heading = Words(self._look, f"advisor-{symptom.value}", "small-bold")
        self._inside.addWidget(heading)
        self._inside.addSpacing(4)
        mine = [each for each in found if each.symptom is symptom]
        if symptom in _OF_FAULTS:
            if not mine and facts.refused is not None:  # no rule knows more than the fault says
                fault = fault_text(facts.refused.fault, self._look.language)
                self._add(FindingRow(self._look, fault, "cause"))
        elif not any(each.level is Level.CAUSE for each in mine):
            fine = fine_text(symptom, facts, self._look.language)
            self._add(FindingRow(self._look, fine, "fine" if facts.answered else "unknown"))
        for each in mine:
            row = FindingRow(self._look, finding_text(each, self._look.language), each.level.value)
            for action in each.actions:
                said = action_text(action, self._look.language)
                row.offer(said, partial(self.chosen.emit, action))
            self._add(row)
        self._inside.addSpacing(12)

    def _add(self, row: FindingRow) -> None:
        self.rows.append(row)
        self._inside.addWidget(row)

    def _add_figures(self, facts: Facts) -> None:
        self._inside.addWidget(rule())
        self._inside.addSpacing(12)
        self._inside.addWidget(Words(self._look, "advisor-figures", "small-bold"))
        grid = QGridLayout()
        grid.setHorizontalSpacing(18)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(1, 1)
        for row, (name, value) in enumerate(figure_rows(facts, self._look.language)):
            grid.addWidget(wrapped(Words(self._look, name, "caption2")), row, 0)
            grid.addWidget(wrapped(Plain(value, "caption")), row, 1)
        self._inside.addSpacing(6)
        self._inside.addLayout(grid)
        self._inside.addStretch(1)

    def _speak(self, facts: Facts) -> None:
        """Say the first answer to who cannot see it."""
        if self.rows:
            speak(self, self.rows[0].sentence)

    def _clear(self) -> None:
        self.rows, self.found = [], ()
        _empty(self._inside)

    def _lay_out(self) -> None:
        paper = QWidget()
        paper.setObjectName("paper")
        paper.setLayout(self._inside)
        self._inside.setContentsMargins(24, 8, 24, 16)
        self._inside.setSpacing(4)
        close = Button(self._look, "close", "main")
        close.clicked.connect(self.accept)
        close.setDefault(True)
        foot = QHBoxLayout()
        foot.addWidget(self.again)
        foot.addStretch()
        foot.addWidget(close)
        about = wrapped(Words(self._look, "advisor-about", "caption2"))
        lay_out_dialog(self, about, paper, foot)
        scale = self._look.theme.scale
        self.resize(round(600 * min(scale, 1.1)), round(640 * min(scale, 1.0)))
        close.setFocus()

    @Slot()
    def take_focus(self) -> None:
        """Put the focus on the first remedy, for the keyboard."""
        button = next((each for row in self.rows for each in row.buttons), None)
        if button is not None:
            button.setFocus(Qt.FocusReason.OtherFocusReason)


def _empty(layout: QVBoxLayout | QGridLayout | QHBoxLayout) -> None:
    """Take everything out of a layout, and out of those in it."""
    while (item := layout.takeAt(0)) is not None:
        widget, inner = item.widget(), item.layout()
        if widget is not None:
            widget.hide()
            widget.deleteLater()
        if isinstance(inner, QVBoxLayout | QGridLayout | QHBoxLayout):
            _empty(inner)
