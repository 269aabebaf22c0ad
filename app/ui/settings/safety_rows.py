"""The rows of the safety layer: who decides, and where one's own rules and the log lie."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices

from app.ui.buttons import Button
from app.ui.look import Look
from app.ui.settings.rows import CatalogueRow, FindableRow, SettingRow
from app.ui.words import Plain, wrapped
from engine.safety import read_settings, rules_folder


def lock_rows(look: Look, rows: Sequence[FindableRow]) -> list[FindableRow]:
    """Return the row that says that an administrator decides; the others then cannot be changed."""
    settings = read_settings()
    if settings.policy is None:
        return []
    decided = {
        "safety_profile": settings.profile.value,
        "safety_classifier": str(settings.classifier or ""),
        "safety_audit_days": settings.audit_days,
    }
    for row in rows:
        row.setEnabled(False)
        if isinstance(row, CatalogueRow):
            row.show_value(decided[row.setting.key])
            row.back.hide()  # there is no way back
    where = wrapped(Plain(str(settings.policy), "code"))
    lock = SettingRow(look, "setting-safety-locked", "setting-safety-locked-about", below=where)
    return [lock]


def safety_rows(look: Look) -> list[FindableRow]:
    """Return the rows that open folders."""
    rules, log = Button(look, "safety-open-rules"), Button(look, "safety-open-log")
    rules.clicked.connect(_opening(rules_folder))
    log.clicked.connect(_opening(lambda: read_settings().audit_folder))
    return [
        SettingRow(look, "setting-safety-rules", "setting-safety-rules-about", rules),
        SettingRow(look, "setting-safety-log", "setting-safety-log-about", log),
    ]


def _opening(folder: Callable[[], Path]) -> Callable[[], None]:
    """What makes a folder if there is none yet, and shows it."""

    def open_it() -> None:
        path = folder()
        path.mkdir(parents=True, exist_ok=True)
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))

    return open_it
