"""The rows of logs and diagnostics on the settings page."""

from __future__ import annotations

from app.ui.buttons import Button
from app.ui.look import Look
from app.ui.settings.rows import FindableRow, SettingRow


class PrivacyRows:
    """Rows of the settings page; who needs their buttons connects them."""

    def __init__(self, look: Look) -> None:
        self.open_logs = Button(look, "logs-open")
        self.copy = Button(look, "diagnostics-copy")
        self.rows: list[FindableRow] = [
            SettingRow(look, "setting-logs", "setting-logs-about", self.open_logs),
            SettingRow(look, "setting-diagnostics", "setting-diagnostics-about", self.copy),
        ]
