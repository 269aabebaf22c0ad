"""The parts of the window: what is always there, and the pages that are built when first opened.

Building a page costs 15 to 60 ms of process time; the first picture needs one of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.chat.benchmarking import Benchmarking
from app.chat.monitoring import Monitoring
from app.chat.serving import Serving
from app.chat.shrinking import Shrinking
from app.store.settings import SettingsFile
from app.ui.chat_page import ChatPage
from app.ui.downloads.downloads import Downloads
from app.ui.look import Look
from app.ui.model_shelf import ModelShelf
from app.ui.sidebar import Sidebar
from app.ui.status_line import StatusLine

if TYPE_CHECKING:
    from app.ui.add_model.page import AddModelPage
    from app.ui.benchmark.page import BenchmarkPage
    from app.ui.inspector.panel import InspectorPanel
    from app.ui.models_page import ModelsPage
    from app.ui.monitor.page import MonitorPage
    from app.ui.server.page import ServerPage
    from app.ui.settings.page import SettingsPage
    from app.ui.smaller.page import SmallerPage
    from app.ui.welcome_page import WelcomePage


class Parts(QObject):
    """Sidebar, chat and status line; the other pages and the inspector on demand."""

    models_built = Signal(object)  # ModelsPage
    settings_built = Signal(object)  # SettingsPage
    benchmark_built = Signal(object)  # BenchmarkPage
    server_built = Signal(object)  # ServerPage
    monitor_built = Signal(object)  # MonitorPage
    add_model_built = Signal(object)  # AddModelPage
    smaller_built = Signal(object)  # SmallerPage
    welcome_built = Signal(object)  # WelcomePage
    inspector_built = Signal(object)  # InspectorPanel

    def __init__(
        self,
        look: Look,
        settings: SettingsFile,
        shelf: ModelShelf,
        benchmarking: Benchmarking,
        serving: Serving,
        downloads: Downloads,
        shrinking: Shrinking,
        monitoring: Monitoring,
    ) -> None:
        super().__init__()
        self._look, self._settings, self._shelf = look, settings, shelf
        self._benchmarking, self.serving, self._downloads = benchmarking, serving, downloads
        self._shrinking, self._monitoring = shrinking, monitoring
        self.sidebar = Sidebar(look)
        self.chat = ChatPage(look)
        self.status = StatusLine(look)
        self.built_models: ModelsPage | None = None
        self.built_settings: SettingsPage | None = None
        self.built_welcome: WelcomePage | None = None
        self.built_benchmark: BenchmarkPage | None = None
        self.built_server: ServerPage | None = None
        self.built_monitor: MonitorPage | None = None
        self.built_add_model: AddModelPage | None = None
        self.built_smaller: SmallerPage | None = None
        self.built_inspector: InspectorPanel | None = None

    @property
    def models(self) -> ModelsPage:
        """The models page, built now if it is not yet."""
        if self.built_models is None:
            from app.ui.models_page import ModelsPage  # noqa: PLC0415

            self.built_models = ModelsPage(self._look, self._shelf, self._settings)
            self.models_built.emit(self.built_models)
        return self.built_models

    @property
    def settings(self) -> SettingsPage:
        """The settings page, built now if it is not yet."""
        if self.built_settings is None:
            from app.ui.settings.page import SettingsPage  # noqa: PLC0415

            self.built_settings = SettingsPage(self._look, self._settings, self._shelf)
            self.settings_built.emit(self.built_settings)
        return self.built_settings

    @property
    def benchmark(self) -> BenchmarkPage:
        """The benchmark page, built now if it is not yet."""
        if self.built_benchmark is None:
            from app.ui.benchmark.page import BenchmarkPage  # noqa: PLC0415

            self.built_benchmark = BenchmarkPage(self._look, self._shelf, self._benchmarking)
            self.benchmark_built.emit(self.built_benchmark)
        return self.built_benchmark

    @property
    def server(self) -> ServerPage:
        """The page of the local server, built now if it is not yet."""
        if self.built_server is None:
            from app.ui.server.page import ServerPage  # noqa: PLC0415

            self.built_server = ServerPage(self._look, self.serving, self._settings)
            self.server_built.emit(self.built_server)
        return self.built_server

    @property
    def monitor(self) -> MonitorPage:
        """The monitor's page, built now if it is not yet."""
        if self.built_monitor is None:
            from app.ui.monitor.page import MonitorPage  # noqa: PLC0415

            self.built_monitor = MonitorPage(self._look, self._monitoring)
            self.monitor_built.emit(self.built_monitor)
        return self.built_monitor

    @property
    def add_model(self) -> AddModelPage:
        """The page that brings a model, built now if it is not yet."""
        if self.built_add_model is None:
            from app.ui.add_model.page import AddModelPage  # noqa: PLC0415

            self.built_add_model = AddModelPage(self._look, self._shelf, self._downloads)
            self.add_model_built.emit(self.built_add_model)
        return self.built_add_model

    @property
    def smaller(self) -> SmallerPage:
        """The page that makes smaller copies, built now if it is not yet."""
        if self.built_smaller is None:
            from app.ui.smaller.page import SmallerPage  # noqa: PLC0415

            self.built_smaller = SmallerPage(self._look, self._shrinking)
            self.smaller_built.emit(self.built_smaller)
        return self.built_smaller

    @property
    def welcome(self) -> WelcomePage:
        """The first page, built now if it is not yet."""
        if self.built_welcome is None:
            from app.ui.welcome_page import WelcomePage  # noqa: PLC0415

            self.built_welcome = WelcomePage(self._look, self._shelf)
            self.welcome_built.emit(self.built_welcome)
        return self.built_welcome

    @property
    def inspector(self) -> InspectorPanel:
        """The panel beside the chat, built now if it is not yet."""
        if self.built_inspector is None:
            from app.ui.inspector.panel import InspectorPanel  # noqa: PLC0415

            self.built_inspector = InspectorPanel(self._look)
            self.inspector_built.emit(self.built_inspector)
        return self.built_inspector
