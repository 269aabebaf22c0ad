"""The model picker: which model answers, how far it is loaded, and the menu to take another."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QPoint, QSize, Signal, Slot
from PySide6.QtGui import QAction, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QPushButton, QSizePolicy

from app.chat.model_session import ModelPhase, ModelState
from app.ui.look import Look
from app.ui.model_words import facts_line, progress_share, progress_words
from app.ui.status_items import StatusIcon
from app.ui.words import Elided, Plain
from engine.contract import ModelFacts, Progress


class ModelPicker(QPushButton):
    """A button that shows the model's name and facts, or what loading is doing."""

    model_chosen = Signal(object)  # Path
    file_requested = Signal()
    folder_requested = Signal()
    remote_requested = Signal()
    models_requested = Signal()
    unload_requested = Signal()
    cancel_requested = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.setProperty("kind", "picker")
        self._look = look
        self._state = ModelState()
        self._progress: Progress | None = None
        self._models: tuple[ModelFacts, ...] = ()
        self._name = Elided("", "small-bold")
        self._name.setMaximumWidth(240)
        self._facts = Plain("", "small2")
        row = QHBoxLayout(self)
        row.setContentsMargins(11, 0, 10, 0)
        row.setSpacing(9)
        row.addWidget(StatusIcon(look, "stack", "ink2", 16))
        row.addWidget(self._name)
        row.addWidget(self._facts)
        row.addWidget(StatusIcon(look, "caret-down", "ink2", 14))
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._menu = QMenu(self)
        self.clicked.connect(self.open_menu)
        look.follow(self._on_look_changed)

    def show_state(self, state: ModelState) -> None:
        """Show another phase of the model."""
        self._state = state
        self._progress = None
        self._on_look_changed()

    def show_progress(self, progress: Progress) -> None:
        """Show how far loading is."""
        self._progress = progress
        self._on_look_changed()

    def show_models(self, models: tuple[ModelFacts, ...]) -> None:
        """Offer these models in the menu; a name that becomes known is shown."""
        self._models = models
        self._on_look_changed()

    def name(self) -> str:
        """Return the name that it shows."""
        return self._name.text()

    @Slot()
    def open_menu(self) -> None:
        """Open the menu below, its right edge at the button's: it is wider than the button."""
        self._on_menu_opens()
        corner = self.mapToGlobal(self.rect().bottomRight())
        width = self._menu.sizeHint().width()
        self._menu.popup(corner - QPoint(width - 1, -5))

    def set_narrow(self, narrow: bool) -> None:
        """Leave the facts out where there is no room."""
        self._facts.setVisible(not narrow)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        """Return the size of what is inside: the button's own text is empty."""
        layout = self.layout()
        return layout.sizeHint() if layout is not None else super().sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the button, and at its foot how far loading is."""
        super().paintEvent(event)
        if self._progress is not None and self._state.phase is ModelPhase.LOADING:
            painter = QPainter(self)
            room = self.width() - 20
            filled = round(room * progress_share(self._progress))
            painter.fillRect(10, self.height() - 4, room, 2, self._look.theme.color("stone3"))
            painter.fillRect(10, self.height() - 4, filled, 2, self._look.theme.color("accent"))

    @Slot()
    def _on_look_changed(self) -> None:
        language = self._look.language
        name, facts = self._words()
        self.setFixedHeight(self._look.theme.high(32))
        self._name.setText(name)
        self._facts.setText(facts)
        spoken = "model-picker" if facts else "model-picker-none"
        self.setAccessibleName(language.text(spoken, name=name, facts=facts))
        self.updateGeometry()
        self.update()

    def _words(self) -> tuple[str, str]:
        text = self._look.language.text
        state = self._state
        match state.phase:
            case ModelPhase.NONE | ModelPhase.UNLOADING:
                return text("model-choose"), ""
            case ModelPhase.RESTING:
                known = state.rested.model.name if state.rested is not None else ""
                return self._name_of(state.path, known), text("model-rests")
            case ModelPhase.LOADING:
                doing = text("stage-waiting")
                if self._progress is not None:
                    doing = progress_words(self._progress, self._look.language)
                return self._name_of(state.path), doing
            case ModelPhase.FAILED:
                return self._name_of(state.path), text("model-not-loaded")
            case ModelPhase.READY if state.loaded is not None:
                name = self._name_of(state.path, state.loaded.model.name)
                return name, facts_line(state.loaded.model, self._look.language)
            case ModelPhase.READY:
                return self._name_of(state.path), ""

    def _name_of(self, path: Path | None, file_name: str = "") -> str:
        """Return what a model's card calls it, else its file."""
        for facts in self._models:
            if facts.path == path:
                return facts.name
        return file_name or (path.stem if path is not None else "")

    @Slot()
    def _on_menu_opens(self) -> None:
        """Fill the menu: the models, then the ways to others."""
        text, menu = self._look.language.text, self._menu
        menu.clear()
        for facts in self._models:
            line = facts_line(facts, self._look.language)
            action = self._add(f"{facts.name.replace('&', '&&')}\t{line}", "")
            action.setCheckable(True)
            known = self._state.known
            action.setChecked(known is not None and known.model.path == facts.path)
            action.triggered.connect(lambda _=False, path=facts.path: self.model_chosen.emit(path))
        if self._models:
            menu.addSeparator()
        self._add(text("model-file"), "file").triggered.connect(self.file_requested)
        self._add(text("model-folder"), "folder-simple").triggered.connect(self.folder_requested)
        self._add(text("remote-add"), "globe").triggered.connect(self.remote_requested)
        self._add(text("model-all"), "stack").triggered.connect(self.models_requested)
        if self._state.phase is ModelPhase.READY:
            menu.addSeparator()
            self._add(text("model-unload"), "eject").triggered.connect(self.unload_requested)
        elif self._state.phase is ModelPhase.LOADING:
            menu.addSeparator()
            self._add(text("model-stop-loading"), "x").triggered.connect(self.cancel_requested)

    def _add(self, text: str, icon: str) -> QAction:
        action = self._menu.addAction(text)
        if icon:
            action.setIcon(self._look.theme.icon(icon))
        return action
