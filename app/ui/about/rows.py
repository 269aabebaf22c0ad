"""The rows of the settings' last section: version, where things lie, licences."""

from __future__ import annotations

from app.ui.buttons import Button
from app.ui.look import Look
from app.ui.settings.rows import FindableRow, SettingRow
from app.ui.words import Plain
from engine.version import program_version


class AboutRows:
    """Rows of the settings page; who needs their buttons connects them."""

    def __init__(self, look: Look) -> None:
        self.folder = Button(look, "about-open-folder")
        self.licences = Button(look, "about-show-licences")
        version = Plain(program_version(), "small-bold")
        self.rows: list[FindableRow] = [
            SettingRow(look, "about-version", "about-version-about", version),
            SettingRow(look, "about-folder", "about-folder-about", self.folder),
            SettingRow(look, "about-licences", "about-licences-about", self.licences),
            SettingRow(look, "about-qt", "about-qt-about"),
        ]
