"""The settings between their file and the screen: colours, text size, language, motion, keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from app.chat.model_session import ModelPhase, ModelSession
from app.store.catalogue import CATALOGUE
from app.store.settings import Settings, SettingsFile
from app.ui.deeds import Deeds
from app.ui.faults import FaultAction, FaultText
from app.ui.main_window import MainWindow
from app.ui.notices import Announcement, Tone
from app.ui.theme import LARGEST, SMALLEST, ThemeChoice
from app.ui.typefaces import Typesetting
from engine.contract.setting import Applies, Value
from engine.server import Phase

if TYPE_CHECKING:
    from app.ui.settings.page import SettingsPage
    from app.ui.welcome_page import WelcomePage

_UNDO_MS = 20_000  # how long "everything back to default" can be taken back
_STEP = 0.1  # of the text size, for a key press
TYPESETTING = frozenset(
    {"interface_font", "reading_font", "code_font", "line_height", "reading_width", "density"}
)


class SettingsOnScreen(QObject):
    """Answers what is changed on the settings page, the first page and by keyboard."""

    def __init__(
        self, settings: SettingsFile, model: ModelSession, window: MainWindow, deeds: Deeds
    ) -> None:
        super().__init__(window)
        self._settings, self._model = settings, model
        self._serving = window.parts.serving
        self._window, self._deeds = window, deeds
        self._serving.changed.connect(self._on_serving_changed)
        deeds.setting_wanted.connect(self.open_setting)
        window.parts.settings_built.connect(self._on_settings_built)
        window.parts.welcome_built.connect(self._on_welcome_built)

    @Slot(str)
    def open_setting(self, key: str) -> None:
        """Open the settings at one of them; "" opens them as they were left."""
        self._window.show_page("settings")
        if key:
            self._window.parts.settings.open_setting(key)

    def scale_text(self, step: int) -> None:
        """Make the text larger or smaller by a step, or the usual size by 0."""
        scale = self._settings.settings.text_scale + step * _STEP if step else 1.0
        scale = min(LARGEST, max(SMALLEST, round(scale, 2)))
        self._settings.change(text_scale=scale)
        self._on_changed("text_scale")

    @Slot(object)
    def _on_settings_built(self, page: SettingsPage) -> None:
        page.changed.connect(self._on_changed)
        page.reset_wanted.connect(self._on_reset)

    @Slot()
    def _on_reset(self) -> None:
        """Put everything back to its default, and offer to take that back."""
        settings = self._settings.settings
        before: dict[str, Value] = {
            key: getattr(settings, key)
            for key, setting in CATALOGUE.items()
            if getattr(settings, key) != setting.default
        }
        self._change_all({key: CATALOGUE[key].default for key in before})
        self._deeds.announce(
            Announcement(
                "settings-reset",
                Tone.INFO,
                lambda language: FaultText(
                    language.text("settings-reset-done", count=len(before)),
                    "",
                    language.text("undo"),
                    FaultAction.UNDO,
                ),
                lambda: self._change_all(before),
                _UNDO_MS,
            )
        )

    def _change_all(self, values: dict[str, Value]) -> None:
        self._settings.change(**values)
        for key in values:
            self._window.parts.settings.changed.emit(key)

    @Slot(object)
    def _on_welcome_built(self, page: WelcomePage) -> None:
        page.language.chosen.connect(self._on_language_chosen)
        page.theme.chosen.connect(self._on_theme_chosen)
        self._show_values()

    @Slot(str)
    def _on_changed(self, name: str) -> None:
        settings, look = self._settings.settings, self._window.look
        if name == "language":
            look.language.use(settings.language)
            look.theme.use_language(look.language.code)
        elif name in {"theme", "text_scale"}:
            look.theme.use(theme_choice(settings.theme), settings.text_scale)
        elif name in {"accent", "contrast"}:
            look.theme.use_accent(settings.accent, settings.contrast)
        elif name in TYPESETTING:
            look.theme.use_typesetting(typesetting_of(settings))
        elif name == "reduce_motion":
            look.theme.reduced_motion = settings.reduce_motion
        elif self._waits_for_load(name):
            self._offer("settings-reload", self._reload)
        elif self._serving.is_outdated and CATALOGUE[name].applies is Applies.SERVER_START:
            self._offer("settings-restart", self._serving.restart)
        self._show_values()

    @Slot()
    def _on_serving_changed(self) -> None:
        serving = self._serving
        is_served = serving.state.phase is Phase.RUNNING and not serving.is_local
        self._window.parts.status.network.show_served(is_served=is_served)
        if not serving.is_outdated:
            self._deeds.dismiss("settings-restart")

    def _waits_for_load(self, name: str) -> bool:
        setting = CATALOGUE.get(name)
        waits = setting is not None and setting.applies is Applies.NEXT_LOAD
        return waits and self._model.state.phase is ModelPhase.READY

    def _show_values(self) -> None:
        """Show what is set wherever it can be set."""
        parts, settings = self._window.parts, self._settings.settings
        if parts.built_welcome is not None:
            parts.built_welcome.language.show_value(settings.language)
            parts.built_welcome.theme.show_value(settings.theme)
        if parts.built_settings is not None:
            parts.built_settings.show_settings()

    def _offer(self, what: str, act: Callable[[], None]) -> None:
        """Say when a setting takes effect, and offer to let it at once."""
        self._deeds.announce(
            Announcement(
                what,
                Tone.INFO,
                lambda language: FaultText(
                    language.text(what), "", language.text(f"{what}-now"), FaultAction.RETRY
                ),
                act,
            )
        )

    def _reload(self) -> None:
        path = self._model.state.path
        if path is not None:
            self._deeds.load(path)

    @Slot(str)
    def _on_language_chosen(self, code: str) -> None:
        self._settings.change(language=code)
        self._on_changed("language")

    @Slot(str)
    def _on_theme_chosen(self, name: str) -> None:
        self._settings.change(theme=name)
        self._on_changed("theme")


def typesetting_of(settings: Settings) -> Typesetting:
    """Return typefaces, distances and density as they are set."""
    return Typesetting(
        interface=settings.interface_font,
        reading=settings.reading_font,
        code=settings.code_font,
        leading=settings.line_height,
        column=settings.reading_width,
        compact=settings.density == "compact",
    )


def theme_choice(name: str) -> ThemeChoice:
    """Return a theme by the name that the settings keep; anything else follows the system."""
    match name:
        case "light":
            return "light"
        case "dark":
            return "dark"
        case _:
            return "system"
