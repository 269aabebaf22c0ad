"""What the page asks of hubs: searches, the files of a model, a download of some of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from app.language import Language
from app.ui.deeds import Deeds
from app.ui.downloads.downloads import Downloads, Files
from app.ui.faults import FaultAction, fault_text
from engine.contract import EngineError, Fault
from engine.library.downloads.order import Order

if TYPE_CHECKING:
    from app.ui.add_model.page import AddModelPage
    from engine.library.hubs.catalog import CatalogModel
    from engine.library.hubs.choices import FileChoice
    from engine.library.hubs.hub import HubModel, HubQuery, Repository


class HubAsking(QObject):
    """Answers the page's search with what a hub told, or with a fault and its next step."""

    ordered = Signal(str)  # key of a download that was asked for

    def __init__(
        self, page: AddModelPage, downloads: Downloads, language: Language, deeds: Deeds
    ) -> None:
        super().__init__(page)
        self._page, self._downloads = page, downloads
        self._language, self._deeds = language, deeds
        self._asked = 0  # the newest question to a hub: older answers are not shown
        page.catalog_wanted.connect(self._on_catalog_wanted)
        page.choice_wanted.connect(self._on_choice_wanted)
        page.searched.connect(self._on_searched)
        page.files_wanted.connect(self._on_files_wanted)

    @Slot(str, object)
    def _on_searched(self, hub: str, query: HubQuery) -> None:
        """Search, or go straight to what an address or a repository's name leads to."""
        from engine.library.hubs.direct import (  # noqa: PLC0415 - imports httpx
            is_address,
            order_for_address,
            read_target,
        )

        target, results = read_target(query.words), self._page.finder.results
        if target is not None:
            results.fade()
            self._look(target.hub, target.repository, is_typed=True)
            return
        if is_address(query.words):
            results.clear()
            try:
                self._fetch(order_for_address(query.words))
            except EngineError as error:
                self._say_fault(error.fault)
            return
        results.fade()
        self._page.finder.say(lambda to: to.text("add-searching", hub=to.text(f"add-{hub}")))
        asked = self._ask()

        def then(models: tuple[HubModel, ...]) -> None:
            if asked == self._asked:
                page, count = self._page, len(models)
                none = "add-none-fits" if query.most_parameters else "add-found"
                said = "add-found" if count else none
                page.finder.say(lambda to: to.text(said, count=count))
                page.finder.results.show_models(models, page.around)

        failed = self._sayer(lambda: self._on_searched(hub, query), asked, clears=True)
        self._downloads.search(hub, query, then, failed)

    @Slot(object)
    def _on_files_wanted(self, model: HubModel) -> None:
        self._look(model.hub, model.repository)

    def _look(self, hub: str, repository: str, *, is_typed: bool = False) -> None:
        """Show the files of a model that was found, or alone of one whose name was typed."""
        self._page.finder.say(lambda to: to.text("add-looking", name=repository))
        asked = self._ask()

        def then(files: Files) -> None:
            found, choices = files
            if asked == self._asked:
                page, licence = self._page, found.license
                if is_typed:
                    page.finder.results.clear()
                page.finder.say(
                    (lambda to: to.text("add-licence", license=licence)) if licence else None
                )
                page.finder.results.show_files(found, choices, page.around)

        def again() -> None:
            self._look(hub, repository, is_typed=is_typed)

        self._downloads.look(hub, repository, then, self._sayer(again, asked, clears=is_typed))

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
            except EngineError as error:  # the catalog is older than the hub
                self._say_fault(error.fault)
                self._page.finder.results.show_files(found, choices, self._page.around)
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
        if self._page.finder.is_refused:
            self._page.finder.say(None)  # what was wrong the last time is not said of this one
        self.ordered.emit(order.key)
        self._downloads.add(order, self._sayer(lambda: self._fetch(order)))

    def _ask(self) -> int:
        self._asked += 1
        return self._asked

    def _sayer(
        self, again: Callable[[], None], asked: int = 0, *, clears: bool = False
    ) -> Callable[[Fault], None]:
        """What says a fault below the search with its next step, unless more was asked since.

        Args:
            again: the next step, where trying once more is one.
            asked: the number of the question; 0 has none.
            clears: whether what was found before was found for other words.
        """

        def say(fault: Fault) -> None:
            if not asked or asked == self._asked:
                if clears:
                    self._page.finder.results.clear()
                self._say_fault(fault, again)

        return say

    def _say_fault(self, fault: Fault, again: Callable[[], None] | None = None) -> None:
        action = fault_text(fault, self._language).action

        def sentence(to: Language) -> str:
            return fault_text(fault, to).sentence

        def label(to: Language) -> str:
            return fault_text(fault, to).action_label

        say = self._page.finder.say
        if action is FaultAction.RETRY and again is not None:
            say(sentence, label, again)
        elif action in {FaultAction.OPEN_SETTINGS, FaultAction.OPEN_PAGE}:
            say(sentence, label, partial(self._deeds.act, action, fault))
        else:
            say(sentence)
