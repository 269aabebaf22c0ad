"""What became of what was to be kept on disk, said where notices stand."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Slot

from app.chat.saving import Saving
from app.store.faults import StoreFault, StoreFaultKind
from app.ui.deeds import Deeds
from app.ui.faults import FaultAction, store_fault_text
from app.ui.main_window import MainWindow
from app.ui.notices import Announcement, Tone


class SavingOnScreen(QObject):
    """Announces the faults of the store, and takes back those that are over.

    Args:
        saving: speaks for the store.
        window: closed by one of the remedies.
        deeds: where notices are announced.
    """

    def __init__(self, saving: Saving, window: MainWindow, deeds: Deeds) -> None:
        super().__init__(window)
        self._window, self._deeds = window, deeds
        # how the chats were opened stays true for the whole session: only these are taken back
        self._of_writing: set[StoreFaultKind] = set()
        saving.refused.connect(self._on_refused)
        saving.recovered.connect(self._on_recovered)

    @Slot(object)
    def say(self, fault: StoreFault) -> None:
        """Show a fault of the store with its remedy."""
        remedies: dict[FaultAction, Callable[[], object]] = {
            FaultAction.OPEN_FOLDER: self._deeds.open_data_folder,
            FaultAction.CLOSE_WINDOW: self._window.close,
        }
        action = store_fault_text(fault, self._window.look.language).action
        self._deeds.announce(
            Announcement(
                _key(fault.kind),
                Tone.WARNING,
                lambda language: store_fault_text(fault, language),
                remedies.get(action),
            )
        )

    @Slot(object)
    def _on_refused(self, fault: StoreFault) -> None:
        self._of_writing.add(fault.kind)
        self.say(fault)

    @Slot()
    def _on_recovered(self) -> None:
        for kind in self._of_writing - {StoreFaultKind.ROW_DAMAGED}:
            self._deeds.dismiss(_key(kind))
        self._of_writing.clear()


def _key(kind: StoreFaultKind) -> str:
    return f"store-{kind.value}"
