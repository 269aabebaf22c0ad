"""The rows that lead to prompts and presets of one's own."""

from __future__ import annotations

from app.ui.buttons import Button
from app.ui.look import Look
from app.ui.settings.rows import FindableRow, SettingRow


class LibraryRows:
    """Rows of the settings page; who needs their buttons connects them."""

    def __init__(self, look: Look) -> None:
        self.prompts = Button(look, "templates-edit")
        self.presets = Button(look, "preset-manage")
        self.rows: list[FindableRow] = [
            SettingRow(look, "templates-title", "setting-prompts-about", self.prompts),
            SettingRow(look, "setting-presets", "setting-presets-about", self.presets),
        ]
