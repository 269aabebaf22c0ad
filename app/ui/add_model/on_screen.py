"""Adding models, between the page, the hubs, the queue and the rest of the window."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from app.chat.measuring import Measuring
from app.language import Language
from app.ui.add_model.hub_asking import HubAsking
from app.ui.deeds import Deeds
from app.ui.downloads.downloads import Downloads
from app.ui.downloads.list import DownloadList
from app.ui.downloads.words import network_share
from app.ui.faults import FaultText, fault_text
from app.ui.main_window import MainWindow
from app.ui.notices import Announcement, Tone
from engine.contract import Fault
from engine.library.downloads.order import DownloadState, Phase

if TYPE_CHECKING:
    from app.ui.add_model.page import AddModelPage
    from app.ui.models_page import ModelsPage
    from app.ui.settings.page import SettingsPage
    from app.ui.welcome_page import WelcomePage


class AddModelOnScreen(QObject):
    """Answers the page, and shows downloads where they are to be seen."""

    def __init__(
        self, downloads: Downloads, measuring: Measuring, window: MainWindow, deeds: Deeds
    ) -> None:
        super().__init__(window)
        self._downloads, self._window, self._deeds = downloads, window, deeds
        self._measuring = measuring
        self._followed = self._reaching = ""  # key of the newest download: it is brought into sight
        self._page_before, self._came_from = window.page, "models"
        window.parts.models_built.connect(self._on_models_built)
        window.parts.add_model_built.connect(self._on_built)
        window.parts.welcome_built.connect(self._on_welcome_built)
        window.parts.settings_built.connect(self._on_settings_built)
        window.page_shown.connect(self._on_page_shown)
        window.first_painted.connect(self._measure)
        measuring.changed.connect(self._on_measured)
        downloads.changed.connect(self._on_changed)
        downloads.finished.connect(self._on_finished)
        downloads.failed.connect(self._on_failed)

    # --- pages --------------------------------------------------------------------------------

    @Slot(object)
    def _on_models_built(self, page: ModelsPage) -> None:
        page.add_requested.connect(lambda: self._window.show_page("add_model"))
        below = DownloadList(self._window.look, self._downloads)
        self._answer(below)
        page.set_below(below)

    def _answer(self, rows: DownloadList) -> None:
        """Do what the buttons of a list of downloads say."""
        rows.load_wanted.connect(self._deeds.load)
        rows.folder_wanted.connect(self._deeds.show_in_folder)
        rows.acted.connect(self._deeds.act)

    @Slot(object)
    def _on_built(self, page: AddModelPage) -> None:
        page.show_machine(self._measuring.machine)
        self._answer(page.list)
        page.tiles.again.clicked.connect(self._measuring.begin_again)
        page.back_requested.connect(self._go_back)
        page.models_requested.connect(self._show_models)
        page.file_requested.connect(self._deeds.choose_file)
        page.folder_requested.connect(self._deeds.choose_folder)
        asking = HubAsking(page, self._downloads, self._window.look.language, self._deeds)
        asking.ordered.connect(self._on_ordered)

    @Slot(object)
    def _on_welcome_built(self, page: WelcomePage) -> None:
        page.better.suggestions_requested.connect(lambda: self._window.show_page("add_model"))
        page.show_machine(self._measuring.machine)

    @Slot(object)
    def _on_settings_built(self, page: SettingsPage) -> None:
        row = page.token

        def keep(secret: str) -> None:
            def kept(in_keyring: bool) -> None:
                row.show_kept(secret, kept=in_keyring)
                if secret:
                    self._downloads.go_on_with("huggingface")

            self._downloads.keep_token("huggingface", secret, kept)

        row.token_given.connect(keep)

    @Slot(str)
    def _on_page_shown(self, name: str) -> None:
        """Keep where the page was opened from; measure this computer when it is first seen."""
        before, self._page_before = self._page_before, name
        if name == "add_model" and before not in {name, "smaller"}:
            self._came_from = before if before == "welcome" else "models"
        if self._window.isVisible():
            self._measure()

    @Slot()
    def _measure(self) -> None:
        """Measure this computer where that is to be seen, but never before the first picture."""
        unknown = not self._measuring.bandwidth
        if self._window.page in {"welcome", "add_model"} or (
            self._window.page == "models" and unknown
        ):
            self._measuring.begin()

    @Slot()
    def _on_measured(self) -> None:
        parts = self._window.parts
        if parts.built_add_model is not None:
            parts.built_add_model.show_machine(self._measuring.machine)
        if parts.built_welcome is not None:
            parts.built_welcome.show_machine(self._measuring.machine)

    @property
    def _page(self) -> AddModelPage:
        return self._window.parts.add_model

    @Slot()
    def _go_back(self) -> None:
        self._window.show_page(self._came_from)

    @Slot()
    def _show_models(self) -> None:
        self._window.show_page("models")

    # --- downloads ----------------------------------------------------------------------------

    @Slot()
    def _on_changed(self) -> None:
        states = self._downloads.states()
        self._reach(states)
        network = self._window.parts.status.network
        network.show_downloads(network_share(states))
        network.show_asking("hub", is_asking=self._downloads.is_asking)

    @Slot(str)
    def _on_ordered(self, key: str) -> None:
        self._followed = self._reaching = key

    def _reach(self, states: list[DownloadState]) -> None:
        """Show a new download when it is in the list, and again when it fails."""
        state = next((each for each in states if each.order.key == self._followed), None)
        if state is not None and self._reaching == self._followed:
            self._reaching = ""
            self._page.reach_downloads()
        if state is not None and state.phase is Phase.FAILED:
            self._followed = ""
            self._page.reach_downloads()

    @Slot(object)
    def _on_finished(self, state: DownloadState) -> None:
        """Offer to load it; never load over what is used now."""

        def phrase(language: Language) -> FaultText:
            lead = language.text("download-ready", name=state.order.name)
            more = language.text("download-ready.more")
            return FaultText(lead, more, language.text("download-load"))

        self._deeds.rescan()
        self._deeds.announce(
            Announcement(
                f"download-{state.order.key}",
                Tone.INFO,
                phrase,
                lambda: self._deeds.load(Path(state.path)),
            )
        )

    @Slot(object)
    def _on_failed(self, fault: Fault) -> None:
        """Say that the list of downloads cannot be read; the next start tries again."""
        self._deeds.announce(
            Announcement("download", Tone.ERROR, lambda language: _words(fault, language), None)
        )


def _words(fault: Fault, language: Language) -> FaultText:
    said = fault_text(fault, language)
    return FaultText(said.lead, said.rest)
