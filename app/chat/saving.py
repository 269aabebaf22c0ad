"""The store's thread speaks to the window: what was saved, and what could not be."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.store.chats import ChatStore
from app.store.faults import StoreFault, StoreFaultKind
from app.store.standing import Keeping, Standing

_RETRY_MS = 2_000


class Saving(QObject):
    """Signals of one store, and the retry of what its disk refused.

    Args:
        store: the chats.
        parent: ends it.
        opened: how the store keeps them since it was opened, where that is not simply on disk.
    """

    saved = Signal(int)  # the last ticket on disk
    refused = Signal(object)  # StoreFault: kept in memory, tried again
    recovered = Signal()  # everything that was refused is on disk now
    standing_changed = Signal()

    def __init__(
        self, store: ChatStore, parent: QObject | None = None, opened: Standing | None = None
    ) -> None:
        super().__init__(parent)
        self.store = store
        self._fault: StoreFault | None = None
        self._opened = opened
        self._given_up: StoreFault | None = None
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

    @property
    def standing(self) -> Standing | None:
        """How what is said now is kept, where that is not simply on disk; the worst of it."""
        if self._opened is not None and self._opened.keeping is Keeping.MEMORY:
            return self._opened
        if self._fault is not None:
            return Standing(Keeping.WAITING, self._fault)
        if self._given_up is not None:
            return Standing(Keeping.PARTLY, self._given_up)
        return self._opened

    @property
    def is_lasting(self) -> bool:
        """Whether chats keep their numbers beyond this session; not where they lie in memory."""
        return self._opened is None or self._opened.keeping is not Keeping.MEMORY

    def close(self) -> None:
        """Listen no longer."""
        self._retry.stop()
        self.store.database.listener = lambda ticket, fault: None

    @Slot(int, object)
    def _on_told(self, ticket: int, fault: StoreFault | None) -> None:
        before = self.standing
        if fault is not None and fault.kind is StoreFaultKind.WRITE_DAMAGED:
            self._given_up = fault
            self.refused.emit(fault)  # one write was given up; nothing waits for it
            fault = None
        had, self._fault = self._fault, fault
        if self.standing != before:
            self.standing_changed.emit()
        if fault is None:
            self._retry.stop()
            if had is not None:
                self.recovered.emit()
            self.saved.emit(ticket)
        else:
            self._retry.start()
            self.refused.emit(fault)
