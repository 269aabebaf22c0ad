"""The rows that lead to prompts and presets of one's own."""

from __future__ import annotations

from app.ui.buttons import Button
from app.ui.look import Look
from app.ui.settings.naming import about_id, name_id
from app.ui.settings.rows import FindableRow, SettingRow
from engine.contract.ranges import SAMPLING

_STEPS = ("presets-own-about", *(id_of(each) for each in SAMPLING for id_of in (name_id, about_id)))
"""Whoever searches for a step of sampling learns here where it is set."""


class LibraryRows:
    """Rows of the settings page; who needs their buttons connects them."""

    def __init__(self, look: Look) -> None:
        self.prompts = Button(look, "templates-edit")
        self.presets = Button(look, "preset-manage")
        self.rows: list[FindableRow] = [
            SettingRow(look, "templates-title", "setting-prompts-about", self.prompts),
            SettingRow(
                look, "setting-presets", "setting-presets-about", self.presets, more_ids=_STEPS
            ),
        ]
