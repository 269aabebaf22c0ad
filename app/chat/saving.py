"""The store's thread speaks to the window: what was saved, and what could not be."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.store.chats import ChatStore
from app.store.faults import StoreFault, StoreFaultKind

_RETRY_MS = 2_000


class Saving(QObject):
    """Signals of one store, and the retry of what its disk refused."""

    saved = Signal(int)  # the last ticket on disk
    refused = Signal(object)  # StoreFault: kept in memory, tried again
    recovered = Signal()  # everything that was refused is on disk now

    def __init__(self, store: ChatStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.store = store
        self._fault: StoreFault | None = None
        self._retry = QTimer(self)
        self._retry.setInterval(_RETRY_MS)
        self._retry.timeout.connect(store.database.retry)
        self._told.connect(self._on_told)
        store.database.listener = self._told.emit

    _told = Signal(int, object)  # emitted on the store's thread, received on ours

    @property
    def fault(self) -> StoreFault | None:
        """Why writes are waiting now, or None."""
        return self._fault

    def close(self) -> None:
        """Listen no longer."""
        self._retry.stop()
        self.store.database.listener = lambda ticket, fault: None

    @Slot(int, object)
    def _on_told(self, ticket: int, fault: StoreFault | None) -> None:
        if fault is not None and fault.kind is StoreFaultKind.ROW_DAMAGED:
            self.refused.emit(fault)  # one write was given up; nothing waits for it
            fault = None
        had, self._fault = self._fault, fault
        if fault is None:
            self._retry.stop()
            if had is not None:
                self.recovered.emit()
            self.saved.emit(ticket)
        else:
            self._retry.start()
            self.refused.emit(fault)
