"""The rows of what is kept: import, backup, restore, what deleting means."""

from __future__ import annotations

from app.ui.buttons import Button
from app.ui.look import Look
from app.ui.settings.rows import FindableRow, SettingRow


class HistoryRows:
    """Rows of the settings page; who needs their buttons connects them."""

    def __init__(self, look: Look) -> None:
        self.import_file = Button(look, "import-file")
        self.import_folder = Button(look, "import-folder")
        self.back_up = Button(look, "backup-make")
        self.restore = Button(look, "backup-restore")
        self.rows: list[FindableRow] = [
            SettingRow(
                look, "setting-import", "setting-import-about",
                self.import_file, self.import_folder,
            ),
            SettingRow(look, "setting-backup", "setting-backup-about", self.back_up, self.restore),
            SettingRow(look, "setting-deleting", "setting-deleting-about"),
        ]  # fmt: skip
