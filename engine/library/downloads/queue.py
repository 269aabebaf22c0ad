"""The queue: several files at a time, in order, on threads that exist only while there is work.

The lock is held for bookkeeping only, never while bytes move. A window reads ``states`` as often as
it likes; ``on_change`` is called on a worker's thread when a download begins or ends.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import httpx

from engine.contract import EngineError, Fault
from engine.library.downloads.disk import Cancelled, check_space, disk_fault
from engine.library.downloads.entry import Entry
from engine.library.downloads.order import DownloadState, Order, Phase, WantedFile
from engine.library.downloads.pace import Patience, RateLimit
from engine.library.downloads.record import Record
from engine.library.downloads.transfer import Download, Terms, fetch
from engine.library.downloads.wire import Wire

_PARALLEL = 3  # files at a time: one seldom fills a line to a far server, many offend it


class DownloadQueue:
    """Downloads into one model folder.

    Args:
        models: the model folder.
        make_client: makes the HTTP client, when there is something to fetch.
        token_for: the token of an account, "" where there is none.
        on_change: called on any thread when a phase changed.
        patience: when servers are given up.
        name: tells queues of one folder apart: programs that run at once share none.
        limit: for all that is fetched here and elsewhere in the program.
    """

    def __init__(
        self,
        models: Path,
        make_client: Callable[[], httpx.Client],
        token_for: Callable[[str], str] = lambda _: "",
        on_change: Callable[[], None] = lambda: None,
        patience: Patience | None = None,
        name: str = "queue",
        limit: RateLimit | None = None,
    ) -> None:
        self._record = Record(models, name)
        self._make_client, self._token_for, self._on_change = make_client, token_for, on_change
        self._patience = patience or Patience()
        self.limit = limit or RateLimit()
        self._lock = threading.RLock()
        self._entries = [Entry.restored(s, self._record) for s in self._record.read()]
        self._threads: set[threading.Thread] = set()
        self._client: httpx.Client | None = None
        self._closing = False

    # --- what there is ------------------------------------------------------------------------

    def states(self) -> list[DownloadState]:
        """Every download in order, as it is now."""
        now = time.monotonic()
        with self._lock:
            return [entry.state(now) for entry in self._entries if not entry.is_removed]

    # --- verbs --------------------------------------------------------------------------------

    def add(self, order: Order) -> None:
        """Put an order at the end, or go on with the one of that key.

        Raises:
            EngineError: ``DISK_FULL`` before a byte is asked for, ``FILE_UNREADABLE``.
        """
        with self._lock:
            known = next((e for e in self._entries if e.order.key == order.key), None)
            entry = Entry.begun(order, self._record)
            self._check_room(entry)
            if known is None:
                self._entries.append(entry)
            elif known.busy:  # its threads are on their way out
                known.is_removed = False
                known.wait(self._record)
            elif not known.is_wanted:
                self._entries[self._entries.index(known)] = entry
        self._changed()

    def resume(self, key: str) -> None:
        """Go on with a paused or failed download."""
        with self._lock:
            entry = self._entry(key)
            if entry.phase in {Phase.PAUSED, Phase.FAILED}:
                entry.wait(self._record)
        self._changed()

    def resume_all(self) -> None:
        """Go on with what was waiting or running when the program ended."""
        self._changed()

    def pause(self, key: str) -> None:
        """Stop a download and keep what arrived."""
        with self._lock:
            self._entry(key).stop(Phase.PAUSED)
        self._changed()

    def remove(self, key: str) -> None:
        """Take a download out of the list; what arrived of an unfinished one goes with it."""
        with self._lock:
            entry = self._entry(key)
            entry.stop(Phase.PAUSED)
            entry.is_removed = True
            self._drop_removed()
        self._changed()

    def move(self, key: str, place: int) -> None:
        """Put a download at another place of the queue; 0 is next."""
        with self._lock:
            entry = self._entry(key)
            self._entries.remove(entry)
            self._entries.insert(place, entry)
        self._changed()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until nothing runs any more; whether that came about in time."""
        end = None if timeout is None else time.monotonic() + timeout
        while threads := self._running():
            threads[0].join(0.05)
            if end is not None and time.monotonic() > end:
                return False
        return True

    def close(self, timeout: float = 2.0) -> None:
        """Stop everything and keep what arrived: the next program goes on with it."""
        with self._lock:
            self._closing = True
            for entry in self._entries:
                entry.cut()
        self.wait(timeout)
        self._save()

    # --- work ---------------------------------------------------------------------------------

    def _running(self) -> list[threading.Thread]:
        with self._lock:
            return list(self._threads)

    def _entry(self, key: str) -> Entry:
        return next(entry for entry in self._entries if entry.order.key == key)

    def _changed(self) -> None:
        self._save()
        with self._lock:
            ready = sum(len(e.todo) for e in self._entries if e.is_wanted)
            missing = min(_PARALLEL - len(self._threads), ready)
            for _ in range(0 if self._closing else missing):
                thread = threading.Thread(target=self._work, name="download", daemon=True)
                self._threads.add(thread)
                thread.start()
        self._on_change()

    def _save(self) -> None:
        with self._lock:
            try:
                self._record.write([e.state(0.0) for e in self._entries if not e.is_removed])
            except OSError as error:
                fault = disk_fault(error, self._record.folder.parent).fault
                for entry in self._entries:
                    if entry.is_wanted:
                        entry.fail(fault)

    def _work(self) -> None:
        """Take file after file until none is left."""
        while (taken := self._take()) is not None:
            entry, file = taken
            wire = Wire()
            entry.wires.add(wire)
            try:
                self._fetch(entry, file, wire)
                self._finish(entry, file, None)
            except Cancelled:
                self._finish(entry, file, None, left=True)
            except EngineError as error:
                self._finish(entry, file, self._named(entry, file, error.fault))
            finally:
                entry.wires.discard(wire)
            self._changed()

    def _named(self, entry: Entry, file: WantedFile, fault: Fault) -> Fault:
        """The fault with the file's own name: while it arrives it has another."""
        waiting = self._record.waiting(entry.order, file)
        if fault.figures.get("path") != str(waiting):
            return fault
        final = self._record.final(entry.order, file)
        return Fault(fault.kind, {**fault.figures, "path": str(final)})

    def _take(self) -> tuple[Entry, WantedFile] | None:
        """The next file of the first order that has one; None ends the thread."""
        with self._lock:
            for entry in () if self._closing else self._entries:
                if entry.is_wanted and entry.todo:
                    if self._client is None:
                        self._client = self._make_client()
                    return entry, entry.begin()
            self._threads.discard(threading.current_thread())
            if not self._threads and self._client is not None:
                self._client.close()
                self._client = None
            return None

    def _fetch(self, entry: Entry, file: WantedFile, wire: Wire) -> None:
        target = self._record.waiting(entry.order, file)
        if target.is_file():  # an earlier run verified it
            return
        assert self._client is not None
        token = self._token_for(entry.order.account) if entry.order.account else ""
        download = Download(file.address, target, file.sha256, file.git_sha1, file.size, token)
        terms = Terms(self.limit, self._patience, wire)

        def progress(done: int, total: int) -> None:
            entry.count(file, done, total, time.monotonic())

        fetch(
            self._client,
            download,
            progress,
            lambda: self._closing or entry.phase is not Phase.RUNNING,
            terms,
        )

    def _finish(
        self, entry: Entry, file: WantedFile, fault: Fault | None, *, left: bool = False
    ) -> None:
        path = None
        if fault is None and not left and self._is_last(entry, file):
            try:
                path = self._record.publish(entry.order)
            except OSError as error:
                fault = disk_fault(error, self._record.final(entry.order, file)).fault
        with self._lock:
            entry.end(file, left=left or fault is not None)
            if path is not None:
                entry.complete(path)
            elif fault is not None and entry.phase is Phase.RUNNING:
                entry.fail(fault)
            self._drop_removed()

    def _is_last(self, entry: Entry, file: WantedFile) -> bool:
        """Whether all is there with this file; else it is given back.

        Moving files to their place may read them whole, so it happens outside the lock, and until
        then the file is kept: nobody touches an entry that is busy.
        """
        with self._lock:
            wanted = entry.phase is Phase.RUNNING
            if wanted and not entry.todo and entry.busy == {file}:
                return True
            entry.end(file, left=False)
            return False

    def _drop_removed(self) -> None:
        """Forget what was taken out of the list, once no thread writes to it."""
        for entry in [e for e in self._entries if e.is_removed and not e.busy]:
            self._entries.remove(entry)
            self._record.discard(entry.order)

    def _check_room(self, entry: Entry) -> None:
        """Raise ``DISK_FULL`` where what is missing of all orders does not fit."""
        others = sum(e.missing for e in self._entries if e.is_wanted and e is not entry)
        try:
            self._record.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:  # what a person knows is the folder around ours
            raise disk_fault(error, self._record.folder.parent) from error
        check_space(self._record.folder / entry.order.name, others + entry.missing)
