"""Remote models between the form, their servers, the shelf and the rest of the window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, Slot

from app.chat.model_session import ModelPhase, ModelSession, ModelState
from app.chat.remote_models import RemoteModels
from app.language import Language
from app.ui.background import Background
from app.ui.deeds import Deeds
from app.ui.faults import FaultText, fault_text
from app.ui.main_window import MainWindow
from app.ui.model_menu import InPanel, ModelVerb
from app.ui.notices import Announcement, Tone
from engine.contract import EngineError, Fault, FaultKind, ModelFacts
from engine.library.servers.address import is_here
from engine.library.servers.card import RemoteCard, read_card

if TYPE_CHECKING:
    from app.ui.add_model.page import AddModelPage
    from app.ui.models_page import ModelsPage
    from app.ui.remote.dialog import RemoteDialog
    from engine.library.servers.asking import Server

T = TypeVar("T")


class RemoteOnScreen(QObject):
    """Opens the form from wherever models are added, and does what it asks for.

    Args:
        remotes: cards, keys and servers; waits, so it is called in the background.
        model: what is loaded; a card that changes while it is loaded is loaded again.
        background: where servers are asked.
        window: pages and menus.
        deeds: loading and notices.
    """

    def __init__(
        self,
        remotes: RemoteModels,
        model: ModelSession,
        background: Background,
        window: MainWindow,
        deeds: Deeds,
    ) -> None:
        super().__init__(window)
        self._remotes, self._model, self._background = remotes, model, background
        self._window, self._deeds = window, deeds
        self.dialog: RemoteDialog | None = None
        self._path: Path | None = None  # of the card that is edited
        self._asks = 0  # of servers elsewhere that have not answered yet
        window.parts.chat.header.picker.remote_requested.connect(self.add)
        window.parts.models_built.connect(self._on_models_built)
        window.parts.add_model_built.connect(self._on_add_model_built)
        model.state_changed.connect(self._on_model_changed)
        deeds.connection_wanted.connect(self.mend)

    # --- opening ------------------------------------------------------------------------------

    @Slot()
    def add(self) -> None:
        """Open the form for a new one."""
        self._open(None, None)

    def edit(self, facts: ModelFacts) -> None:
        """Open the form of a card."""
        self._edit(facts.path)

    @Slot(object, object)
    def mend(self, path: Path, kind: FaultKind) -> None:
        """Open the form of a card at the field that a fault is about."""
        self._edit(path)
        if self.dialog is not None:
            self.dialog.begin_at(kind)

    def _edit(self, path: Path) -> None:
        try:
            self._open(path, read_card(path))
        except EngineError as error:
            self._deeds.announce_fault("model", error.fault)

    def _open(self, path: Path | None, card: RemoteCard | None) -> None:
        from app.ui.remote.dialog import RemoteDialog  # noqa: PLC0415 - imports httpx

        self._path = path
        self.dialog = dialog = RemoteDialog(self._window.look, self._window, card)
        dialog.models_wanted.connect(self._on_models_wanted)
        dialog.test_wanted.connect(self._on_test_wanted)
        dialog.save_wanted.connect(self._on_save_wanted)
        dialog.address_given.connect(self._on_address_given)
        dialog.key_unwanted.connect(self._on_key_unwanted)
        dialog.finished.connect(self._on_closed)
        dialog.open()
        if card is not None:
            self._on_address_given(card.address)

    @Slot(object)
    def _on_models_built(self, page: ModelsPage) -> None:
        page.remote_requested.connect(self.add)
        page.menu.offer(
            ModelVerb(
                "remote-edit",
                "globe",
                self.edit,
                lambda facts: bool(facts.server),
                in_panel=InPanel.BUTTON,
            )
        )

    @Slot(object)
    def _on_add_model_built(self, page: AddModelPage) -> None:
        page.remote_requested.connect(self.add)

    @Slot(object)
    def on_removed(self, facts: ModelFacts) -> None:
        """Forget the secrets of a server and a proxy whose last card is gone."""
        self._background.run(
            lambda: self._remotes.forget_unused(facts.server, facts.proxy),
            lambda _: None,
            self._failed(None),
        )

    @Slot(int)
    def _on_closed(self, result: int) -> None:
        self.dialog = None

    @Slot(object)
    def _on_model_changed(self, state: ModelState) -> None:
        """Say in the message box to whom messages go."""
        loaded = state.loaded if state.phase is ModelPhase.READY else None
        self._window.parts.chat.box.mark.show_server(loaded.model.server if loaded else "")

    # --- the form's wishes --------------------------------------------------------------------

    @Slot(object, str)
    def _on_models_wanted(self, card: RemoteCard, key: str) -> None:
        dialog = self._waiting("remote-asking", card)

        def then(server: Server) -> None:
            if self.dialog is dialog and dialog is not None:
                dialog.show_models(server)

        self._ask(card, lambda: self._remotes.ask(card, key), then, self._failed(dialog))

    @Slot(object, str)
    def _on_test_wanted(self, card: RemoteCard, key: str) -> None:
        dialog = self._waiting("remote-testing", card)

        def then(seconds: float) -> None:
            if self.dialog is dialog and dialog is not None:
                language = self._window.look.language
                dialog.say(language.text("remote-tested", time=language.seconds(seconds)))

        self._ask(card, lambda: self._remotes.test(card, key), then, self._failed(dialog))

    @Slot(object, str)
    def _on_save_wanted(self, card: RemoteCard, key: str) -> None:
        dialog, path = self.dialog, self._path
        is_loaded = path is not None and self._model.state.path == path

        def then(saved: tuple[Path, bool]) -> None:
            written, kept = saved
            if self.dialog is dialog and dialog is not None:
                dialog.accept()
            self._deeds.rescan()
            if not kept:
                self._say_held()
            if is_loaded or path is None:
                self._deeds.load(written)

        self._background.run(
            lambda: self._remotes.save(card, key, path), then, self._failed(dialog)
        )

    @Slot(str)
    def _on_address_given(self, address: str) -> None:
        dialog = self.dialog

        def then(kept: bool) -> None:
            if self.dialog is dialog and dialog is not None:
                dialog.show_has_key(kept=kept)

        self._background.run(lambda: self._remotes.has_key(address), then, self._failed(dialog))

    @Slot(str)
    def _on_key_unwanted(self, address: str) -> None:
        def then(_: None) -> None:
            """Nothing to say: the form shows it."""

        self._background.run(
            lambda: self._remotes.forget_key(address), then, self._failed(self.dialog)
        )

    def _ask(
        self,
        card: RemoteCard,
        work: Callable[[], T],
        then: Callable[[T], None],
        failed: Callable[[Fault], None],
    ) -> None:
        """Ask a server, and let the status line say so as long as it lasts."""
        is_away = not is_here(card.address)

        def over() -> None:
            self._asks -= is_away
            self._window.parts.status.network.show_asking("server", is_asking=self._asks > 0)

        def answered(answer: T) -> None:
            over()
            then(answer)

        def refused(fault: Fault) -> None:
            over()
            failed(fault)

        self._asks += is_away
        self._window.parts.status.network.show_asking("server", is_asking=self._asks > 0)
        self._background.run(work, answered, refused)

    def _waiting(self, text_id: str, card: RemoteCard) -> RemoteDialog | None:
        if self.dialog is not None:
            said = self._window.look.language.text(text_id, address=card.address)
            self.dialog.say_waiting(said)
        return self.dialog

    def _failed(self, dialog: RemoteDialog | None) -> Callable[[Fault], None]:
        def failed(fault: Fault) -> None:
            if self.dialog is dialog and dialog is not None:
                sentence = fault_text(fault, self._window.look.language).sentence
                dialog.show_fault(fault.kind, sentence)

        return failed

    def _say_held(self) -> None:
        """Say that this system has no keyring, so that the key lives as long as the program."""

        def phrase(language: Language) -> FaultText:
            return FaultText(language.text("remote-held"), language.text("remote-held.more"))

        self._deeds.announce(Announcement("remote-held", Tone.INFO, phrase))
