"""One look for a newer version and what follows from it, step by step; nothing begins by itself."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from enum import Enum, auto
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from app.store.opening import known_schema
from app.store.settings import SettingsFile
from app.ui.background import Background
from app.update.channel import Channel
from app.update.form import Form, Place
from app.update.record import Step, keep_step, read_step
from app.update.release import Refusal, Release
from engine.contract import Fault, FaultKind
from engine.library.downloads.disk import Cancelled, disk_fault
from engine.library.downloads.pace import RateLimit


class Stage(Enum):
    """How far it is."""

    LOOKING = auto()
    NEWEST = auto()  # there is none
    REFUSED = auto()  # there is one that must not be installed
    FOUND = auto()
    FETCHING = auto()
    PAUSED = auto()  # what arrived is kept
    INSTALLING = auto()
    READY = auto()  # at the next start, or with the system's installer
    FAILED = auto()


@dataclass(frozen=True, slots=True)
class UpdateState:
    """What the dialog shows.

    Attributes:
        done: bytes that arrived.
        package: the file that was fetched, where the system installs it.
    """

    stage: Stage
    release: Release | None = None
    done: int = 0
    refusal: Refusal | None = None
    fault: Fault | None = None
    package: Path | None = None


class Updating(QObject):
    """Looks, fetches and installs, each when it is asked to.

    Args:
        channel: where.
        place: what runs.
        running: its version.
        folder: where packages, and what was seen, are kept.
        settings: whether the network may be used.
        background: of its own; a download takes minutes.
        limit: of all downloads together.
    """

    changed = Signal()
    _came = Signal(int)  # bytes
    _came_whole = Signal()

    def __init__(
        self,
        channel: Channel,
        place: Place,
        running: str,
        folder: Path,
        settings: SettingsFile,
        background: Background,
        limit: RateLimit,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._limit = limit
        self._channel, self.place, self._running = channel, place, running
        self._folder, self._settings, self._background = folder, settings, background
        self._stop, self._is_fetching = threading.Event(), False
        self.state = UpdateState(Stage.LOOKING)
        self._came.connect(self._on_came)
        self._came_whole.connect(self._on_came_whole)

    @Slot()
    def look(self) -> None:
        """Ask whether there is a newer version."""
        if self._refuses():
            return
        self._become(UpdateState(Stage.LOOKING))
        self._background.run(self._look, self._on_looked, self._on_failed)

    @Slot()
    def fetch(self) -> None:
        """Fetch what was found, or go on with it, and put it in its place."""
        release = self.state.release
        if release is None or self._refuses():
            return
        self._become(replace(self.state, stage=Stage.FETCHING, fault=None))
        if self._is_fetching:  # the one that was stopped still ends; two would write one file
            return
        self._is_fetching = True
        self._stop = stop = threading.Event()
        self._background.run(
            lambda: self._fetch(release, stop), self._on_fetched, self._on_fetch_failed
        )

    @Slot()
    def pause(self) -> None:
        """Stop fetching; what arrived is kept."""
        if self.state.stage is Stage.FETCHING:
            self._stop.set()
            self._become(replace(self.state, stage=Stage.PAUSED))

    def close(self) -> None:
        """End with the program."""
        self._stop.set()
        self._background.close()

    def _refuses(self) -> bool:
        """Tell that nothing but this computer may be asked, where that is so."""
        if self._settings.settings.offline:
            self._on_failed(Fault(FaultKind.OFFLINE, {"host": self._channel.host}))
            return True
        return False

    # --- on the background's thread -------------------------------------------------------------

    def _look(self) -> tuple[Release | Refusal | None, int]:
        from app.update.looking import look  # noqa: PLC0415 - the framework, for those who ask
        from app.update.packages import arrived  # noqa: PLC0415
        from engine.library.downloads.client import open_client  # noqa: PLC0415

        with open_client() as client:
            found = look(client, self._channel, self.place, self._running, self._folder)
        return found, arrived(found, self._folder) if isinstance(found, Release) else 0

    def _fetch(self, release: Release, stop: threading.Event) -> Path | None:
        """Return the package, or None where it was stopped."""
        from app.update.packages import fetch_package  # noqa: PLC0415
        from engine.library.downloads.client import open_client  # noqa: PLC0415

        told = 0

        def progress(done: int, _total: int) -> None:
            nonlocal told
            if done - told > release.size // 200 or done < told:
                told = done
                self._came.emit(done)

        try:
            with open_client() as client:
                package = fetch_package(
                    client, release, self._folder, progress, stop.is_set, self._limit
                )
            self._came_whole.emit()
            return self._install(release, package, stop)
        except Cancelled:
            return None

    def _install(self, release: Release, package: Path, stop: threading.Event) -> Path:
        """Put the version in its place, or keep the package for the system's installer."""
        from app.update.packages import drop_packages  # noqa: PLC0415
        from app.update.versions import drop_others, switch, unpack  # noqa: PLC0415

        before = read_step(self._folder)
        mine = before.package_after if before and before.after == self._running else ""
        step = Step(self._running, release.version, known_schema(), mine, release.package)
        root = self.place.root
        if self.place.form is Form.TAR and root is not None:
            unpack(package, root, release.version, stop.is_set)
            self._keep(step)
            switch(root, release.version)
            drop_others(root, {self._running, release.version})
            drop_packages(self._folder)
        else:
            self._keep(step)
            drop_packages(self._folder, {mine, release.package})
        return package

    def _keep(self, step: Step) -> None:
        try:
            keep_step(self._folder, step)
        except OSError as error:
            raise disk_fault(error, self._folder) from error

    # --- on the window's thread -----------------------------------------------------------------

    def _on_looked(self, result: tuple[Release | Refusal | None, int]) -> None:
        found, arrived = result
        match found:
            case Release():
                self._become(UpdateState(Stage.FOUND, found, arrived))
            case Refusal():
                self._become(UpdateState(Stage.REFUSED, refusal=found))
            case _:
                self._become(UpdateState(Stage.NEWEST))

    @Slot(int)
    def _on_came(self, done: int) -> None:
        if self.state.stage is Stage.FETCHING:
            self._become(replace(self.state, done=done))

    @Slot()
    def _on_came_whole(self) -> None:
        if self.state.stage is Stage.FETCHING and self.state.release is not None:
            self._become(replace(self.state, stage=Stage.INSTALLING, done=self.state.release.size))

    def _on_fetched(self, package: Path | None) -> None:
        self._is_fetching = False
        if package is not None:
            self._become(replace(self.state, stage=Stage.READY, package=package))
        elif self.state.stage is Stage.FETCHING:  # asked for again before the stop was through
            self.fetch()

    def _on_fetch_failed(self, fault: Fault) -> None:
        self._is_fetching = False
        self._on_failed(fault)

    def _on_failed(self, fault: Fault) -> None:
        self._become(replace(self.state, stage=Stage.FAILED, fault=fault))

    def _become(self, state: UpdateState) -> None:
        self.state = state
        self.changed.emit()
