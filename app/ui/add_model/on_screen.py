"""Adding models, between the page, the hubs, the queue and the rest of the window."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QUrl, Slot
from PySide6.QtGui import QDesktopServices

from app.chat.child_job import ChildJob
from app.language import Language
from app.ui.add_model.tiles import Machine
from app.ui.deeds import Deeds
from app.ui.downloads.downloads import Downloads, Files
from app.ui.downloads.list import DownloadList
from app.ui.downloads.words import network_share
from app.ui.faults import FaultAction, FaultText, fault_text
from app.ui.main_window import MainWindow
from app.ui.notices import Announcement, Tone
from engine.contract import EngineError, Fault, FaultKind
from engine.library.downloads.order import DownloadState, Order

if TYPE_CHECKING:
    from app.ui.add_model.page import AddModelPage
    from app.ui.models_page import ModelsPage
    from app.ui.settings.page import SettingsPage
    from app.ui.welcome_page import WelcomePage
    from engine.library.hubs.catalog import CatalogModel
    from engine.library.hubs.choices import FileChoice
    from engine.library.hubs.hub import HubModel, HubQuery, Repository


class AddModelOnScreen(QObject):
    """Answers the page, and shows downloads where they are to be seen."""

    def __init__(self, downloads: Downloads, window: MainWindow, deeds: Deeds) -> None:
        super().__init__(window)
        self._downloads, self._window, self._deeds = downloads, window, deeds
        self._job: ChildJob | None = None
        self._asked = 0  # the newest question to a hub: older answers are not shown
        self._page_before, self._came_from = window.page, "models"
        window.parts.models_built.connect(self._on_models_built)
        window.parts.add_model_built.connect(self._on_built)
        window.parts.welcome_built.connect(self._on_welcome_built)
        window.parts.settings_built.connect(self._on_settings_built)
        window.page_shown.connect(self._on_page_shown)
        downloads.changed.connect(self._on_changed)
        downloads.finished.connect(self._on_finished)
        downloads.failed.connect(self._on_failed)

    def close(self) -> None:
        """End the measuring child."""
        if self._job is not None:
            self._job.close()

    # --- pages --------------------------------------------------------------------------------

    @Slot(object)
    def _on_models_built(self, page: ModelsPage) -> None:
        page.add_requested.connect(lambda: self._window.show_page("add_model"))
        page.set_below(DownloadList(self._window.look, self._downloads))

    @Slot(object)
    def _on_built(self, page: AddModelPage) -> None:
        page.back_requested.connect(self._go_back)
        page.models_requested.connect(self._show_models)
        page.file_requested.connect(self._deeds.choose_file)
        page.folder_requested.connect(self._deeds.choose_folder)
        page.catalog_wanted.connect(self._on_catalog_wanted)
        page.choice_wanted.connect(self._on_choice_wanted)
        page.searched.connect(self._on_searched)
        page.files_wanted.connect(self._on_files_wanted)

    @Slot(object)
    def _on_welcome_built(self, page: WelcomePage) -> None:
        page.better.suggestions_requested.connect(lambda: self._window.show_page("add_model"))

    @Slot(object)
    def _on_settings_built(self, page: SettingsPage) -> None:
        row = page.token

        def keep(secret: str) -> None:
            self._downloads.keep_token(
                "huggingface", secret, lambda kept: row.show_kept(secret, kept=kept)
            )

        row.token_given.connect(keep)
        page.changed.connect(self._on_setting_changed)

    @Slot(str)
    def _on_setting_changed(self, key: str) -> None:
        if key == "download_limit":
            self._downloads.use_limit()

    @Slot(str)
    def _on_page_shown(self, name: str) -> None:
        """Keep where the page was opened from; measure this computer when it is first seen."""
        before, self._page_before = self._page_before, name
        if name == "add_model" and before != name:
            self._came_from = before if before == "welcome" else "models"
        if name == "add_model" and self._job is None:
            self._job = ChildJob(["machine", "--events"], self)
            self._job.reported.connect(self._on_measured)
            self._job.ended.connect(self._on_measuring_ended)
            self._job.start()

    @Slot(object)
    def _on_measured(self, told: dict[str, Any]) -> None:
        gpus = told.get("gpus")
        self._page.show_machine(
            Machine(
                int(told.get("cores") or 0),
                str(told.get("instructions") or ""),
                tuple(str(name) for name in gpus) if isinstance(gpus, list) else (),
                float(told.get("bandwidth") or 0),
            )
        )

    @Slot(object)
    def _on_measuring_ended(self, fault: Fault | None) -> None:
        if fault is not None:
            self._page.show_machine(Machine(failed=True))

    @property
    def _page(self) -> AddModelPage:
        return self._window.parts.add_model

    @Slot()
    def _go_back(self) -> None:
        self._window.show_page(self._came_from)

    @Slot()
    def _show_models(self) -> None:
        self._window.show_page("models")

    # --- hubs ---------------------------------------------------------------------------------

    @Slot(str, object)
    def _on_searched(self, hub: str, query: HubQuery) -> None:
        """Search, or go straight to what an address or a repository's name leads to."""
        from engine.library.hubs.direct import (  # noqa: PLC0415 - imports httpx
            is_address,
            order_for_address,
            read_target,
        )

        target = read_target(query.words)
        if target is not None:
            self._look(target.hub, target.repository)
            return
        if is_address(query.words):
            try:
                self._fetch(order_for_address(query.words))
            except EngineError as error:
                self._say_fault(error.fault)
            return
        self._page.finder.say(lambda to: to.text("add-searching", hub=to.text(f"add-{hub}")))
        asked = self._ask()

        def then(models: tuple[HubModel, ...]) -> None:
            if asked == self._asked:
                page, count = self._page, len(models)
                page.finder.say(lambda to: to.text("add-found", count=count))
                page.finder.results.show_models(models, page.free)

        self._downloads.search(
            hub, query, then, self._sayer(lambda: self._on_searched(hub, query), asked)
        )

    @Slot(object)
    def _on_files_wanted(self, model: HubModel) -> None:
        self._look(model.hub, model.repository)

    def _look(self, hub: str, repository: str) -> None:
        self._page.finder.say(lambda to: to.text("add-looking", name=repository))
        asked = self._ask()

        def then(files: Files) -> None:
            found, choices = files
            if asked == self._asked:
                page, licence = self._page, found.license
                page.finder.say(
                    (lambda to: to.text("add-licence", license=licence)) if licence else None
                )
                page.finder.results.show_files(found, choices, page.free, page.bandwidth)

        self._downloads.look(
            hub, repository, then, self._sayer(lambda: self._look(hub, repository), asked)
        )

    @Slot(object)
    def _on_catalog_wanted(self, model: CatalogModel) -> None:
        """Ask the hub for the file of today, and fetch it."""
        self._page.finder.say(lambda to: to.text("add-looking", name=model.repository))

        def then(files: Files) -> None:
            from engine.library.hubs.places import choose  # noqa: PLC0415 - imports httpx

            found, choices = files
            self._page.finder.say(None)
            try:
                choice = choose(found, choices, model.file)
            except EngineError as error:
                self._say_fault(error.fault)
                return
            self._on_choice_wanted(found, choice)

        self._downloads.look(
            model.hub, model.repository, then, self._sayer(lambda: self._on_catalog_wanted(model))
        )

    @Slot(object, object)
    def _on_choice_wanted(self, repository: Repository, choice: FileChoice) -> None:
        from engine.library.hubs.choices import order_for  # noqa: PLC0415

        self._fetch(order_for(repository, choice))

    def _fetch(self, order: Order) -> None:
        self._downloads.add(order, self._sayer(lambda: self._fetch(order)))

    def _ask(self) -> int:
        self._asked += 1
        return self._asked

    def _sayer(self, again: Callable[[], None], asked: int = 0) -> Callable[[Fault], None]:
        """What says a fault below the search with its next step, unless more was asked since."""

        def say(fault: Fault) -> None:
            if not asked or asked == self._asked:
                self._say_fault(fault, again)

        return say

    def _say_fault(self, fault: Fault, again: Callable[[], None] | None = None) -> None:
        action = fault_text(fault, self._window.look.language).action
        address = str(fault.figures.get("address", ""))

        def sentence(to: Language) -> str:
            return fault_text(fault, to).sentence

        def label(to: Language) -> str:
            return fault_text(fault, to).action_label

        say = self._page.finder.say
        if fault.kind is FaultKind.ACCESS_REFUSED and address:
            say(sentence, lambda to: to.text("add-open-page"), partial(_open, address))
        elif action is FaultAction.RETRY and again is not None:
            say(sentence, label, again)
        elif action is FaultAction.OPEN_SETTINGS:
            say(sentence, label, partial(self._deeds.act, action, fault))
        else:
            say(sentence)

    # --- downloads ----------------------------------------------------------------------------

    @Slot()
    def _on_changed(self) -> None:
        count = network_share(self._downloads.states())
        self._window.parts.status.show_downloads(count)
        self._window.parts.status.show_asking(is_asking=self._downloads.is_asking)

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


def _open(address: str) -> None:
    QDesktopServices.openUrl(QUrl(address))


def _words(fault: Fault, language: Language) -> FaultText:
    said = fault_text(fault, language)
    return FaultText(said.lead, said.rest)
