"""The way to begin with files that are there, in our own folders or in other programs'."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot

from app.ui.buttons import Button
from app.ui.look import Look
from app.ui.model_shelf import ModelShelf
from app.ui.welcome_choices import Choice
from engine.contract import Support
from engine.library.sources import OTHERS, SourceKind


class FilesChoice(Choice):
    """Files that are there: how many were found, and the ways to point at others."""

    models_requested = Signal()
    file_requested = Signal()
    folder_requested = Signal()

    def __init__(self, look: Look, shelf: ModelShelf) -> None:
        super().__init__(look, "folder-open", "welcome-files", first=False)
        self._shelf = shelf
        self.show_models = Button(look, "welcome-show-models")
        self.show_models.clicked.connect(self.models_requested)
        self.file = Button(look, "model-file")
        self.file.clicked.connect(self.file_requested)
        self.folder = Button(look, "model-folder", "quiet")
        self.folder.clicked.connect(self.folder_requested)
        self.row.show_widgets([self.show_models, self.file, self.folder])
        shelf.changed.connect(self._on_look_changed)
        look.follow(self._on_look_changed)

    @Slot()
    def _on_look_changed(self) -> None:
        text, count = self._look.language.text, len(self._usable())
        self.show_models.setVisible(bool(self._shelf.models))
        self.row.look_again()
        if count:
            others = self._of_others()
            said = "welcome-files-of" if others else "welcome-files-found"
            self.about.setText(text(said, count=count, programs=others))
        elif self._shelf.is_scanning:
            self.about.setText(text("welcome-files-scanning"))
        else:
            self.about.setText(text("welcome-files-none"))

    def _usable(self) -> list[SourceKind]:
        """Return of each model that can answer where it was found."""
        return [
            found.source
            for found in self._shelf.found
            if found.facts is not None and found.facts.support is not Support.UNSUPPORTED
        ]

    def _of_others(self) -> str:
        """Return "2 in Ollama, 1 in LM Studio"; empty where no other program has any."""
        language = self._look.language
        usable = self._usable()
        counts = [(kind, usable.count(kind)) for kind in OTHERS if kind in usable]
        return language.text("welcome-between").join(
            language.text("welcome-of", count=n, program=language.text(f"source-{kind.value}"))
            for kind, n in counts
        )
