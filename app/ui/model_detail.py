"""What a model is and what it would take here: the panel beside the cards."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QAbstractButton,
    QFrame,
    QHBoxLayout,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.ui.buttons import Button, Tool
from app.ui.context_slider import ContextSlider
from app.ui.look import Look
from app.ui.model_facts import FactRows, fact_values, gpu_words
from app.ui.model_memory import ModelMemory
from app.ui.model_menu import InPanel, ModelMenu, ModelVerb
from app.ui.model_rows import Surroundings
from app.ui.model_words import purpose_words, unsupported_words
from app.ui.settings.rows import rule
from app.ui.words import Plain, Words, breakable, wrapped
from engine.contract import ModelFacts, Support
from engine.library.gpus import Gpu
from engine.library.scan import Found

WIDTH = 336


class ModelDetail(QFrame):
    """The chosen model; its button loads it, its slider sets its context."""

    load_requested = Signal(object)  # Path
    context_chosen = Signal(object, int)  # path, tokens
    settings_wanted = Signal(object)  # ModelFacts
    why_wanted = Signal(object, int)  # ModelFacts, tokens of context

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
        self.memory = ModelMemory(look)
        self.memory.why.clicked.connect(self._on_why_clicked)
        self._twins: tuple[Path, ...] = ()
        self._shown: list[ModelVerb] = []
        self._context = ContextSlider(look)
        self._rows, self._here = FactRows(look), QWidget()
        self._path = wrapped(Plain("", "path"))
        self._load = Button(look, "model-chat", "main", icon="chat-teardrop-text", size="large")
        self._load.clicked.connect(self._on_load_clicked)
        self._pin = Tool(look, "push-pin", "model-pin")
        self._pin.setCheckable(True)
        self._pin.clicked.connect(self._on_pin_clicked)
        self._settings = Tool(look, "sliders-horizontal", "model-settings")
        self._settings.clicked.connect(self._on_settings_clicked)
        self._context.moved.connect(self._say_memory)
        self._context.chosen.connect(self._on_context_chosen)
        self._lay_out()
        menu.offered.connect(self._on_offered)
        look.follow(self._on_look_changed)

    def show_model(
        self,
        facts: ModelFacts,
        *,
        loaded: bool,
        found: Found | None = None,
        twins: tuple[Path, ...] = (),
    ) -> None:
        """Show another model; ``twins`` are where its weights lie again."""
        self._facts, self._loaded, self._found, self._twins = facts, loaded, found, twins
        self._show_context()
        self._on_offered()
        self._on_look_changed()

    def show_surroundings(self, around: Surroundings, gpus: tuple[Gpu, ...] = ()) -> None:
        """Say how much memory is free, which context is set, and how fast models are here."""
        self._around, self._gpus = around, gpus
        self._show_context()
        self._on_look_changed()

    def _show_context(self) -> None:
        """Show the context that the model is loaded with."""
        if self._facts is not None:
            self._context.show_context(self._facts, self._around.context(self._facts))

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
        title = QHBoxLayout()
        title.addWidget(self._name, 1)
        title.addWidget(self._pin, 0, Qt.AlignmentFlag.AlignTop)
        column.addLayout(title)
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
        column.addSpacing(4)
        column.addWidget(self.memory)
        column.addWidget(self._gpu)
        column.addSpacing(14)
        column.addWidget(self._context)
        column.addSpacing(10)
        column.addWidget(self._rows)
        column.addWidget(rule())

    @Slot()
    def _on_look_changed(self) -> None:
        facts, language = self._facts, self._look.language
        if facts is None:
            return
        text = language.text
        self._name.setText(breakable(facts.name))
        self._name.setAccessibleName(facts.name)
        about = [facts.publisher, purpose_words(facts, language)]
        self._publisher.setText(" · ".join(each for each in about if each))
        support = unsupported_words(facts, language)
        first = self._found.twin if self._found is not None else None
        for twin in (*((first,) if first is not None else ()), *self._twins):
            support = f"{support} {text('model-twin', path=str(twin))}".strip()
        self._support.setText(breakable(support))
        self._support.setAccessibleName(support)
        self._support.setVisible(bool(support))
        self._here.setVisible(not facts.server)
        names = self._found.aliases if self._found is not None else ()
        path = "\n".join([str(facts.path), *names])
        self._path.setText(breakable(path))
        self._path.setAccessibleName(path)
        self._load.say("model-chat" if not self._loaded else "model-chat-loaded")
        self._load.setEnabled(facts.support is not Support.UNSUPPORTED)
        self._settings.setVisible(facts.support.runs_here)
        self._rows.show_values(fact_values(facts, self._found, self._around, language))
        self._gpu.setText("\n".join(gpu_words(gpu, language) for gpu in self._gpus))
        self._gpu.setVisible(bool(self._gpus))
        self._say_memory()

    def _say_memory(self) -> None:
        facts = self._facts
        if facts is not None:
            here = self._around.fit_at(facts, self._context.tokens)
            self.memory.show_fit(here, facts.name)

    @Slot(int)
    def _on_context_chosen(self, tokens: int) -> None:
        if self._facts is not None:
            self.context_chosen.emit(self._facts.path, tokens)

    @Slot()
    def _on_why_clicked(self) -> None:
        if self._facts is not None:
            self.why_wanted.emit(self._facts, self._context.tokens)

    @Slot()
    def _on_offered(self) -> None:
        """Show the verbs of the menu that belong into the panel too."""
        facts = self._facts
        offered = self._menu.verbs(facts) if facts is not None else []
        head = next((verb for verb in offered if verb.in_panel is InPanel.HEAD), None)
        self._pin.setVisible(head is not None)
        if head is not None and head.is_checked is not None and facts is not None:
            self._pin.setChecked(head.is_checked(facts))
        places = (InPanel.BUTTON, InPanel.ICON)
        verbs = [verb for place in places for verb in offered if verb.in_panel is place]
        if verbs == self._shown:  # what has the focus keeps it
            return
        self._shown = verbs
        while (item := self._verbs.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        if not any(verb.in_panel is InPanel.BUTTON for verb in verbs):
            self._verbs.addStretch()
        for verb in verbs:
            button = self._button(verb)
            button.clicked.connect(lambda _=False, verb=verb: self._do(verb))
            self._verbs.addWidget(button, 1 if verb.in_panel is InPanel.BUTTON else 0)

    def _button(self, verb: ModelVerb) -> QAbstractButton:
        if verb.in_panel is InPanel.BUTTON:
            return Button(self._look, verb.text_id, icon=verb.icon)
        return Tool(self._look, verb.icon, verb.text_id, side=32)

    @Slot()
    def _on_pin_clicked(self) -> None:
        for verb in self._menu.verbs(self._facts) if self._facts is not None else ():
            if verb.in_panel is InPanel.HEAD:
                self._do(verb)

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


def open_folder_of(facts: ModelFacts) -> None:
    """Show where a model lies in the system's own file window."""
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(facts.path.parent)))
