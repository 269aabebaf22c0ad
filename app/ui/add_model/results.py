"""What a search found, and below a result the files that one can take."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.ui.buttons import Button
from app.ui.look import Look
from app.ui.model_words import Fit, fit
from app.ui.settings.rows import rule
from app.ui.words import Elided, Plain
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
        language = look.language
        size = language.bytes_text(choice.size)
        needed = memory_of_shape(choice.size, *_SHAPE)
        how = fit(needed, free)
        said = language.text(
            _FIT[how], needed=language.gigabytes(needed), free=language.gigabytes(free)
        )
        self.fetch = Button(look, "", "main" if choice.is_recommended else "", size="small")
        self.fetch.setText(language.text("add-download", size=size))
        self.fetch.setAccessibleName(f"{self.fetch.text()}: {choice.label}")
        speed = language.speed(_SPEED_SHARE * bandwidth / choice.size) if bandwidth else ""
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 4, 0, 4)
        row.setSpacing(10)
        row.addWidget(Elided(language.text("add-choice", label=choice.label, size=size)), 1)
        if choice.is_recommended:
            row.addWidget(Plain(language.text("add-recommended"), "badge"))
        if speed:
            row.addWidget(Plain(language.text("add-expected", speed=speed), "caption2"))
        row.addWidget(Plain(said, f"badge-{how.value}"))
        row.addWidget(self.fetch)


class ResultRow(QWidget):
    """A model of a hub."""

    def __init__(self, look: Look, model: HubModel) -> None:
        super().__init__()
        self.model = model
        self.files = Button(look, "add-files", size="small")
        self.files.setAccessibleName(f"{self.files.text()}: {model.repository}")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 6, 0, 6)
        row.setSpacing(10)
        row.addWidget(Elided(model.name, "small-bold"), 3)
        row.addWidget(Elided(model.publisher, "small2"), 2)
        row.addWidget(self.files, 0, Qt.AlignmentFlag.AlignRight)


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

    def show_models(self, models: tuple[HubModel, ...]) -> None:
        """Show what was found."""
        self._clear()
        for model in models:
            row = ResultRow(self._look, model)
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
            self.show_models((repository.model,))
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
