"""The models on this computer: found by scanning folders, and the starter model when it is fetched.

Everything that touches disk or network runs in the background; the window reads the last result.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from app.store.model_notes import ModelNotes
from app.store.settings import SettingsFile
from app.ui.background import Background
from engine.contract import Fault, FaultKind, ModelFacts
from engine.library.downloads.pace import RateLimit
from engine.library.scan import Found
from engine.library.sources import Source, SourceKind

CountBytes = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class ModelSources:
    """What is asked for models, so that a test can answer: ``engine.library``'s functions.

    ``fetch_starter`` takes (bytes done, bytes in all) for its progress and asks whether to stop;
    it keeps to a limit, and returns the file, or None when it was stopped.
    """

    folder: Path
    scan: Callable[[Sequence[Source]], list[Found]]
    identify: Callable[[Path], ModelFacts]
    fetch_starter: Callable[[CountBytes, Callable[[], bool], RateLimit], Path | None]
    starter_size: int
    others: Callable[[], Sequence[Source]] = tuple  # other programs' folders that are there


class FetchPhase(StrEnum):
    """What there is of a fetch."""

    NONE = "none"
    RUNNING = "running"
    STOPPING = "stopping"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class FetchState:
    """How far the starter model's fetch is."""

    phase: FetchPhase = FetchPhase.NONE
    done: int = 0
    total: int = 0
    bytes_per_second: float = 0.0  # over the whole of this fetch
    fault: Fault | None = None


class ModelShelf(QObject):
    """Which models there are; scans again when asked, fetches one at a time."""

    changed = Signal()  # the models, or whether a scan runs
    fetch_changed = Signal(object)  # FetchState
    fetched = Signal(object)  # Path
    _counted = Signal(int, int)  # bytes, emitted on the fetching thread

    def __init__(
        self,
        sources: ModelSources,
        settings: SettingsFile,
        background: Background,
        parent: QObject | None = None,
        notes: ModelNotes | None = None,
    ) -> None:
        super().__init__(parent)
        self.notes = notes or ModelNotes()
        self._sources, self._settings, self._background = sources, settings, background
        self._found: tuple[Found, ...] = ()
        self._scans = 0
        self._scanned = False
        self._fetch = FetchState()
        self._fetch_began = 0.0
        self._stop_fetch = False
        self._counted.connect(self._on_counted)
        self.limit = RateLimit()  # of all downloads together, whatever they are
        settings.listen(self._on_settings_changed)
        self._on_settings_changed(frozenset({"download_limit"}))

    # --- what there is ------------------------------------------------------------------------

    @property
    def models(self) -> tuple[ModelFacts, ...]:
        """The models that can be read, by name."""
        known = [self._named(found.facts) for found in self._found if found.facts is not None]
        return tuple(sorted(known, key=lambda facts: (facts.name.casefold(), facts.path)))

    @property
    def found(self) -> tuple[Found, ...]:
        """Everything that the last scan found, models and what is not sound."""
        return self._found

    @property
    def unreadable(self) -> tuple[Found, ...]:
        """Files that look like models and cannot be used, each with its fault."""
        return tuple(found for found in self._found if found.fault is not None)

    @property
    def is_scanning(self) -> bool:
        """Whether a scan is under way."""
        return self._scans > 0

    @property
    def is_known(self) -> bool:
        """Whether a scan has ended, so that "no models" is a fact."""
        return self._scanned

    @property
    def fetch(self) -> FetchState:
        """How far the fetch is."""
        return self._fetch

    @property
    def folders(self) -> tuple[Path, ...]:
        """Our own folder and the ones that the user added."""
        added = (Path(folder) for folder in self._settings.settings.model_folders)
        return (self._sources.folder, *added)

    @property
    def starter_size(self) -> int:
        """How many bytes a fetch of the starter model takes from the network."""
        return self._sources.starter_size

    def _named(self, facts: ModelFacts) -> ModelFacts:
        """Return facts under the name that the user gave the model."""
        name = self.notes.of(facts.path).name
        return replace(facts, name=name) if name else facts

    # --- verbs --------------------------------------------------------------------------------

    def scan(self) -> None:
        """Look through the folders again."""
        own, *added = self.folders
        off = frozenset(self._settings.settings.sources_off)
        self._scans += 1

        def look() -> list[Found]:
            others = [each for each in self._sources.others() if each.kind.value not in off]
            mine = [Source(SourceKind.ADDED, folder) for folder in added]
            return self._sources.scan([Source(SourceKind.OWN, own), *others, *mine])

        self._background.run(look, self._on_scanned, self._on_scan_failed)
        self.changed.emit()

    def add_folder(self, folder: Path) -> None:
        """Look into another folder too, now and from now on."""
        known = self._settings.settings.model_folders
        if folder not in self.folders:
            self._settings.change(model_folders=(*known, str(folder)))
        self.scan()

    def add_file(self, path: Path) -> None:
        """List one model where it lies, from now on, unless a folder that is known has it."""
        listed = any(found.path == path for found in self._found)
        if not listed and not any(path.is_relative_to(folder) for folder in self.folders):
            self.add_folder(path)

    def switch_source(self, kind: SourceKind, *, on: bool) -> None:
        """Look into another program's folders or no more; nothing in them is touched."""
        off = set(self._settings.settings.sources_off) - {kind.value}
        self._settings.change(sources_off=tuple(sorted(off if on else off | {kind.value})))
        self.scan()

    def remove_folder(self, folder: Path) -> None:
        """Look into a folder no more; nothing in it is touched."""
        known = self._settings.settings.model_folders
        kept = tuple(each for each in known if Path(each) != folder)
        self._settings.change(model_folders=kept)
        self.scan()

    def identify(
        self, path: Path, then: Callable[[ModelFacts], None], failed: Callable[[Fault], None]
    ) -> None:
        """Read what a file or folder is; it need not lie in a known folder."""
        self._background.run(lambda: self._sources.identify(path), then, failed)

    def fetch_starter(self) -> None:
        """Fetch the starter model; its path comes with ``fetched``."""
        if self._fetch.phase in {FetchPhase.RUNNING, FetchPhase.STOPPING}:
            return
        if self._settings.settings.offline:
            self._on_fetch_failed(Fault(FaultKind.OFFLINE, {"host": "huggingface.co"}))
            return
        self._stop_fetch = False
        self._fetch_began = time.monotonic()
        self._become(FetchState(FetchPhase.RUNNING, 0, self._sources.starter_size))
        self._background.run(
            lambda: self._sources.fetch_starter(
                self._counted.emit, lambda: self._stop_fetch, self.limit
            ),
            self._on_fetched,
            self._on_fetch_failed,
        )

    def stop_fetch(self) -> None:
        """End the fetch; what is half there is not used."""
        if self._fetch.phase is FetchPhase.RUNNING:
            self._stop_fetch = True
            self._become(FetchState(FetchPhase.STOPPING, self._fetch.done, self._fetch.total))

    def close(self) -> None:
        """Let a running fetch end soon."""
        self._stop_fetch = True

    def _on_settings_changed(self, names: frozenset[str]) -> None:
        if "download_limit" in names:
            self.limit.change(self._settings.settings.download_limit * 1000)

    # --- results ------------------------------------------------------------------------------

    def _on_scanned(self, found: list[Found]) -> None:
        self._scans -= 1
        self._scanned = True
        self._found = tuple(found)
        self.changed.emit()

    def _on_scan_failed(self, fault: Fault) -> None:
        self._on_scanned([Found(self._sources.folder, fault=fault)])

    @Slot(int, int)
    def _on_counted(self, done: int, total: int) -> None:
        if self._fetch.phase is FetchPhase.RUNNING:
            passed = max(0.001, time.monotonic() - self._fetch_began)
            self._become(FetchState(FetchPhase.RUNNING, done, total, done / passed))

    def _on_fetched(self, path: Path | None) -> None:
        self._become(FetchState())
        if path is not None:
            self.scan()
            self.fetched.emit(path)

    def _on_fetch_failed(self, fault: Fault) -> None:
        self._become(FetchState(FetchPhase.FAILED, fault=fault))

    def _become(self, state: FetchState) -> None:
        self._fetch = state
        self.fetch_changed.emit(state)
