"""The settings of what is kept: titles, import, backup, restore, daily copies."""

from __future__ import annotations

from app.store.settings import Settings
from app.ui.buttons import Button
from app.ui.choice_button import ChoiceButton
from app.ui.form_controls import Switch
from app.ui.look import Look
from app.ui.settings_rows import Section, SettingRow

_COPIES = (1, 3, 7, 14, 30)


class HistorySection(Section):
    """A section of the settings page; who needs its buttons connects them."""

    def __init__(self, look: Look) -> None:
        self.titles = Switch(look, "setting-titles")
        self.import_file = Button(look, "import-file")
        self.import_folder = Button(look, "import-folder")
        self.back_up = Button(look, "backup-make")
        self.restore = Button(look, "backup-restore")
        self.copies = ChoiceButton(look, "setting-copies", {str(n): f"={n}" for n in _COPIES})
        rows = [
            SettingRow(look, "setting-titles", "setting-titles-about", self.titles),
            SettingRow(
                look, "setting-import", "setting-import-about",
                self.import_file, self.import_folder,
            ),
            SettingRow(look, "setting-backup", "setting-backup-about", self.back_up, self.restore),
            SettingRow(look, "setting-copies", "setting-copies-about", self.copies),
            SettingRow(look, "setting-deleting", "setting-deleting-about"),
        ]  # fmt: skip
        super().__init__(look, "section-history", rows)

    def show_settings(self, settings: Settings) -> None:
        """Show what is set."""
        self.titles.setChecked(settings.model_titles)
        self.copies.show_value(str(settings.copies_kept))
