"""The download queue and the hubs for the window: nothing here waits on the window's thread.

Opening the queue imports the HTTP library, so that happens on a background thread, and only when
something is left from the last run or a person asks for a download or a search.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.store.settings import SettingsFile
from app.ui.background import Background
from engine.contract import Fault, FaultKind
from engine.library.downloads.order import DownloadState, Order, Phase
from engine.library.downloads.pace import RateLimit
from engine.library.downloads.record import UNFINISHED
from engine.library.secrets import Secrets

if TYPE_CHECKING:
    from engine.library.downloads.queue import DownloadQueue
    from engine.library.hubs.choices import FileChoice
    from engine.library.hubs.hub import HubModel, HubQuery, Repository
    from engine.library.hubs.places import Places

_EVERY_MS = 250
_ACTIVE = {Phase.WAITING, Phase.RUNNING}
_END_S = 3.0
_REFUSED = {FaultKind.TOKEN_NEEDED, FaultKind.TOKEN_REFUSED, FaultKind.ACCESS_REFUSED}
_HOSTS = {"huggingface": "huggingface.co", "modelscope": "modelscope.cn"}

T = TypeVar("T")
Files = tuple["Repository", tuple["FileChoice", ...]]


class Downloads(QObject):
    """Every download of the window.

    Args:
        folder: the model folder.
        settings: the hub's server, and whether it may be asked.
        secrets: tokens.
        background: where hubs are asked; closed with the downloads.
        limit: of all downloads together.
    """

    changed = Signal()
    finished = Signal(object)  # DownloadState
    failed = Signal(object)  # Fault: the queue could not be opened
    _told = Signal()

    def __init__(
        self,
        folder: Path,
        settings: SettingsFile,
        secrets: Secrets,
        background: Background,
        limit: RateLimit,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._limit = limit
        self._folder, self._settings, self._secrets = folder, settings, secrets
        self._background = background
        self._queue: DownloadQueue | None = None
        self._opening = self._closed = False
        self._asking = 0
        self._waiting: list[Callable[[DownloadQueue], None]] = []
        self._seen: dict[str, Phase] = {}
        self._timer = QTimer(self)
        self._timer.setInterval(_EVERY_MS)
        self._timer.timeout.connect(self._look)
        self._told.connect(self._look)

    # --- what there is ------------------------------------------------------------------------

    def states(self) -> list[DownloadState]:
        """Every download, in order."""
        return self._queue.states() if self._queue is not None else []

    @property
    def is_asking(self) -> bool:
        """Whether a hub is being asked now."""
        return self._asking > 0

    # --- verbs --------------------------------------------------------------------------------

    def begin(self) -> None:
        """Go on with what the last run left."""
        if self._settings.settings.offline:
            return
        if (self._folder / UNFINISHED / "queue.json").is_file():
            self._do(lambda queue: queue.resume_all())

    def add(self, order: Order, failed: Callable[[Fault], None]) -> None:
        """Fetch a model; ``failed`` is told what forbids it."""
        if self._refuses(failed):
            return
        self._do(lambda queue: self._background.run(
            lambda: queue.add(order), lambda _: self.use_offline(), failed
        ))  # fmt: skip

    def pause(self, key: str) -> None:
        """Stop a download and keep what arrived."""
        self._do(lambda queue: queue.pause(key))

    def resume(self, key: str) -> None:
        """Go on with a download, unless nothing but this computer may be asked."""
        if self._refuses(self.failed.emit):
            return
        self._do(lambda queue: queue.resume(key))

    def remove(self, key: str) -> None:
        """Take a download out of the list."""
        self._do(lambda queue: queue.remove(key))

    def move_first(self, key: str) -> None:
        """Fetch a download next."""
        self._do(lambda queue: queue.move(key, 0))

    def use_offline(self) -> None:
        """Pause everything where nothing but this computer may be asked from now on."""
        if self._settings.settings.offline:
            for state in self.states():
                if state.phase in _ACTIVE:
                    self.pause(state.order.key)

    def keep_token(self, account: str, secret: str, then: Callable[[bool], None]) -> None:
        """Keep a hub's token; tells whether the system's keyring has it."""
        self._background.run(
            lambda: self._secrets.keep(account, secret), then, lambda _: then(False)
        )

    def go_on_with(self, account: str) -> None:
        """Go on with what was refused for want of a token, or of one that is known there."""
        for state in self.states():
            refused = state.fault is not None and state.fault.kind in _REFUSED
            if refused and state.order.account == account:
                self.resume(state.order.key)

    def search(
        self,
        hub: str,
        query: HubQuery,
        then: Callable[[tuple[HubModel, ...]], None],
        failed: Callable[[Fault], None],
    ) -> None:
        """Search a hub, or look through it."""
        if self._refuses(failed, hub):
            return
        places = self._places

        def job() -> tuple[HubModel, ...]:
            from engine.library.downloads.client import open_client  # noqa: PLC0415

            with open_client() as client:
                return places().open(client, hub).search(query)

        self._ask(job, then, failed)

    def look(
        self,
        hub: str,
        repository: str,
        then: Callable[[Files], None],
        failed: Callable[[Fault], None],
    ) -> None:
        """Ask for a repository's files and what can be made of them."""
        if self._refuses(failed, hub):
            return
        places = self._places

        def job() -> Files:
            from engine.library.downloads.client import open_client  # noqa: PLC0415
            from engine.library.hubs.choices import choices_in  # noqa: PLC0415

            with open_client() as client:
                found = places().open(client, hub).look(repository)
            return found, choices_in(found)

        self._ask(job, then, failed)

    def close(self) -> None:
        """End the threads; the next run goes on."""
        self._closed = True
        self._timer.stop()
        self._background.close()
        if self._queue is not None:
            self._queue.close(_END_S)

    def _ask(
        self, job: Callable[[], T], then: Callable[[T], None], failed: Callable[[Fault], None]
    ) -> None:
        """Run a job that asks a hub, and tell that the network is used as long as it runs."""

        def ended(deed: Callable[[], None]) -> None:
            self._asking -= 1
            self.changed.emit()
            deed()

        self._asking += 1
        self.changed.emit()
        self._background.run(
            job,
            lambda found: ended(lambda: then(found)),
            lambda fault: ended(lambda: failed(fault)),
        )

    # --- inside -------------------------------------------------------------------------------

    def _refuses(self, failed: Callable[[Fault], None], hub: str = "huggingface") -> bool:
        """Tell that the switch is off, where it is."""
        if not self._settings.settings.offline:
            return False
        failed(Fault(FaultKind.OFFLINE, {"host": _HOSTS[hub]}))
        return True

    def _places(self) -> Places:
        from engine.library.hubs.hub import HUGGING_FACE  # noqa: PLC0415
        from engine.library.hubs.places import Places  # noqa: PLC0415

        return Places({HUGGING_FACE: self._settings.settings.hub_endpoint}, self._token)

    def _token(self, account: str) -> str:
        from engine.library.hubs.places import token_from_environment  # noqa: PLC0415

        return self._secrets.read(account) or token_from_environment(account)

    def _do(self, deed: Callable[[DownloadQueue], None]) -> None:
        if self._queue is not None:
            deed(self._queue)
            return
        self._waiting.append(deed)
        if not self._opening:
            self._opening = True
            self._background.run(self._open, self._on_opened, self.failed.emit)

    def _open(self) -> DownloadQueue:
        from engine.library.downloads.client import open_client  # noqa: PLC0415
        from engine.library.downloads.queue import DownloadQueue  # noqa: PLC0415

        return DownloadQueue(
            self._folder, open_client, self._token, self._told.emit, limit=self._limit
        )

    def _on_opened(self, queue: DownloadQueue) -> None:
        self._queue = queue
        if self._closed:
            return
        self._seen = {state.order.key: state.phase for state in queue.states()}
        waiting, self._waiting = self._waiting, []
        if waiting and self._refuses(self.failed.emit):  # switched since they were asked for
            return
        for deed in waiting:
            deed(queue)

    @Slot()
    def _look(self) -> None:
        """Tell what is new, and go on looking while something runs."""
        if self._closed:
            return
        states = self.states()
        if any(state.phase in _ACTIVE for state in states):
            self._timer.start()
        else:
            self._timer.stop()
        before, self._seen = self._seen, {state.order.key: state.phase for state in states}
        self.changed.emit()
        for state in states:
            if state.phase is Phase.FINISHED and before.get(state.order.key) is not Phase.FINISHED:
                self.finished.emit(state)
