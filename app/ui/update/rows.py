"""The settings' rows about newer versions: what can be asked for here, and the way back."""

from __future__ import annotations

from pathlib import Path

from app.ui.buttons import Button
from app.ui.look import Look
from app.ui.settings.rows import FindableRow, SettingRow
from app.update.channel import Channel, read_channel
from app.update.form import Form, Place, this_place
from app.update.record import Step, kept_before
from engine.version import program_version


class UpdateRows:
    """Rows of the settings page; who needs their buttons connects them.

    Args:
        look: theme and language.
        folder: where updates lie.
    """

    def __init__(self, look: Look, folder: Path) -> None:
        self.look_for = Button(look, "update-look")
        self.go_back = Button(look, "update-back")
        self.place: Place = this_place()
        self.channel: Channel | None = read_channel()
        self.step: Step | None = kept_before(folder, self.place, program_version())
        self.rows: list[FindableRow] = [self._first(look)]
        if self.step is not None:
            row = SettingRow(look, "update-before", "update-before-about", self.go_back)
            self.rows.append(row)

    def _first(self, look: Look) -> SettingRow:
        if self.place.form is Form.SOURCE:
            return SettingRow(look, "update", "update-by-git")
        if self.channel is None:
            return SettingRow(look, "update", "update-by-package")
        return SettingRow(look, "update", "update-about", self.look_for)
