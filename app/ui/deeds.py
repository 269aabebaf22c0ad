"""What menus, shortcuts, notices and pages lead to: the window's verbs, each in one place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from app.chat.model_session import ModelPhase, ModelSession
from app.language import Language
from app.store.folders import data_folder
from app.ui.faults import SHORTEST_CONTEXT, FaultAction, FaultText, fault_text, shorter_context
from app.ui.look import Look
from app.ui.model_shelf import ModelShelf
from app.ui.notices import Announcement, Notices, Tone
from engine.contract import Fault, FaultKind, ModelFacts
from engine.library.advice.rules import ADVISED
from engine.library.servers.card import is_card

_SETTINGS = {  # where what is wrong can be put right
    FaultKind.TOKEN_NEEDED: "hub_token",
    FaultKind.TOKEN_REFUSED: "hub_token",
    FaultKind.HUB_ADDRESS_INVALID: "hub_endpoint",
    FaultKind.HUB_UNREADABLE: "hub_endpoint",
    FaultKind.OFFLINE: "offline",
    FaultKind.DEVICE_MISSING: "device",
}
_UNDOS = 50  # deeds that can be taken back
_FILTER = "*.gguf *.safetensors"


class Deeds(QObject):
    """Verbs over models, notices and pages; asks the window to show what changed."""

    new_chat_wanted = Signal()
    page_wanted = Signal(str)  # "models", "settings", "chat"
    setting_wanted = Signal(str)  # key of one of the program's settings; "" is none of them
    advice_wanted = Signal()  # about the model of the chat, or the one that was refused
    connection_wanted = Signal(object, object)  # Path of a card, FaultKind

    def __init__(
        self,
        look: Look,
        model: ModelSession,
        shelf: ModelShelf,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._look, self._model = look, model
        self._shelf, self._window = shelf, window
        self._notices: Notices | None = None
        self.open_chat: int | None = None
        self._undos: list[tuple[str, Callable[[], object]]] = []  # what can be undone, by notice

    def announce_in(self, notices: Notices) -> None:
        """Say from now on in this place what must be said."""
        self._notices = notices

    # --- models -------------------------------------------------------------------------------

    @Slot(object)
    def load(self, path: Path) -> None:
        """Load a model and go to the chat."""
        self.dismiss("model")
        self.page_wanted.emit("chat")
        self._model.load(path)

    @Slot()
    def choose_file(self) -> None:
        """Let the user point at a model file, then load it."""
        dialog = self._dialog("model-file-title", QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilter(f"{self._look.language.text('model-file-filter')} ({_FILTER})")
        dialog.fileSelected.connect(self.open_path)
        dialog.open()

    @Slot()
    def choose_folder(self) -> None:
        """Let the user point at a folder: a model itself, or one with models in it."""
        dialog = self._dialog("model-folder-title", QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(self.open_path)
        dialog.open()

    def rescan(self) -> None:
        """Look for models again: one has come."""
        self._shelf.scan()

    @Slot()
    def start_with_starter(self) -> None:
        """Load the starter model, fetched first where it is not there."""
        self._shelf.fetch_starter()

    def _dialog(self, title_id: str, mode: QFileDialog.FileMode) -> QFileDialog:
        dialog = QFileDialog(self._window, self._look.language.text(title_id))
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(mode)
        return dialog

    @Slot(str)
    def open_path(self, chosen: str) -> None:
        """List and load a path when it is a model, look into it when it is a folder of some."""
        path = Path(chosen)
        self.dismiss("model")

        def failed(fault: Fault) -> None:
            if path.is_dir():
                self._look_into(path)
            else:
                self.announce_fault("model", fault)

        def known(facts: ModelFacts) -> None:
            self._shelf.add_file(path)
            self.load(path)

        self._shelf.identify(path, known, failed)

    def _look_into(self, folder: Path) -> None:
        """List what lies in a folder; where that is nothing, say so."""
        self._shelf.add_folder(folder)
        self.page_wanted.emit("models")

        def looked() -> None:
            if self._shelf.is_scanning:
                return
            self._shelf.changed.disconnect(looked)
            if not any(found.path.is_relative_to(folder) for found in self._shelf.found):
                self.announce(Announcement("model", Tone.INFO, without))

        def without(language: Language) -> FaultText:
            lead = language.text("folder-without", folder=str(folder))
            return FaultText(lead, language.text("folder-without.more", folder=str(folder)))

        self._shelf.changed.connect(looked)

    # --- faults -------------------------------------------------------------------------------

    def announce(self, announcement: Announcement) -> None:
        """Show a notice; what it offers to undo can be undone by its key, too, also later."""
        undoes = announcement.phrase(self._look.language).action is FaultAction.UNDO
        if undoes and announcement.act is not None:
            announcement = replace(announcement, act=self._once(announcement))
        if self._notices is not None:
            self._notices.announce(announcement)

    def undo(self) -> None:
        """Take back what was deleted last."""
        if self._undos:
            key, act = self._undos[-1]
            self.dismiss(key)
            act()

    def forget_undo(self, key: str) -> None:
        """Take back no more what notices of this key were about."""
        self._undos = [each for each in self._undos if each[0] != key]

    def _once(self, announcement: Announcement) -> Callable[[], object]:
        """Return what undoes a deed, once, whether by its button or by the key."""
        undo = announcement.act

        def act() -> None:
            if entry in self._undos and undo is not None:
                self._undos.remove(entry)
                undo()

        entry = (announcement.key, act)
        self._undos = [*self._undos[1 - _UNDOS :], entry]
        return act

    def dismiss(self, key: str) -> None:
        """Take a notice away, if it stands."""
        if self._notices is not None:
            self._notices.dismiss(key)

    def announce_fault(self, key: str, fault: Fault) -> None:
        """Show a fault with its remedy."""
        action = fault_text(fault, self._look.language).action
        is_of_load = fault == self._model.state.fault and fault.kind in ADVISED
        self.announce(
            Announcement(
                key,
                Tone.ERROR,
                lambda language: fault_text(fault, language),
                (lambda: self.act(action, fault)) if action else None,
                ask=("advisor-open", self.advice_wanted.emit) if is_of_load else None,
            )
        )

    @Slot()
    def refuse(self) -> None:
        """Say that there is no model to answer."""
        state = self._model.state
        failed = state.phase is ModelPhase.FAILED
        fault = state.fault if failed and state.fault else Fault(FaultKind.NO_MODEL)
        self.announce_fault("model", fault)

    @Slot(object, object)
    def act(self, action: FaultAction, fault: Fault) -> None:
        """Do what a button beside a fault promises."""
        match action:
            case FaultAction.CHOOSE_MODEL:
                self.page_wanted.emit("models")
            case FaultAction.OPEN_SETTINGS:
                self.setting_wanted.emit(_SETTINGS.get(fault.kind, ""))
            case FaultAction.EDIT_CONNECTION:
                self._edit_connection(fault.kind)
            case FaultAction.NEW_CHAT:
                self.new_chat_wanted.emit()
            case FaultAction.SHORTER_CONTEXT:
                self._shorten_context(int(fault.figures.get("context", 0)))
            case FaultAction.OPEN_FOLDER:
                path = Path(str(fault.figures.get("path", self._shelf.folders[0])))
                QDesktopServices.openUrl(QUrl.fromLocalFile(str(path.parent)))
            case FaultAction.OPEN_PAGE:
                QDesktopServices.openUrl(QUrl(str(fault.figures.get("address", ""))))
            case FaultAction.COPY_DETAIL:
                QGuiApplication.clipboard().setText(str(fault.figures.get("detail", "")))
            case FaultAction.CLOSE_WINDOW:
                self._window.close()
            case FaultAction.RETRY:
                self._try_again()
            case FaultAction.NONE | FaultAction.UNDO | FaultAction.EDIT:  # done where they stand
                pass

    @Slot(object)
    def show_in_folder(self, path: Path) -> None:
        """Show a file or a folder in the system's own file window."""
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(path.parent)))

    @Slot()
    def open_data_folder(self) -> None:
        """Show where the chats lie, in the system's own file window."""
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(data_folder())))

    def _edit_connection(self, kind: FaultKind) -> None:
        """Open the form of the remote model; its card may be gone, or another model be loaded."""
        path = self._model.state.path
        if path is not None and is_card(path):
            self.connection_wanted.emit(path, kind)
        else:
            self.page_wanted.emit("models")

    def _shorten_context(self, context: int) -> None:
        """Load the model again with the next smaller context, which is its own from now on."""
        path = self._model.state.path
        if path is not None:
            shorter = max(SHORTEST_CONTEXT, shorter_context(context))
            self._model.settings_of.change(path, "context", shorter)
            self.load(path)

    def _try_again(self) -> None:
        path = self._model.state.path
        if self._model.state.phase is ModelPhase.FAILED and path is not None:
            self.load(path)
