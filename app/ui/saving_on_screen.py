"""What became of what was to be kept on disk: said where notices stand, asked before it is lost."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, QPoint, Slot

from app.chat.library import ChatLibrary
from app.chat.saving import Saving
from app.language import Language
from app.store.faults import StoreFault, StoreFaultKind
from app.store.opening import OpenedStore
from app.store.standing import Keeping, Standing
from app.ui.deeds import Deeds
from app.ui.faults import FaultAction, FaultText
from app.ui.list_on_screen import ListOnScreen
from app.ui.main_window import MainWindow
from app.ui.notices import Announcement, Tone
from app.ui.question import Answer, QuestionDialog
from app.ui.store_faults import standing_text, store_fault_text
from app.ui.transfer_on_screen import TransferOnScreen


class SavingOnScreen(QObject):
    """Announces the faults of the store, and takes back those that are over.

    Args:
        saving: speaks for the store.
        chats: what would be lost.
        window: closed by one of the remedies, and asked about before it closes.
        deeds: where notices are announced.
        rows: whose menus know how a chat is saved as a file.
        transfer: saves them all before the window closes.
    """

    def __init__(
        self,
        saving: Saving,
        chats: ChatLibrary,
        window: MainWindow,
        deeds: Deeds,
        rows: ListOnScreen,
        transfer: TransferOnScreen,
    ) -> None:
        super().__init__(window)
        self._saving, self._chats, self._window, self._deeds = saving, chats, window, deeds
        self._menus, self._transfer = rows.menus, transfer
        self._line = window.parts.chat.line
        # how the chats were opened stays true for the whole session: only these are taken back
        self._of_writing: set[StoreFaultKind] = set()
        self._is_leaving = False  # the window closes as soon as the file is there
        saving.refused.connect(self._on_refused)
        saving.recovered.connect(self._on_recovered)
        self._line.why_wanted.connect(self._on_why)
        self._line.save_wanted.connect(self._on_save)
        transfer.saved.connect(self._on_file_saved)
        transfer.failed.connect(self._on_stays)
        window.may_close = self.may_close

    @Slot(object)
    def say(self, fault: StoreFault) -> None:
        """Show a fault of the store with its remedy."""
        standing = self._saving.standing
        if standing is not None and standing.fault is fault:
            self._announce(fault, partial(standing_text, standing))
        else:
            self._announce(fault, partial(store_fault_text, fault))

    def say_of(self, opened: OpenedStore, *others: StoreFault | None) -> None:
        """Say what opening the chats, and other files, has met."""
        standing, rows = self._saving.standing, self._window.parts.sidebar.rows
        rows.hides_others = standing is not None and standing.hides
        rows.show_only("")  # what the empty list says
        for fault in (opened.fault, opened.joined, *others):
            if fault is not None:
                self.say(fault)

    def may_close(self) -> bool:
        """Say whether nothing would be lost; otherwise ask, and close when that was answered."""
        standing = self._saving.standing
        if standing is None or standing.keeping is Keeping.APART:
            return True
        posted = self._saving.store.database.posted
        if standing.keeping is Keeping.WAITING and self._saving.store.is_saved(posted):
            return True
        chats = self._at_risk(standing)
        if not chats and not self._window.parts.chat.box.field.toPlainText().strip():
            return True
        self._ask(standing, chats)
        return False

    # --- inside -------------------------------------------------------------------------------

    def _announce(self, fault: StoreFault, phrase: Callable[[Language], FaultText]) -> None:
        remedies: dict[FaultAction, Callable[[], object]] = {
            FaultAction.OPEN_FOLDER: self._deeds.open_data_folder,
            FaultAction.CLOSE_WINDOW: self._window.close,
        }
        action = phrase(self._window.look.language).action
        newer = fault.kind is StoreFaultKind.NEWER
        self._deeds.announce(
            Announcement(
                _key(fault.kind),
                Tone.INFO if fault.kind is StoreFaultKind.JOINED else Tone.WARNING,
                phrase,
                remedies.get(action),
                ask=("keeping-update", self._show_version) if newer else None,
                of_chats=fault.kind is not StoreFaultKind.SETTINGS_SET_ASIDE,
            )
        )

    def _show_version(self) -> None:
        """Show which version this is, and how to come to a newer one."""
        self._window.show_page("settings")
        self._window.parts.settings.open_section("about")

    def _at_risk(self, standing: Standing) -> list[int]:
        """Return the chats that may not be on disk: a chat with anything unsaved is in memory."""
        rows = [*self._chats.chats(), *self._chats.chats(archived=True)]
        nothing_is = standing.keeping is Keeping.MEMORY
        return [row.id for row in rows if nothing_is or self._chats.peek(row.id) is not None]

    def _ask(self, standing: Standing, chats: list[int]) -> None:
        text = self._window.look.language.text
        why = standing_text(standing, self._window.look.language).lead
        answers = [Answer("leave-anyway", self._leave, "danger")]
        if chats:
            answers.append(Answer("leave-save", lambda: self._save_and_leave(chats), "main"))
        about = text("leave-about", chats=len(chats), why=why)
        QuestionDialog(
            self._window.look, text("leave-question"), about, answers, self._window
        ).open()

    def _leave(self) -> None:
        self._window.may_close = lambda: True
        self._window.quit()

    def _save_and_leave(self, chats: list[int]) -> None:
        self._is_leaving = True
        self._transfer.export(chats, "json").rejected.connect(self._on_stays)

    @Slot()
    def _on_file_saved(self) -> None:
        if self._is_leaving:
            self._leave()

    @Slot()
    def _on_stays(self) -> None:
        """Stay open: no file was chosen, or none could be written."""
        self._is_leaving = False

    @Slot()
    def _on_why(self) -> None:
        if self._saving.standing is not None:
            self.say(self._saving.standing.fault)

    @Slot()
    def _on_save(self) -> None:
        if self._deeds.open_chat is not None:
            corner: QPoint = self._line.save.mapToGlobal(self._line.save.rect().bottomLeft())
            self._menus.open_exports([self._deeds.open_chat], corner)

    @Slot(object)
    def _on_refused(self, fault: StoreFault) -> None:
        is_told = fault.kind in self._of_writing and fault.kind is not StoreFaultKind.WRITE_DAMAGED
        self._of_writing.add(fault.kind)
        if not is_told:  # it is tried again every other second; the line over the chat stays
            self.say(fault)

    @Slot()
    def _on_recovered(self) -> None:
        for kind in self._of_writing - {StoreFaultKind.WRITE_DAMAGED}:
            self._deeds.dismiss(_key(kind))
        self._of_writing.clear()


def _key(kind: StoreFaultKind) -> str:
    return f"store-{kind.value}"
