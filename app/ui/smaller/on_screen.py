"""Leads to the page of smaller copies, and does what it asks for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFileDialog

from app.chat.calibrating import write_own_text
from app.chat.saving import Saving
from app.chat.shrinking import Shrinking, ShrinkPhase, Wish, wish_of
from app.language import Language
from app.store.folders import calibration_path, data_folder
from app.ui.deeds import Deeds
from app.ui.faults import FaultText
from app.ui.main_window import MainWindow
from app.ui.model_menu import InPanel, ModelVerb
from app.ui.models_on_screen import ModelThings
from app.ui.notices import Announcement, Tone
from app.ui.smaller.reports_on_screen import ReportsOnScreen
from engine.contract import Fault, ModelFacts, Support
from engine.library.partial_copies import partial_copies
from engine.library.smaller import Quality, Shape, copies_of, not_compared, read_shape

if TYPE_CHECKING:
    from app.ui.add_model.page import AddModelPage
    from app.ui.models_page import ModelsPage
    from app.ui.smaller.page import SmallerPage

_KEY = "smaller"
_ALREADY = 9.0  # bits a weight: below, there is nothing to gain


class SmallerOnScreen(QObject):
    """Between the page, the models, the disk and the process that makes copies."""

    def __init__(
        self,
        shrinking: Shrinking,
        things: ModelThings,
        saving: Saving,
        window: MainWindow,
        deeds: Deeds,
    ) -> None:
        super().__init__(window)
        self._shrinking, self._things, self._saving = shrinking, things, saving
        self._window, self._deeds = window, deeds
        self._source: Path | None = None
        self._page_before, self._came_from = window.page, "models"
        shrinking.made.connect(self._on_made)
        shrinking.changed.connect(self._on_work_changed)
        things.shelf.changed.connect(self._show_models)
        self.reports = ReportsOnScreen(things, window, deeds)
        self.reports.source_wanted.connect(self.open)
        self.reports.compare_wanted.connect(self._compare)
        window.parts.models_built.connect(self._on_models_built)
        window.parts.add_model_built.connect(self._on_add_model_built)
        window.parts.smaller_built.connect(self._on_page_built)
        window.page_shown.connect(self._on_page_shown)

    def close(self) -> None:
        """End a question that is out."""
        self.reports.close()

    @Slot(object, object)
    def open(self, path: Path, copy: Path | None = None) -> None:
        """Open the page for a model: a file or a folder, in the library or not.

        Args:
            path: of the model.
            copy: of it, whose report is to be shown.
        """
        self._source = path
        self._window.show_page("smaller")

        def known(shape: Shape) -> None:
            folder, bandwidth = self._things.shelf.folders[0], self._things.benchmarks.bandwidth
            self._window.parts.smaller.show_source(shape, folder, bandwidth)
            self._window.parts.smaller.take_focus()
            self._look_for_copies(copy)

        self._things.background.run(lambda: read_shape(path), known, self._on_failed)

    def choose(self) -> None:
        """Open the page without a model: it asks for one."""
        self._window.show_page("smaller")

    # --- the pages ----------------------------------------------------------------------------

    @Slot(object)
    def _on_models_built(self, page: ModelsPage) -> None:
        page.menu.offer(
            ModelVerb(
                "smaller-verb", "arrows-in-simple", lambda m: self.open(m.path), _can_be_smaller,
                in_panel=InPanel.BUTTON,
            )
        )  # fmt: skip
        page.smaller_requested.connect(self.choose)

    @Slot(object)
    def _on_add_model_built(self, page: AddModelPage) -> None:
        page.smaller_requested.connect(self.choose)

    @Slot(object)
    def _on_page_built(self, page: SmallerPage) -> None:
        page.left.connect(lambda: self._window.show_page(self._came_from))
        page.start_requested.connect(self._start)
        page.work.resume_requested.connect(self._start)
        page.file_requested.connect(lambda: self._ask(QFileDialog.FileMode.ExistingFile))
        page.model_chosen.connect(self.open)
        page.folder_requested.connect(lambda: self._ask(QFileDialog.FileMode.Directory))
        page.options.file_requested.connect(self._ask_text)
        page.options.chats_requested.connect(self._take_chats)
        page.use_requested.connect(self._deeds.load)
        page.use_requested.connect(lambda _: self._window.show_page("chat"))
        page.where_requested.connect(
            lambda path: QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))
        )

    @Slot(str)
    def _on_page_shown(self, name: str) -> None:
        before, self._page_before = self._page_before, name
        if name == "smaller":
            if before != name:
                self._came_from = before if before == "add_model" else "models"
            self._show_models()
            self._look_for_begun()

    @Slot()
    def _show_models(self) -> None:
        """Offer what is in the library, the largest first: there most is to be won."""
        if self._window.page == "smaller":
            models = self._things.shelf.models
            able = [facts for facts in models if _can_be_smaller(facts)]
            able.sort(key=lambda facts: -facts.size_bytes)
            others = len(able) < len(models)
            self._window.parts.smaller.show_models(able, has_others=others)

    def _look_for_begun(self) -> None:
        """Find the copies that an earlier run of the program left unfinished."""
        folder = self._things.shelf.folders[0]

        def look() -> tuple[Wish, ...]:
            found = (wish_of(each) for each in partial_copies(folder))
            return tuple(wish for wish in found if wish is not None)

        def known(wishes: tuple[Wish, ...]) -> None:
            mine = self._shrinking.state.wish
            others = tuple(w for w in wishes if mine is None or w.target != mine.target)
            self._window.parts.smaller.work.show_unfinished(others)

        self._things.background.run(look, known, self._on_failed)

    def _look_for_copies(self, wanted: Path | None) -> None:
        source = self._source
        models = [facts.path for facts in self._things.shelf.models if not facts.server]
        if source is not None:

            def find() -> tuple[list[Quality], tuple[Wish, ...]]:
                others = (each for each in not_compared(models) if each.source == source)
                wishes = tuple(Wish(source, each.copy, each.recipe) for each in others)
                return list(copies_of(source, models)), wishes

            def known(found: tuple[list[Quality], tuple[Wish, ...]]) -> None:
                if self._source == source:
                    page = self._window.parts.smaller
                    page.work.show_uncompared(found[1])
                    page.show_known(found[0], wanted)

            self._things.background.run(find, known, self._on_failed)

    # --- the work -----------------------------------------------------------------------------

    @Slot(object)
    def _start(self, wish: Wish) -> None:
        self._shrinking.start(wish)
        self._window.parts.smaller.work.pause.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot(object)
    def _compare(self, wish: Wish) -> None:
        """Compare a copy of earlier; while other work runs, the page shows that."""
        self.open(wish.source)
        self._shrinking.compare(wish)

    @Slot(object)
    def _on_made(self, copy: Path) -> None:
        calibration_path(data_folder()).unlink(missing_ok=True)
        self._things.shelf.scan()

    @Slot()
    def _on_work_changed(self) -> None:
        """Say on other pages what became of it."""
        state = self._shrinking.state
        if state.phase is ShrinkPhase.NONE:
            calibration_path(data_folder()).unlink(missing_ok=True)
        if state.phase is ShrinkPhase.DONE:
            self.reports.look()
        ended = state.phase in {ShrinkPhase.DONE, ShrinkPhase.FAILED}
        if ended and state.wish is not None and self._window.page != "smaller":
            text_id = f"smaller-phase-{state.phase.value}"
            name = state.wish.target.name
            tone = Tone.INFO if state.phase is ShrinkPhase.DONE else Tone.ERROR
            self._deeds.announce(
                Announcement(
                    _KEY,
                    tone,
                    lambda language: FaultText(
                        language.text(text_id, name=name),
                        action_label=language.text("smaller-look"),
                    ),
                    self.choose,
                )
            )

    # --- what is chosen -----------------------------------------------------------------------

    def _ask(self, mode: QFileDialog.FileMode) -> None:
        dialog = self._dialog("smaller-verb", mode)
        if mode is QFileDialog.FileMode.ExistingFile:
            dialog.setNameFilters(["GGUF (*.gguf)"])
        dialog.fileSelected.connect(lambda chosen: self.open(Path(chosen)))
        dialog.open()

    @Slot()
    def _ask_text(self) -> None:
        from app.ui.smaller.options import BUNDLED, FILE  # noqa: PLC0415 - with the page

        options = self._window.parts.smaller.options
        dialog = self._dialog("smaller-text", QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters(["*.txt *.md", "*"])
        dialog.fileSelected.connect(lambda chosen: options.show_calibration(FILE, Path(chosen)))
        dialog.rejected.connect(lambda: options.show_calibration(BUNDLED, None))
        dialog.open()

    @Slot()
    def _take_chats(self) -> None:
        """Write what was said into a file that goes when the copy is done or thrown away."""
        from app.ui.smaller.options import BUNDLED, CHATS  # noqa: PLC0415 - with the page

        options, store = self._window.parts.smaller.options, self._saving.store
        path = calibration_path(data_folder())

        def written(characters: int) -> None:
            if characters:
                options.show_calibration(CHATS, path)
            else:
                options.show_calibration(BUNDLED, None)
                self._say("smaller-no-chats")

        self._things.background.run(lambda: write_own_text(store, path), written, self._on_failed)

    def _dialog(self, title_id: str, mode: QFileDialog.FileMode) -> QFileDialog:
        dialog = QFileDialog(self._window, self._window.look.language.text(title_id))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(mode)
        return dialog

    def _say(self, text_id: str) -> None:
        def phrase(language: Language) -> FaultText:
            return FaultText(language.text(text_id))

        self._deeds.announce(Announcement(_KEY, Tone.INFO, phrase, lasts_ms=10_000))

    def _on_failed(self, fault: Fault) -> None:
        self._deeds.announce_fault(_KEY, fault)


def _can_be_smaller(facts: ModelFacts) -> bool:
    runs = not facts.server and facts.support is not Support.UNSUPPORTED
    return runs and facts.bits_per_weight >= _ALREADY
