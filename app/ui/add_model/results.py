"""What a search found, and below a result the files that one can take."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.language import Language
from app.ui.buttons import Button
from app.ui.look import Look
from app.ui.model_words import Fit, fit, parameters
from app.ui.settings.rows import rule
from app.ui.words import Elided, Plain, Words
from engine.library.hubs.choices import FileChoice
from engine.library.hubs.hub import HubModel, Repository
from engine.library.memory import memory_of_shape

_FIT = {Fit.FITS: "fits", Fit.TIGHT: "fits-tight", Fit.TOO_BIG: "fits-not"}
_SPEED_SHARE = 0.85
_SHAPE = 100_000, 4096, 100_000  # bytes a token, context and vocabulary of a usual model


class ChoiceRow(QWidget):
    """One way to have a model: its label, its size, how it fits, and its button."""

    def __init__(self, look: Look, choice: FileChoice, free: int, bandwidth: float) -> None:
        super().__init__()
        self._look, self._choice = look, choice
        self._needed, self._free = memory_of_shape(choice.size, *_SHAPE), free
        self._speed = _SPEED_SHARE * bandwidth / choice.size if choice.size else 0.0
        self.fetch = Button(look, "", "main" if choice.is_recommended else "", size="small")
        self._what, self._pace = Elided(""), Plain("", "caption2")
        self._fit = Plain("", f"badge-{fit(self._needed, free).value}")
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 4, 0, 4)
        row.setSpacing(10)
        row.addWidget(self._what, 1)
        if choice.is_recommended:
            row.addWidget(Words(look, "add-recommended", "badge"))
        row.addWidget(self._pace)
        row.addWidget(self._fit)
        row.addWidget(self.fetch)
        look.follow(self._on_look_changed)

    @Slot()
    def _on_look_changed(self) -> None:
        choice, language = self._choice, self._look.language
        size = language.bytes_text(choice.size)
        self._what.setText(language.text("add-choice", label=choice.label, size=size))
        self.fetch.setText(language.text("add-download", size=size))
        self.fetch.setAccessibleName(f"{self.fetch.text()}: {choice.label}")
        speed = language.speed(self._speed)
        self._pace.setText(language.text("add-expected", speed=speed))
        self._pace.setVisible(self._speed > 0)
        self._fit.setText(_fit_words(self._needed, self._free, language))


class ResultRow(QWidget):
    """A model of a hub: its name, whose it is, how large, how often taken, whether it fits."""

    def __init__(self, look: Look, model: HubModel, free: int) -> None:
        super().__init__()
        self._look, self.model, self._free = look, model, free
        self._needed = memory_of_shape(model.usual_size, *_SHAPE) if model.parameters else 0
        self.files = Button(look, "add-files", size="small")
        self._facts = Elided("", "caption2")
        self._fit = Plain("", f"badge-{fit(self._needed, free).value}")
        self._fit.setVisible(bool(self._needed))
        lines = QVBoxLayout()
        lines.setSpacing(0)
        lines.addWidget(Elided(model.name, "small-bold"))
        lines.addWidget(self._facts)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 6, 0, 6)
        row.setSpacing(10)
        row.addLayout(lines, 1)
        row.addWidget(self._fit, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.files)
        look.follow(self._on_look_changed)

    @property
    def facts(self) -> str:
        """What stands below the name."""
        return self._facts.text()

    @Slot()
    def _on_look_changed(self) -> None:
        model, language = self.model, self._look.language
        said = [model.publisher]
        said += [parameters(model.parameters, language)] if model.parameters else []
        counts = (("add-downloads", model.downloads), ("add-liked", model.likes))
        said += [language.text(id, count=count) for id, count in counts if count]
        said += [language.text("add-gated")] if model.is_gated else []
        self._facts.setText(" · ".join(said))
        self._fit.setText(_fit_words(self._needed, self._free, language))
        self.files.setAccessibleName(f"{self.files.text()}: {model.repository}")


class Results(QWidget):
    """The list below the search field."""

    files_wanted = Signal(object)  # HubModel
    wanted = Signal(object, object)  # Repository, FileChoice

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self.rows: list[ResultRow] = []
        self.choices: list[ChoiceRow] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)

    def show_models(self, models: tuple[HubModel, ...], free: int) -> None:
        """Show what was found, and whether its 4-bit files would fit so many free bytes."""
        self._clear()
        for model in models:
            row = ResultRow(self._look, model, free)
            row.files.clicked.connect(lambda _=False, m=model: self.files_wanted.emit(m))
            self.rows.append(row)
            self._column.addWidget(row)
            self._column.addWidget(rule())

    def show_files(
        self, repository: Repository, choices: tuple[FileChoice, ...], free: int, bandwidth: float
    ) -> None:
        """Show the files of one model below its row, or alone where it has none."""
        self._drop_choices()
        named = repository.model.repository
        row = next((r for r in self.rows if r.model.repository == named), None)
        if row is None:
            self.show_models((repository.model,), free)
            row = self.rows[0]
        place = self._column.indexOf(row) + 1
        for choice in choices:
            line = ChoiceRow(self._look, choice, free, bandwidth)
            line.fetch.clicked.connect(lambda _=False, c=choice: self.wanted.emit(repository, c))
            self.choices.append(line)
            self._column.insertWidget(place, line)
            place += 1

    def _clear(self) -> None:
        self._drop_choices()
        self.rows = []
        while (item := self._column.takeAt(0)) is not None:
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


def _fit_words(needed: int, free: int, language: Language) -> str:
    said = language.gigabytes(needed), language.gigabytes(free)
    return language.text(_FIT[fit(needed, free)], needed=said[0], free=said[1])
