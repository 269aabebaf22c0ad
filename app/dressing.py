"""The look of the program as it is set: theme, typefaces, language, icon."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QApplication

from app.language import LANGUAGES, Language
from app.store.settings import Settings
from app.ui.look import Look
from app.ui.seal import window_icon
from app.ui.settings.on_screen import theme_choice, typesetting_of
from app.ui.spoken_rows import let_rows_be_pressed
from app.ui.theme import Theme


def dress(app: QApplication, settings: Settings, kept: Path) -> Look:
    """Prepare the application for its widgets, and return what they follow.

    Args:
        app: Qt's application.
        settings: as they were at the start.
        kept: a folder for texts that are converted from another language.
    """
    code = settings.language if settings.language in LANGUAGES else ""
    theme, language = Theme(theme_choice(settings.theme), settings.text_scale), Language(code, kept)
    theme.reduced_motion = settings.reduce_motion
    theme.typesetting = typesetting_of(settings)
    theme.prepare(app)
    theme.use_accent(settings.accent, settings.contrast)
    theme.use_language(language.code)
    app.setApplicationName("Inkstone")
    app.setApplicationDisplayName("")
    app.setWindowIcon(window_icon(theme))
    let_rows_be_pressed(app)
    return Look(theme, language)
