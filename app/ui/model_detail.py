"""What a model is and what it would take here: the panel beside the cards."""

from __future__ import annotations

from PySide6.QtCore import Qt, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.ui.buttons import Button, Tool
from app.ui.form_controls import Slider
from app.ui.look import Look
from app.ui.model_facts import FactRows, fact_values, gpu_words
from app.ui.model_menu import ModelMenu, ModelVerb
from app.ui.model_rows import Surroundings
from app.ui.model_words import purpose_words, thousands, unsupported_words
from app.ui.parts_bar import PartsBar, Swatch
from app.ui.settings.rows import rule
from app.ui.words import Plain, Words, wrapped
from engine.contract import ModelFacts, Support
from engine.library.fit import Place, fit
from engine.library.gpus import Gpu
from engine.library.scan import Found

WIDTH = 336
_PARTS = (
    ("ink", "memory-model"),
    ("accent", "memory-context"),
    ("edge", "memory-workspace"),
    ("stone3", "memory-free"),
)
_SHORTEST = 11  # 2^11 tokens: the slider moves in powers of two


class ModelDetail(QFrame):
    """The chosen model; its button loads it, its slider sets its context."""

    load_requested = Signal(object)  # Path
    context_chosen = Signal(object, int)  # path, tokens
    settings_wanted = Signal(object)  # ModelFacts

    def __init__(self, look: Look, menu: ModelMenu) -> None:
        super().__init__()
        self.setObjectName("model-detail")
        self.setFixedWidth(WIDTH)
        self._look, self._menu = look, menu
        self._verbs = QHBoxLayout()
        self._facts: ModelFacts | None = None
        self._found: Found | None = None
        self._around = Surroundings()
        self._gpus: tuple[Gpu, ...] = ()
        self._loaded = False
        self._name = wrapped(Plain("", "name"))
        self._publisher = wrapped(Plain("", "small2"))
        self._support = wrapped(Plain("", "small2"))
        self._gpu = wrapped(Plain("", "caption2"))
        self._bar = PartsBar(look)
        self._amounts = [_figure() for _ in _PARTS]
        self._context = Slider(look, "setting-context", _SHORTEST, 17, 13)
        self._context_words = Plain("", "small-bold")
        self._rows, self._here = FactRows(look), QWidget()
        self._path = wrapped(Plain("", "path"))
        self._load = Button(look, "model-chat", "main", icon="chat-teardrop-text", size="large")
        self._load.clicked.connect(self._on_load_clicked)
        self._folder = Tool(look, "folder-open", "action-open-folder", side=40)
        self._folder.clicked.connect(self._on_folder_clicked)
        self._settings = Tool(look, "sliders-horizontal", "model-settings")
        self._settings.clicked.connect(self._on_settings_clicked)
        self._context.valueChanged.connect(self._on_context_moved)
        self._context.sliderReleased.connect(self._on_context_released)
        self._lay_out()
        menu.offered.connect(self._on_offered)
        look.follow(self._on_look_changed)

    def show_model(self, facts: ModelFacts, *, loaded: bool, found: Found | None = None) -> None:
        """Show another model."""
        self._facts, self._loaded, self._found = facts, loaded, found
        self._show_context()
        self._on_offered()
        self._on_look_changed()

    def show_surroundings(self, around: Surroundings, gpus: tuple[Gpu, ...] = ()) -> None:
        """Say how much memory is free, which context is set, and how fast models are here."""
        self._around, self._gpus = around, gpus
        self._show_context()
        self._on_look_changed()

    def _show_context(self) -> None:
        """Show the context that the model is loaded with, unless another one is being chosen."""
        facts, slider = self._facts, self._context
        if facts is None or slider.isSliderDown():
            return
        slider.blockSignals(True)
        slider.setMaximum(max(_SHORTEST, (facts.context_length or 8192).bit_length() - 1))
        slider.setValue(self._around.context(facts).bit_length() - 1)
        slider.blockSignals(False)

    def _lay_out(self) -> None:
        scroll = QScrollArea()  # with large text the facts are taller than the page
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(self._column())
        buttons = QHBoxLayout()
        buttons.setContentsMargins(24, 8, 24, 0)
        buttons.setSpacing(8)
        buttons.addWidget(self._load, 1)
        buttons.addWidget(self._folder)
        self._verbs.setContentsMargins(24, 8, 24, 0)
        self._verbs.setSpacing(8)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 20)
        whole.setSpacing(0)
        whole.addWidget(scroll, 1)
        whole.addLayout(buttons)
        whole.addLayout(self._verbs)

    def _column(self) -> QWidget:
        inside = QWidget()
        inside.setObjectName("paper")
        column = QVBoxLayout(inside)
        column.setContentsMargins(24, 20, 24, 8)
        column.setSpacing(0)
        column.addWidget(self._name)
        column.addWidget(self._publisher)
        column.addWidget(self._support)
        column.addWidget(self._here)
        column.addSpacing(8)
        column.addWidget(self._path)
        column.addStretch(1)
        self._fill_here()
        return inside

    def _fill_here(self) -> None:
        """Lay out what is told of a model that this program itself runs."""
        column = QVBoxLayout(self._here)
        column.setContentsMargins(0, 16, 0, 0)
        column.setSpacing(0)
        here = QHBoxLayout()
        here.addWidget(Words(self._look, "model-here", "small-bold"), 1)
        here.addWidget(self._settings)
        column.addLayout(here)
        column.addSpacing(8)
        column.addWidget(self._bar)
        column.addSpacing(8)
        column.addLayout(self._legend())
        column.addWidget(self._gpu)
        column.addSpacing(14)
        head = QHBoxLayout()
        head.addWidget(Words(self._look, "setting-context", "small"), 1)
        head.addWidget(self._context_words)
        column.addLayout(head)
        column.addWidget(self._context)
        column.addSpacing(10)
        column.addWidget(self._rows)
        column.addWidget(rule())

    def _legend(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(3)
        grid.setColumnStretch(1, 1)
        for row, (token, text_id) in enumerate(_PARTS):
            grid.addWidget(Swatch(self._look, token), row, 0)
            grid.addWidget(Words(self._look, text_id, "caption2"), row, 1)
            grid.addWidget(self._amounts[row], row, 2)
        return grid

    @Slot()
    def _on_look_changed(self) -> None:
        facts, language = self._facts, self._look.language
        if facts is None:
            return
        text = language.text
        self._name.setText(facts.name)
        about = [facts.publisher, purpose_words(facts, language)]
        self._publisher.setText(" · ".join(each for each in about if each))
        support = unsupported_words(facts, language)
        if self._found is not None and self._found.twin is not None:
            twin = text("model-twin", path=str(self._found.twin))
            support = f"{support} {twin}".strip()
        self._support.setText(support)
        self._support.setVisible(bool(support))
        self._here.setVisible(not facts.server)
        names = self._found.aliases if self._found is not None else ()
        self._path.setText("\n".join([str(facts.path), *names]))
        self._load.say("model-chat" if not self._loaded else "model-chat-loaded")
        self._load.setEnabled(facts.support is not Support.UNSUPPORTED)
        self._settings.setVisible(facts.support.runs_here)
        self._rows.show_values(fact_values(facts, self._found, self._around, language))
        self._gpu.setText("\n".join(gpu_words(gpu, language) for gpu in self._gpus))
        self._gpu.setVisible(bool(self._gpus))
        self._say_memory()

    def _say_memory(self) -> None:
        facts, language = self._facts, self._look.language
        if facts is None:
            return
        context = self._slider_context(facts)
        here = fit(facts, context, self._around.room, self._around.cache_bits(facts))
        need, known = here.need, here.place is not Place.UNKNOWN
        left = max(0, here.free - need.total)
        amounts = (need.weights, need.cache, need.workspace, left) if known else (0, 0, 0, 0)
        for label, amount in zip(self._amounts, amounts, strict=True):
            label.setText(language.bytes_text(amount) if known else "–")
        colors = (token for token, _ in _PARTS)
        self._bar.show_parts(tuple(zip(colors, amounts, strict=True)))
        self._bar.setVisible(known)
        self._context_words.setText(language.text("tokens", count=context))
        self._context.setAccessibleDescription(thousands(context))

    def _slider_context(self, facts: ModelFacts) -> int:
        return min(1 << self._context.value(), facts.context_length or 1 << 17)

    @Slot(int)
    def _on_context_moved(self, value: int) -> None:
        self._say_memory()
        if not self._context.isSliderDown():
            self._on_context_released()

    @Slot()
    def _on_context_released(self) -> None:
        if self._facts is not None:
            self.context_chosen.emit(self._facts.path, self._slider_context(self._facts))

    @Slot()
    def _on_offered(self) -> None:
        """Show the verbs of the menu that belong into the panel too."""
        while (item := self._verbs.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        facts = self._facts
        for verb in self._menu.verbs(facts) if facts is not None else ():
            if verb.in_panel:
                button = Button(self._look, verb.text_id, icon=verb.icon)
                button.clicked.connect(lambda _=False, verb=verb: self._do(verb))
                self._verbs.addWidget(button)

    def _do(self, verb: ModelVerb) -> None:
        if self._facts is not None:
            verb.act(self._facts)

    @Slot()
    def _on_load_clicked(self) -> None:
        if self._facts is not None:
            self.load_requested.emit(self._facts.path)

    @Slot()
    def _on_settings_clicked(self) -> None:
        if self._facts is not None:
            self.settings_wanted.emit(self._facts)

    @Slot()
    def _on_folder_clicked(self) -> None:
        if self._facts is not None:
            open_folder_of(self._facts)


def open_folder_of(facts: ModelFacts) -> None:
    """Show where a model lies in the system's own file window."""
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(facts.path.parent)))


def _figure() -> Plain:
    label = Plain("", "caption2")
    label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    return label
