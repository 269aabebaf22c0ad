"""Leads from a copy to its report, and asks copy and source the question of the page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QFileDialog

from app.chat.comparing import AskPhase, Comparing
from app.chat.shrinking import Wish
from app.language import Language
from app.ui.deeds import Deeds
from app.ui.faults import FaultText
from app.ui.main_window import MainWindow
from app.ui.model_menu import InPanel, ModelVerb
from app.ui.models_on_screen import ModelThings
from app.ui.notices import Announcement, Tone
from app.ui.spoken import speak
from engine.contract import Fault
from engine.library.smaller import (
    Quality,
    Uncompared,
    not_compared,
    read_quality,
    with_report,
)

if TYPE_CHECKING:
    from app.ui.models_page import ModelsPage
    from app.ui.smaller.page import SmallerPage

_KEY = "smaller"


class ReportsOnScreen(QObject):
    """Between the reports that lie beside copies, the models page, and the page of copies."""

    source_wanted = Signal(object, object)  # Path of it, of the copy whose report is to be shown
    compare_wanted = Signal(object)  # Wish that a copy was made by

    def __init__(self, things: ModelThings, window: MainWindow, deeds: Deeds) -> None:
        super().__init__(window)
        self._things, self._window, self._deeds = things, window, deeds
        self._reported = frozenset[Path]()  # models that have a report
        self._uncompared: dict[Path, Uncompared] = {}  # copies that have none
        self.comparing = Comparing(things.model, parent=self)
        self.comparing.changed.connect(self._on_asked_changed)
        things.shelf.changed.connect(self.look)
        window.parts.models_built.connect(self._on_models_built)
        window.parts.smaller_built.connect(self._on_page_built)

    def close(self) -> None:
        """End a question that is out."""
        self.comparing.close()

    def open(self, copy: Path) -> None:
        """Open the report of a copy, beside its source where that is still there."""
        from app.ui.smaller.trade import Known  # noqa: PLC0415 - with the page

        def read(quality: Quality) -> None:
            known = Known.of(quality)
            if known is None:
                self._say_unreadable(copy)
            elif known.gone is None:
                self.source_wanted.emit(quality.source, copy)
            else:
                self._window.show_page("smaller")
                self._window.parts.smaller.show_alone(known)
                self._window.parts.smaller.take_focus()

        self._things.background.run(lambda: read_quality(copy), read, self._on_failed)

    @Slot()
    def look(self) -> None:
        """Find the copies that have a report and those that have none, for the verbs on them."""
        models = [facts.path for facts in self._things.shelf.models if not facts.server]

        def find() -> tuple[frozenset[Path], dict[Path, Uncompared]]:
            return with_report(models), {each.copy: each for each in not_compared(models)}

        def known(found: tuple[frozenset[Path], dict[Path, Uncompared]]) -> None:
            changed = found != (self._reported, self._uncompared)
            self._reported, self._uncompared = found
            if changed and (page := self._window.parts.built_models) is not None:
                page.menu.offered.emit()

        self._things.background.run(find, known, self._on_failed)

    def compare(self, copy: Path) -> None:
        """Compare a copy that has no report, with its original: found, or asked for."""
        each = self._uncompared[copy]
        if each.source is not None:
            self.compare_wanted.emit(Wish(each.source, copy, each.recipe))
            return
        title = self._window.look.language.text("smaller-choose-original", name=each.source_name)
        dialog = QFileDialog(self._window, title)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        is_file = each.source_name.lower().endswith(".gguf")
        modes = QFileDialog.FileMode
        dialog.setFileMode(modes.ExistingFile if is_file else modes.Directory)
        dialog.fileSelected.connect(
            lambda chosen: self.compare_wanted.emit(Wish(Path(chosen), copy, each.recipe))
        )
        dialog.open()

    @Slot(object)
    def _on_models_built(self, page: ModelsPage) -> None:
        page.menu.offer(
            ModelVerb(
                "smaller-report-verb", "chart-bar", lambda m: self.open(m.path),
                lambda m: m.path in self._reported, in_panel=InPanel.BUTTON,
            )
        )  # fmt: skip
        page.menu.offer(
            ModelVerb(
                "smaller-compare-verb", "chart-bar", lambda m: self.compare(m.path),
                lambda m: m.path in self._uncompared, in_panel=InPanel.BUTTON,
            )
        )  # fmt: skip

    @Slot(object)
    def _on_page_built(self, page: SmallerPage) -> None:
        page.ask_requested.connect(self.comparing.ask)
        page.report.side.stop_requested.connect(self.comparing.stop)
        page.report.side.save_requested.connect(self._window.parts.chat.verbs.save_wanted)
        page.copy_shown.connect(self._on_copy_shown)

    @Slot(object)
    def _on_copy_shown(self, copy: Path) -> None:
        """End a question to another copy; show again what was asked of this one."""
        page, state = self._window.parts.smaller, self.comparing.state
        if state.copy != copy:
            self.comparing.stop()
        elif state.phase is not AskPhase.NONE:
            page.report.side.show_state(state)

    @Slot()
    def _on_asked_changed(self) -> None:
        page, state = self._window.parts.built_smaller, self.comparing.state
        if page is not None and page.copy == state.copy:
            page.report.side.show_state(state)
            if state.phase is AskPhase.DONE and page.isVisible():
                speak(self._window, page.report.side.outcome)

    def _say_unreadable(self, copy: Path) -> None:
        def phrase(language: Language) -> FaultText:
            return FaultText(language.text("smaller-report-unreadable", name=copy.name))

        self._deeds.announce(Announcement(_KEY, Tone.ERROR, phrase))

    def _on_failed(self, fault: Fault) -> None:
        self._deeds.announce_fault(_KEY, fault)
