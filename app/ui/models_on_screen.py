"""What is done with the models of the page: pinned, renamed, verified, removed, watched."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QFileSystemWatcher, QObject, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QInputDialog, QMessageBox

from app.chat.measuring import Measuring
from app.chat.model_session import ModelPhase, ModelSession, ModelState
from app.chat.model_uses import ModelUses
from app.language import Language
from app.store.benchmarks import Benchmarks
from app.ui.background import Background
from app.ui.deeds import Deeds
from app.ui.faults import FaultText, fault_text
from app.ui.main_window import MainWindow
from app.ui.model_menu import InPanel, ModelVerb
from app.ui.model_shelf import ModelShelf
from app.ui.notices import Announcement, Tone
from app.ui.unreadable_row import Unusable
from app.ui.words import in_a_row
from engine.contract import Fault, ModelFacts
from engine.library.gpus import Gpu, read_gpus
from engine.library.removal import is_ours, remove_model
from engine.library.sources import SourceKind
from engine.library.verify import Verdict, Verified, verify

if TYPE_CHECKING:
    from app.ui.models_page import ModelsPage

_SETTLED_MS = 1500  # a folder that changed is looked at when it has been quiet this long
_GROWING_S = 20  # what was written so lately and is not sound may still be on its way here
_WATCHED = 200  # folders at most: the system's own limit is far higher
_SAID_MS = 12_000

Removable = ModelFacts | Unusable


@dataclass(frozen=True, slots=True)
class ModelThings:
    """What the verbs act on."""

    shelf: ModelShelf
    benchmarks: Benchmarks
    measuring: Measuring
    model: ModelSession
    background: Background
    uses: ModelUses


class ModelsOnScreen(QObject):
    """Offers the verbs of a model, and keeps the page's list true."""

    removed = Signal(object)  # ModelFacts of what is gone

    def __init__(self, things: ModelThings, window: MainWindow, deeds: Deeds) -> None:
        super().__init__(window)
        self._shelf, self._benchmarks = things.shelf, things.benchmarks
        self._model, self._background, self._uses = things.model, things.background, things.uses
        self._window, self._deeds = window, deeds
        self._stop_verifying = False
        self._to_remove: Removable | None = None  # as soon as its memory is freed
        self._watcher = QFileSystemWatcher(self)
        self._settled = QTimer(self)
        self._settled.setSingleShot(True)
        self._settled.setInterval(_SETTLED_MS)
        self._settled.timeout.connect(self._shelf.scan)
        self._watcher.directoryChanged.connect(self._settled.start)
        things.measuring.changed.connect(self._on_measured)
        self._shelf.changed.connect(self._on_shelf_changed)
        self._model.state_changed.connect(self._on_state_changed)
        window.parts.models_built.connect(self._on_built)

    def close(self) -> None:
        """Let a verification end soon, and watch no more."""
        self._stop_verifying = True
        self._settled.stop()
        if self._watcher.directories():
            self._watcher.removePaths(self._watcher.directories())

    # --- the page -----------------------------------------------------------------------------

    @Slot(object)
    def _on_built(self, page: ModelsPage) -> None:
        notes = self._shelf.notes
        page.menu.offer(
            ModelVerb(
                "model-pin",
                "push-pin",
                self._pin,
                is_checked=lambda facts: notes.of(facts.path).pinned,
                in_panel=InPanel.HEAD,
            ),
            ModelVerb("model-rename", "pencil-simple", self._ask_name),
            ModelVerb("model-verify", "seal-check", self._verify, lambda f: not f.server),
            ModelVerb(
                "model-remove",
                "trash",
                self._ask_to_remove,
                self._is_ours,
                deletes=True,
                in_panel=InPanel.ICON,
            ),
            ModelVerb("model-whose", "info", self._say_whose, lambda f: not self._is_ours(f)),
        )
        page.unreadable.removal_wanted.connect(self._ask_to_remove)
        page.shown.connect(self._on_page_shown)
        self._show_speeds(page)

    @Slot()
    def _on_page_shown(self) -> None:
        """Ask the driver for GPUs and the benchmark for speeds: both change outside."""
        page = self._window.parts.models
        self._show_speeds(page)

        def known(gpus: tuple[Gpu, ...]) -> None:
            page.show_gpus(gpus)

        self._background.run(read_gpus, known, lambda _: None)

    def _show_speeds(self, page: ModelsPage) -> None:
        fastest = {Path(speed.path): speed for speed in reversed(self._benchmarks.speeds())}
        page.show_speeds(fastest, self._benchmarks.bandwidth)

    @Slot()
    def _on_measured(self) -> None:
        if (page := self._window.parts.built_models) is not None:
            self._show_speeds(page)

    @Slot()
    def _on_shelf_changed(self) -> None:
        """Watch the folders that models lie in, and our own; look again at what still grows.

        A folder says that a file has come, but not that it has become longer.
        """
        if self._shelf.is_scanning:
            return
        now = time.time()
        if any(abs(now - each.modified) < _GROWING_S for each in self._shelf.unreadable):
            self._settled.start()
        folders = [*self._shelf.folders, *(found.path.parent for found in self._shelf.found)]
        wanted = [str(f) for f in dict.fromkeys(folders) if f.is_absolute()][:_WATCHED]
        watched = set(self._watcher.directories())
        gone = sorted(watched - set(wanted))
        if gone:
            self._watcher.removePaths(gone)
        new = [folder for folder in wanted if folder not in watched and Path(folder).is_dir()]
        if new:
            self._watcher.addPaths(new)

    @Slot(object)
    def _on_state_changed(self, state: ModelState) -> None:
        if state.phase is ModelPhase.READY and state.path is not None:
            self._shelf.notes.change(state.path, last_used=int(time.time()))
        if state.phase is ModelPhase.NONE and self._to_remove is not None:
            facts, self._to_remove = self._to_remove, None
            self._remove(facts)

    # --- verbs --------------------------------------------------------------------------------

    def _is_ours(self, facts: ModelFacts) -> bool:
        return is_ours(facts.path, self._shelf.folders[0])

    def _pin(self, facts: ModelFacts) -> None:
        notes = self._shelf.notes
        notes.change(facts.path, pinned=not notes.of(facts.path).pinned)
        self._shelf.changed.emit()

    def _ask_name(self, facts: ModelFacts) -> None:
        text = self._window.look.language.text
        dialog = QInputDialog(self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle(text("model-rename"))
        dialog.setLabelText(text("model-rename-about"))
        dialog.setTextValue(facts.name)
        dialog.setOkButtonText(text("model-rename-keep"))
        dialog.setCancelButtonText(text("cancel"))
        dialog.textValueSelected.connect(lambda name: self.rename(facts.path, name))
        dialog.open()

    def rename(self, path: Path, name: str) -> None:
        """Show a model under another name; an empty one is that of its file again."""
        self._shelf.notes.change(path, name=" ".join(name.split())[:200])
        self._shelf.changed.emit()

    def _verify(self, facts: ModelFacts) -> None:
        self._stop_verifying = False
        earlier = self._shelf.notes.of(facts.path).sha256
        self._say("model-verifying", Tone.INFO, facts, lasts_ms=0)

        def told(result: Verified | None) -> None:
            if result is None:
                self._deeds.dismiss("model-deed")
                return
            changed = result.verdict is Verdict.CHANGED
            if not changed:
                self._shelf.notes.change(facts.path, sha256=result.sha256)
            tone = Tone.ERROR if changed else Tone.INFO
            self._say(f"verified-{result.verdict.value}", tone, facts, lasts_ms=0)

        self._background.run(
            lambda: verify(facts.path, earlier, cancelled=lambda: self._stop_verifying),
            told,
            self._on_failed,
        )

    @Slot(object)
    def _ask_to_remove(self, facts: Removable) -> None:
        language = self._window.look.language
        question = QMessageBox(self._window)
        question.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        question.setWindowTitle(language.text("model-remove"))
        question.setText(language.text("model-remove-question", name=facts.name))
        question.setInformativeText(self._removal_words(facts))
        remove = question.addButton(
            language.text("model-remove-now"), QMessageBox.ButtonRole.DestructiveRole
        )
        keep = question.addButton(language.text("cancel"), QMessageBox.ButtonRole.RejectRole)
        question.setDefaultButton(keep)
        question.setEscapeButton(keep)
        remove.clicked.connect(lambda: self.remove(facts))
        question.open()

    def _removal_words(self, facts: Removable) -> str:
        """What ends with a model that is used just now, and what its removal frees."""
        language = self._window.look.language
        ends = [language.text(f"model-remove-{use.value}") for use in self._uses.of(facts.path)]
        size = language.bytes_text(facts.size_bytes)
        frees = language.text("model-remove-about", size=size)
        return "\n\n".join(each for each in (in_a_row(*ends), frees) if each)

    def remove(self, facts: Removable) -> None:
        """Delete a model of our own folder; a loaded one is unloaded first.

        What it was writing ends there and is kept, as after Stop.
        """
        state = self._model.state
        if state.path == facts.path and state.phase is not ModelPhase.NONE:
            self._to_remove = facts
            self._model.cancel()
            self._model.unload()
        else:
            self._remove(facts)

    def _remove(self, facts: Removable) -> None:
        own = self._shelf.folders[0]

        def removed(freed: int) -> None:
            self._shelf.notes.forget(facts.path)
            self._shelf.scan()
            if isinstance(facts, ModelFacts):
                self.removed.emit(facts)
            size = self._window.look.language.bytes_text(freed)
            self._say("model-removed", Tone.INFO, facts, size=size)

        def refused(fault: Fault) -> None:
            self._shelf.scan()  # some of its files may be gone
            again = (lambda: self.remove(facts)) if fault.figures.get("reason") else None
            said = lambda language: fault_text(fault, language)  # noqa: E731 - it is handed on
            self._deeds.announce(Announcement("model-deed", Tone.ERROR, said, again))

        self._background.run(lambda: remove_model(facts.path, own), removed, refused)

    def _say_whose(self, facts: ModelFacts) -> None:
        found = next((f for f in self._shelf.found if f.path == facts.path), None)
        kind = found.source if found else SourceKind.ADDED
        whose = self._window.look.language.text(f"source-{kind.value}")
        text_id = {
            SourceKind.ADDED: "model-not-ours-folder",
            SourceKind.OWN: "model-not-ours-folder",
            SourceKind.INCLUDED: "model-not-ours-included",
        }.get(kind, "model-not-ours")
        self._say(text_id, Tone.INFO, facts, program=whose)

    def _on_failed(self, fault: Fault) -> None:
        self._deeds.announce_fault("model-deed", fault)

    def _say(
        self, text_id: str, tone: Tone, facts: Removable, lasts_ms: int = _SAID_MS, **more: str
    ) -> None:
        def phrase(language: Language) -> FaultText:
            return FaultText(facts.name, language.text(text_id, name=facts.name, **more))

        self._deeds.announce(Announcement("model-deed", tone, phrase, lasts_ms=lasts_ms))
