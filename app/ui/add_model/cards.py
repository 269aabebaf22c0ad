"""Three models that suit this computer, each with what to expect of it."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.language import Language
from app.ui.buttons import Button
from app.ui.look import Look
from app.ui.model_rows import Surroundings
from app.ui.model_words import fit_kind, fit_words
from app.ui.settings.rows import rule
from app.ui.status_items import StatusIcon
from app.ui.why_dialog import WhyButton
from app.ui.words import Elided, Plain, Words, wrapped
from engine.library.fit import Place
from engine.library.hubs.catalog import READING, CatalogModel, Suggestion, pace_of

_REPLY = 270  # tokens: about 200 English words, or 400 Chinese characters
_SMALL, _LARGE = 2_500_000_000, 6_000_000_000  # parameters


class Claim(QWidget):
    """A line of what to expect: a tick before what is good, a dash before the rest."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._icon, self._words = StatusIcon(look, "check"), Plain("", "small")
        wrapped(self._words)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(10)
        place = QVBoxLayout()
        place.setContentsMargins(0, 3, 0, 0)  # in the middle of the first line
        place.addWidget(self._icon)
        place.addStretch()
        row.addLayout(place)
        row.addWidget(self._words, 1)

    def say(self, text: str, *, good: bool) -> None:
        """Say it; nothing takes no room."""
        self._icon.show_icon(*(("check", "accent") if good else ("minus", "ink3")))
        self._words.setText(text)
        self._words.set_kind("small" if good else "small2")
        self.setVisible(bool(text))


class SuggestionCard(QFrame):
    """One of the three."""

    wanted = Signal(object)  # CatalogModel
    why_wanted = Signal(object)  # Reckoning

    def __init__(self, look: Look, which: str, *, first: bool) -> None:
        super().__init__()
        self._look, self._which = look, which
        self._model: CatalogModel | None = None
        self._around = Surroundings()
        self.setObjectName("choice")
        self.setProperty("suggested", first)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._badge = Plain("", "badge-fits")
        self._name, self._facts = Elided("", "name"), Elided("", "caption2")
        self.why = WhyButton(look)
        self.why.clicked.connect(self._on_why_clicked)
        self._speed, self._unit = Plain("", "figure-large"), Plain("", "small2")
        self._words = Plain("", "caption2")
        self._good, self._pace, self._but = (Claim(look) for _ in range(3))
        self.fetch = Button(look, "", "main" if first else "", icon="download-simple")
        self.fetch.clicked.connect(self._on_clicked)
        head = QHBoxLayout()
        head.addWidget(Words(look, f"add-{which}", "suggested" if first else "small2"), 1)
        head.addWidget(self._badge)
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 16, 18, 16)
        column.setSpacing(6)
        column.addLayout(head)
        column.addWidget(self._name)
        facts = QHBoxLayout()
        facts.addWidget(self._facts, 1)
        facts.addWidget(self.why)
        column.addLayout(facts)
        column.addLayout(self._speeds())
        column.addWidget(rule())
        column.addSpacing(2)
        for claim in (self._good, self._pace, self._but):
            column.addWidget(claim)
        column.addStretch(1)
        column.addSpacing(6)
        column.addWidget(self.fetch)
        look.follow(self._on_look_changed)

    def sizeHint(self) -> QSize:
        """As tall as the words are at this width: a card does not grow beyond what it asks for."""
        hint = super().sizeHint()
        return QSize(hint.width(), max(hint.height(), self.heightForWidth(self.width())))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Ask for another height where the width is another."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()

    def show_model(self, model: CatalogModel, around: Surroundings) -> None:
        """Show a model and how it would run here."""
        self._model, self._around = model, around
        self._on_look_changed()

    def _speeds(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(6)
        row.addWidget(self._speed)
        row.addWidget(self._unit, 0, Qt.AlignmentFlag.AlignBottom)
        row.addStretch()
        row.addWidget(self._words)
        return row

    @Slot()
    def _on_clicked(self) -> None:
        self.wanted.emit(self._model)

    @Slot()
    def _on_why_clicked(self) -> None:
        model, around = self._model, self._around
        if model is None:
            return
        how, speed = model.fit(around.room), model.speed(around.bandwidth)
        which = self._which
        if how.place is Place.NOWHERE and which != "thorough":
            which = "smallest"
        elif which == "middle" and around.bandwidth and speed < READING:
            which = "slow"
        remark = self._look.language.text(f"why-{which}", reading=f"{READING:.0f}")
        told = around.reckon_shape(model.name, how, model.read, speed, remark)
        self.why_wanted.emit(told)

    @Slot()
    def _on_look_changed(self) -> None:
        model, language = self._model, self._look.language
        if model is None:
            return
        how = model.fit(self._around.room)
        fits, kind = fit_words(how, language), fit_kind(how)
        if self._lacks_disk(model):
            fits, kind = language.text("add-no-disk"), "badge-big"
        self._badge.setText(fits)
        self._badge.set_kind(kind)
        self._name.setText(model.name)
        self.why.show_name(model.name)
        size = language.bytes_text(model.size)
        facts = language.text("model-facts", bits=model.bits, size=size)
        self._facts.setText(f"{model.publisher} · {facts}")
        speed = model.speed(self._around.bandwidth)
        self._speed.setText(language.speed(speed) if speed else "–")
        self._unit.setText(language.text("speed-expected" if speed else "add-speed-awaited"))
        self._good.say(language.text(f"add-good-{_class(model)}"), good=True)
        pace = language.text(f"add-pace-{pace_of(speed)}") if speed else ""
        self._pace.say(pace, good=pace_of(speed) != "slower")
        self._but.say(self._drawback(model, language), good=False)
        self._words.setText(_words_in(speed, language))
        self._words.setVisible(bool(self._words.text()))
        said = language.text("add-download", size=size)
        self.fetch.setText(f" {said}")
        self.fetch.setAccessibleName(f"{said}: {model.name}")

    def _lacks_disk(self, model: CatalogModel) -> bool:
        return 0 < self._around.space < model.size

    def _drawback(self, model: CatalogModel, language: Language) -> str:
        """What speaks against it, first of all that the disk has no room for it."""
        if self._lacks_disk(model):
            free = language.bytes_text(self._around.space)
            return language.text("add-no-room", free=free)
        return language.text(f"add-but-{_class(model)}")


class SuggestionCards(QWidget):
    """The three of them."""

    wanted = Signal(object)  # CatalogModel
    why_wanted = Signal(object)  # Reckoning

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.cards = (
            SuggestionCard(look, "quick", first=False),
            SuggestionCard(look, "middle", first=True),
            SuggestionCard(look, "thorough", first=False),
        )
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(12)
        for card in self.cards:
            card.wanted.connect(self.wanted)
            card.why_wanted.connect(self.why_wanted)
        self.place(3)

    def place(self, columns: int) -> None:
        """Stand in so many columns."""
        for number, card in enumerate(self.cards):
            self._grid.addWidget(card, number // columns, number % columns)

    def show_suggestion(self, found: Suggestion, around: Surroundings) -> None:
        """Show three models."""
        models = (found.quick, found.middle, found.thorough)
        for card, model in zip(self.cards, models, strict=True):
            card.show_model(model, around)


def _words_in(speed: float, language: Language) -> str:
    """Return how long a reply of a page's third would take."""
    if not speed:
        return ""
    return language.text("add-words-in", time=language.seconds(_REPLY / speed, whole=True))


def _class(model: CatalogModel) -> str:
    if model.parameters < _SMALL:
        return "small"
    return "large" if model.parameters > _LARGE else "medium"
