"""The window's program: builds everything in order, and closes it in reverse.

The only place that constructs. The window is on screen before the engine's libraries are imported:
the engine starts with its first command, on its own thread.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QApplication

from app.chat.benchmarking import Benchmarking
from app.chat.gpu_watch import GpuWatch
from app.chat.inspections import Inspections
from app.chat.keep_loaded import KeepLoaded
from app.chat.library import ChatLibrary
from app.chat.measuring import Measuring
from app.chat.model_session import ModelSession
from app.chat.model_uses import ModelUses
from app.chat.monitoring import Monitoring
from app.chat.remote_models import RemoteModels
from app.chat.saving import Saving
from app.chat.searching import ChatSearch
from app.chat.services import Services
from app.chat.serving import Serving
from app.chat.shrinking import Shrinking
from app.chat.text_count import TextCount
from app.chat.titling import Titling
from app.chat.token_count import TokenCount
from app.chat.transfer import Transfer
from app.dressing import dress
from app.engine_bridge import EngineBridge, Service
from app.key_verbs import key_verbs
from app.model_sources import library_sources
from app.store.benchmarks import Benchmarks
from app.store.folders import (
    benchmarks_path,
    crashes_folder,
    data_folder,
    monitor_path,
    notes_path,
    settings_path,
    translations_folder,
)
from app.store.model_notes import ModelNotes
from app.store.monitor import MonitorLog
from app.store.opening import open_store
from app.store.settings import SettingsFile
from app.store.worker import ThreadWorker
from app.surroundings import Surroundings
from app.ui.add_model.on_screen import AddModelOnScreen
from app.ui.advisor.on_screen import AdvisorOnScreen
from app.ui.aftercare import Aftercare
from app.ui.announcer import Announcer
from app.ui.attachments.files_on_screen import FilesOnScreen
from app.ui.background import ThreadBackground
from app.ui.backup_on_screen import BackupOnScreen
from app.ui.benchmark.on_screen import BenchmarkOnScreen
from app.ui.chat_deeds import ChatDeeds
from app.ui.chat_settings.on_screen import ChatSettingsOnScreen
from app.ui.chats_on_screen import ChatsOnScreen
from app.ui.clipboard import release_clipboard
from app.ui.deeds import Deeds
from app.ui.downloads.downloads import Downloads
from app.ui.file_saving import FileSaving
from app.ui.inspector_on_screen import InspectorOnScreen
from app.ui.keys import bind
from app.ui.line_on_screen import LineOnScreen
from app.ui.list_on_screen import ListOnScreen
from app.ui.main_window import MainWindow
from app.ui.model_on_screen import ModelOnScreen
from app.ui.model_settings.on_screen import ModelSettingsOnScreen
from app.ui.model_shelf import ModelShelf, ModelSources
from app.ui.models_on_screen import ModelsOnScreen, ModelThings
from app.ui.monitor.on_screen import MonitorOnScreen
from app.ui.offline_on_screen import OfflineOnScreen
from app.ui.parts import Parts
from app.ui.quick.on_screen import QuickOnScreen
from app.ui.remote.on_screen import RemoteOnScreen
from app.ui.saving_on_screen import SavingOnScreen
from app.ui.server.kept_key import KeptKey
from app.ui.settings.on_screen import SettingsOnScreen
from app.ui.smaller.on_screen import SmallerOnScreen
from app.ui.templates.templates_on_screen import TemplatesOnScreen
from app.ui.transfer_on_screen import TransferOnScreen
from engine.contract import Event
from engine.library.secrets import Secrets
from engine.service import EngineService
from engine.service.crash_file import take_reports

MakeService = Callable[[Callable[[Event], None]], Service]

_END_S = 5.0  # the longest that closing waits for the engine, and again for the disk


@dataclass(frozen=True, slots=True)
class Outside:
    """What the program uses that a test may want to be something else."""

    make_service: MakeService = EngineService
    sources: ModelSources | None = None  # None: ``engine.library``
    measures: bool = True  # this computer, in a child process


class Application(QObject):
    """Everything that lives as long as the window.

    Args:
        app: Qt's application.
        outside: engine and model sources.
        model: a model to load, in place of the last one.
        first_model: a model to load where none was loaded before.
    """

    def __init__(
        self,
        app: QApplication,
        outside: Outside | None = None,
        model: Path | None = None,
        first_model: Path | None = None,
    ) -> None:
        super().__init__()
        self._outside = outside or Outside()
        self._model_path, self._first_model = model, first_model
        self._closing = ExitStack()  # what is opened registers its own closing, in order
        self._closed = False
        folder = data_folder()
        self._open_store(folder)
        self._dress(app)
        self._open_engine()
        self._build_window()
        quick = QuickOnScreen(
            self.chats, self.model, self.settings, self.window, self.chats_on_screen, self.deeds
        )
        self.surroundings = Surroundings(
            app, self.window, self.deeds, self.shelf, self.settings, self.background, quick
        )
        self.aftercare = Aftercare(
            data_folder(), self.settings, self.model, self.window, self.deeds
        )
        self._closing.callback(self.surroundings.close)
        self._closing.callback(self.model.close)  # first of all: closing may be cut short
        self.theme.apply(app)
        app.aboutToQuit.connect(self.close)

    def start(self, *, minimised: bool = False) -> None:
        """Show the window, or leave it in tray or task bar; what is slower waits for its paint."""
        self.model_on_screen.open_first_page(self._model_path, self._first_model)
        self.window.first_painted.connect(self._on_first_painted)
        self.surroundings.show(minimised=minimised)

    @Slot()
    def close(self) -> None:
        """Save what only memory has and end everything, each in bounded time."""
        if not self._closed:
            self._closed = True
            self._closing.close()

    # --- building, in order -------------------------------------------------------------------

    def _open_store(self, folder: Path) -> None:
        worker = ThreadWorker()
        self._closing.callback(worker.close, _END_S)
        self._opened = open_store(folder, worker)
        self._closing.callback(self._opened.close, _END_S)
        self.settings = SettingsFile(settings_path(folder), worker)
        self.benchmarks = Benchmarks(benchmarks_path(folder), worker)
        self.measured = MonitorLog(monitor_path(folder), worker)
        self.notes = ModelNotes(notes_path(folder), worker)
        self.saving = Saving(self._opened.store, self, self._opened.standing)
        self._closing.callback(self.saving.close)

    def _dress(self, app: QApplication) -> None:
        kept = translations_folder(data_folder())
        self.look = dress(app, self.settings.settings, kept)
        self.theme = self.look.theme
        self._closing.callback(release_clipboard)

    def _open_engine(self) -> None:
        self.bridge = EngineBridge(self._outside.make_service, self)
        self._closing.callback(self.bridge.close, _END_S)
        self.background = ThreadBackground(self)
        self._closing.callback(self.background.close)
        sources, secrets = self._outside.sources or library_sources(), Secrets()
        self.asking = ThreadBackground(self)  # a keyring may ask a person, a server may dawdle
        self._closing.callback(self.asking.close)
        self.remotes = RemoteModels(sources.folder, secrets, self.settings)
        fetch = self.remotes.key_fetcher(self.asking.run)
        self.model = ModelSession(self.bridge, self.settings, self, fetch, self.notes)
        self.keep_loaded = KeepLoaded(self.bridge, self.model, self)
        self.inspections = Inspections(self.bridge, self.model, self)
        services = Services(self.saving, self.bridge, self.model, self.settings, self.inspections)
        self.chats = ChatLibrary(services, self)
        self._closing.callback(self.chats.close)
        self.titling = Titling(self.chats, services, parent=self)
        self._closing.callback(self.titling.close)
        self.search = ChatSearch(self.saving, parent=self)
        self._closing.callback(self.search.close)
        self.transfer = Transfer(self.saving, parent=self)
        self._closing.callback(self.transfer.close, _END_S)
        self.shelf = ModelShelf(sources, self.settings, self.background, self, self.notes)
        self._closing.callback(self.shelf.close)
        online = ThreadBackground(self)  # of its own: a scan never waits behind a slow server
        self.downloads = Downloads(sources.folder, self.settings, secrets, online, self.shelf.limit)
        self._closing.callback(self.downloads.close)
        self.measuring = Measuring(self.benchmarks, allowed=self._outside.measures, parent=self)
        self._closing.callback(self.measuring.close)
        self.benchmarking = Benchmarking(self.benchmarks, parent=self)
        self._closing.callback(self.benchmarking.close)
        key = KeptKey(secrets, online)
        self.serving = Serving(self.bridge, self.model, key, self.settings, self.keep_loaded, self)
        self._closing.callback(self.serving.close)
        gpus = GpuWatch(self.background.run)
        self.monitoring = Monitoring(
            self.bridge, self.model, self.serving, self.measured, gpus, self
        )
        self.shrinking = Shrinking(parent=self)
        self._closing.callback(self.shrinking.close)

    def _build_window(self) -> None:
        look, settings, shelf, chats = self.look, self.settings, self.shelf, self.chats
        jobs = (self.benchmarking, self.serving, self.downloads, self.shrinking, self.monitoring)
        parts = Parts(look, settings, shelf, *jobs)
        window = self.window = MainWindow(look, settings, parts)
        self.deeds = Deeds(look, self.model, shelf, self.window)
        self.deeds.announce_in(self.window.notices)
        parts.chat.verbs.announced.connect(self.deeds.announce)
        self.deeds.page_wanted.connect(self.window.show_page)
        parts.sidebar.page_requested.connect(self.window.show_page)
        tokens = TokenCount(self.bridge, self.model, self)
        self.chat_deeds = ChatDeeds(self.chats, self.deeds, self.window)
        self.chats_on_screen = ChatsOnScreen(
            self.chats, self.search, tokens, settings, self.window, self.deeds, self.chat_deeds
        )
        self.list_on_screen = ListOnScreen(self.chats, self.window, self.chat_deeds, settings)
        screen, saving, rows = self.chats_on_screen, self.saving, self.list_on_screen
        self.line_on_screen = LineOnScreen(chats, window, self.chat_deeds, screen, saving)
        self._build_models()
        sent = self.transfer_on_screen = TransferOnScreen(
            self.transfer, self.chats, self.background, self.window, self.deeds
        )
        self.backup_on_screen = BackupOnScreen(self.transfer, self.window)
        self.chat_deeds.export_wanted.connect(self.transfer_on_screen.export)
        self.settings_on_screen = SettingsOnScreen(settings, self.model, self.window, self.deeds)
        self.saving_on_screen = SavingOnScreen(saving, chats, window, self.deeds, rows, sent)
        counts = TextCount(self.bridge, self.model, self)
        self.files_on_screen = FilesOnScreen(look, parts.chat, self.background, counts, self.deeds)
        self._closing.callback(self.files_on_screen.close)
        files = FileSaving(self.window, self.background, self.deeds)
        self.chat_settings = ChatSettingsOnScreen(look, parts, settings, self.model, chats, files)
        self.templates_on_screen = TemplatesOnScreen(look, parts, settings, files)
        self.inspector_on_screen = InspectorOnScreen(
            self.inspections, self.model, settings, self.window, files
        )
        self.benchmark_on_screen = BenchmarkOnScreen(self.benchmarking, files, window, self.deeds)
        self.monitor_on_screen = MonitorOnScreen(self.monitoring, files, self.window)
        self.offline = OfflineOnScreen(settings, self.downloads, shelf, self.model, window)
        self.announcer = Announcer(self.window, self.model, shelf, self.search, self.chats)
        bind(self.window, key_verbs(self))
        self.window.closing.connect(self.close)

    def _build_models(self) -> None:
        window, deeds, shelf, model = self.window, self.deeds, self.shelf, self.model
        self.model_on_screen = ModelOnScreen(model, shelf, self.chats, self.settings, window, deeds)
        self.add_model_on_screen = AddModelOnScreen(self.downloads, self.measuring, window, deeds)
        self.window.parts.chat.box.field.textChanged.connect(self.keep_loaded.wake)
        uses = ModelUses(model, self.chats, self.serving, self.shrinking)
        things = ModelThings(shelf, self.benchmarks, self.measuring, model, self.background, uses)
        self.models_on_screen = ModelsOnScreen(things, window, deeds)
        self.remote = RemoteOnScreen(self.remotes, self.model, self.asking, self.window, self.deeds)
        self.models_on_screen.removed.connect(self.remote.on_removed)
        self._closing.callback(self.models_on_screen.close)
        self.model_settings = ModelSettingsOnScreen(things, self.window, self.deeds)
        self.model_settings.changed.connect(self.keep_loaded.count_anew)
        self.smaller = SmallerOnScreen(self.shrinking, things, self.saving, self.window, self.deeds)
        self._closing.callback(self.smaller.close)
        self.advisor = AdvisorOnScreen(
            things, self.settings, self.smaller, self.model_settings, self.window, self.deeds
        )

    # --- while it runs ------------------------------------------------------------------------

    @Slot()
    def _on_first_painted(self) -> None:
        """Begin what may take its time."""
        self.saving_on_screen.say_of(self._opened, self.settings.fault)
        self.chats_on_screen.begin()
        self.model_on_screen.begin(self._model_path, self._first_model)
        self.model_on_screen.read_computer()
        self.downloads.begin()
        self.aftercare.say(take_reports(crashes_folder(data_folder())))
        self.surroundings.begin(self._model_path)
