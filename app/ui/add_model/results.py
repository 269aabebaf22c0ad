"""What a search found, and below a result the files that one can take."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.ui.add_model.columns import FIGURES, Columns
from app.ui.buttons import Button
from app.ui.look import Look
from app.ui.model_rows import Surroundings
from app.ui.model_words import fit_kind, fit_words, parameters
from app.ui.settings.rows import rule
from app.ui.why_dialog import WhyButton
from app.ui.words import Elided, Plain, Words
from engine.library.fit import REACHED, Fit, Place, fit_of_shape
from engine.library.hubs.choices import FileChoice
from engine.library.hubs.hub import USUAL_LABEL, HubModel, Repository
from engine.library.memory import memory_of_shape

_COLUMNS_FROM = 760  # px of the list
_NONE = "–"
_HEAD = 2  # widgets that the list begins with
_USUAL = 4096  # tokens of context
_SHAPE = 100_000, _USUAL, 100_000  # bytes a token, context and vocabulary of a usual model
_MOST = 1 << 17  # tokens that a usual model can look back at


class ChoiceRow(QWidget):
    """One way to have a model: its label, its size, how it fits, and its button."""

    why_wanted = Signal(object)  # Reckoning

    def __init__(self, look: Look, choice: FileChoice, name: str, around: Surroundings) -> None:
        super().__init__()
        self._look, self._choice, self._name, self._around = look, choice, name, around
        self._how = _fit_of(choice.size, choice.label, around)
        self._speed = _expected(self._how, around.bandwidth)
        self.fetch = Button(look, "", "main" if choice.is_recommended else "", size="small")
        self._what, self._pace = Elided(""), Plain("", "caption2")
        self._wide = True
        self._fit, self.why = Plain("", fit_kind(self._how)), WhyButton(look)
        self.why.clicked.connect(self._on_why_clicked)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 4, 0, 4)
        row.setSpacing(10)
        row.addWidget(self._what, 1)
        if choice.is_recommended:
            row.addWidget(Words(look, "add-recommended", "badge"))
        row.addWidget(self._pace)
        row.addWidget(self._fit)
        row.addWidget(self.why)
        row.addWidget(self.fetch)
        look.follow(self._on_look_changed)

    def place(self, *, wide: bool) -> None:
        """Leave the expected speed out where it is narrow."""
        self._wide = wide
        self._pace.setVisible(wide and self._speed > 0)

    @Slot()
    def _on_look_changed(self) -> None:
        choice, language = self._choice, self._look.language
        size = language.bytes_text(choice.size)
        self._what.setText(language.text("add-choice", label=choice.label, size=size))
        self.fetch.setText(language.text("add-download", size=size))
        self.fetch.setAccessibleName(f"{self.fetch.text()}: {choice.label}")
        speed = language.speed(self._speed)
        self._pace.setText(language.text("add-expected", speed=speed))
        self.place(wide=self._wide)
        self._fit.setText(fit_words(self._how, language))
        self.why.show_name(f"{self._name} {choice.label}")

    @Slot()
    def _on_why_clicked(self) -> None:
        name, read = f"{self._name} {self._choice.label}", self._how.need.weights
        remark = self._look.language.text("why-guess-cache")
        told = self._around.reckon_shape(name, self._how, read, self._speed, remark)
        self.why_wanted.emit(told)


class ResultRow(QWidget):
    """A model of a hub: its name, whose it is, how large, how often taken, whether it fits.

    Where there is room all of it stands in columns, else in a line below the name.
    """

    why_wanted = Signal(object)  # Reckoning

    def __init__(self, look: Look, model: HubModel, around: Surroundings) -> None:
        super().__init__()
        self._look, self.model, self._around = look, model, around
        self._how = _fit_of(model.usual_size, USUAL_LABEL, around)
        fits = self._how.place is not Place.NOWHERE
        self._speed = _expected(self._how, around.bandwidth) if fits else 0.0
        self.files = Button(look, "add-files", size="small")
        self._facts, self._gated = Elided("", "caption2"), Elided("", "caption2")
        self._maker = Elided(model.publisher, "small2")
        self._cells = [Plain("", "small") for _ in FIGURES]
        self._fit, self.why = Plain("", fit_kind(self._how)), WhyButton(look)
        self.why.clicked.connect(self._on_why_clicked)
        lines = QVBoxLayout()
        lines.setSpacing(0)
        lines.addWidget(Elided(model.name, "small-bold"))
        lines.addWidget(self._facts)
        lines.addWidget(self._gated)
        here, badge = QWidget(), QHBoxLayout()
        badge.setContentsMargins(0, 0, 0, 0)
        badge.addWidget(self._fit, 0, Qt.AlignmentFlag.AlignVCenter)
        badge.addWidget(self.why, 0, Qt.AlignmentFlag.AlignVCenter)
        badge.addStretch(1)
        here.setLayout(badge)
        self._columns = Columns(self, lines, self._maker, self._cells, here, self.files)
        for each in (self._fit, self.why):
            each.setVisible(bool(model.parameters))
        look.follow(self._on_look_changed)
        self.place(wide=False)

    @property
    def facts(self) -> str:
        """What stands below the name where it is narrow."""
        return self._facts.text()

    @property
    def figures(self) -> list[str]:
        """What stands in the columns of figures where it is wide."""
        return [cell.text() for cell in self._cells]

    def place(self, *, wide: bool) -> None:
        """Stand in columns, or in two lines."""
        self._facts.setVisible(not wide)
        self._gated.setVisible(wide and self.model.is_gated)
        self._columns.place(self._look, wide=wide)

    @Slot()
    def _on_why_clicked(self) -> None:
        model, remark = self.model, self._look.language.text("why-guess")
        read = self._how.need.weights
        told = self._around.reckon_shape(model.name, self._how, read, self._speed, remark)
        self.why_wanted.emit(told)

    @Slot()
    def _on_look_changed(self) -> None:
        model, language = self.model, self._look.language
        said = [model.publisher]
        said += [parameters(model.parameters, language)] if model.parameters else []
        counts = (("add-downloads", model.downloads), ("add-liked", model.likes))
        said += [language.text(id, count=count) for id, count in counts if count]
        self._gated.setText(language.text("add-gated"))
        said += [self._gated.text()] if model.is_gated else []
        self._facts.setText(" · ".join(said))
        size = language.bytes_text(model.usual_size) if model.usual_size else _NONE
        pace = language.text("smaller-rate", speed=language.speed(self._speed))
        figures = (size, pace if self._speed else _NONE, language.number(model.downloads))
        for cell, figure in zip(self._cells, figures, strict=True):
            cell.setText(figure)
        self._fit.setText(fit_words(self._how, language))
        self.why.show_name(model.name)
        self.files.setAccessibleName(f"{self.files.text()}: {model.repository}")
        self._columns.resize(self._look)


class Head(QWidget):
    """The names of the columns."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        name = QVBoxLayout()
        name.addWidget(Words(look, "add-column-model", "caption2"))
        maker = Words(look, "add-column-maker", "caption2")
        maker.setMinimumWidth(48)
        cells = [Words(look, f"add-column-{each}", "caption2") for each in FIGURES]
        here = Words(look, "add-column-here", "caption2")
        self._columns = Columns(self, name, maker, cells, here, QWidget())
        self._columns.place(look, wide=True)
        look.follow(self._on_look_changed)

    @Slot()
    def _on_look_changed(self) -> None:
        self._columns.resize(self._look)


class Results(QWidget):
    """The list below the search field."""

    files_wanted = Signal(object)  # HubModel
    wanted = Signal(object, object)  # Repository, FileChoice
    why_wanted = Signal(object)  # Reckoning

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self.rows: list[ResultRow] = []
        self.choices: list[ChoiceRow] = []
        self.head, self._line = Head(look), rule()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._column.addWidget(self.head)
        self._column.addWidget(self._line)
        look.follow(self._place)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Stand in columns where there is room."""
        super().resizeEvent(event)
        self._place()

    @Slot()
    def _place(self) -> None:
        """Stand in columns, or in two lines, as the width and the text size have it."""
        wide = self.width() >= self._look.theme.px(_COLUMNS_FROM)
        for each in (self.head, self._line):
            each.setVisible(wide and bool(self.rows))
        for row in self.rows:
            row.place(wide=wide)
        for choice in self.choices:
            choice.place(wide=wide)

    def show_models(self, models: tuple[HubModel, ...], around: Surroundings) -> None:
        """Show what was found, whether its 4-bit files would fit, and how fast they would be.

        Args:
            models: in the order of the hub.
            around: what of this computer's memory is free, and how fast it is.
        """
        self._clear()
        for model in models:
            row = ResultRow(self._look, model, around)
            row.why_wanted.connect(self.why_wanted)
            row.files.clicked.connect(lambda _=False, m=model: self.files_wanted.emit(m))
            self.rows.append(row)
            self._column.addWidget(row)
            self._column.addWidget(rule())
        self._place()

    def show_files(
        self, repository: Repository, choices: tuple[FileChoice, ...], around: Surroundings
    ) -> None:
        """Show the files of one model below its row, or alone where it has none."""
        self._drop_choices()
        named = repository.model.repository
        row = next((r for r in self.rows if r.model.repository == named), None)
        if row is None:
            self.show_models((repository.model,), around)
            row = self.rows[0]
        place = self._column.indexOf(row) + 1
        for choice in choices:
            line = ChoiceRow(self._look, choice, repository.model.name, around)
            line.why_wanted.connect(self.why_wanted)
            line.fetch.clicked.connect(lambda _=False, c=choice: self.wanted.emit(repository, c))
            self.choices.append(line)
            self._column.insertWidget(place, line)
            place += 1
        self._place()

    def fade(self) -> None:
        """Let what was found for other words stand as such while new ones are asked for."""
        self.setEnabled(False)

    def clear(self) -> None:
        """Show nothing."""
        self._clear()
        self._place()

    def _clear(self) -> None:
        self.setEnabled(True)
        self._drop_choices()
        self.rows = []
        while (item := self._column.takeAt(_HEAD)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()

    def _drop_choices(self) -> None:
        for line in self.choices:
            self._column.removeWidget(line)
            line.hide()
            line.deleteLater()
        self.choices = []


def _expected(how: Fit, bandwidth: float) -> float:
    """Tokens a second of a model that fits so; 0 where its size or the bandwidth is not known."""
    return REACHED * bandwidth / how.need.weights if how.need.weights else 0.0


def _fit_of(size: int, label: str, around: Surroundings) -> Fit:
    """How files of this size and form fit here, as a usual model."""
    return fit_of_shape(memory_of_shape(size, label, *_SHAPE), _USUAL, _MOST, around.room)
