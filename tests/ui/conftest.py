"""What the widgets' tests share: a dressed application, in English and light."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from app.language import Language
from app.store.settings import SettingsFile
from app.store.worker import InlineWorker
from app.ui.look import Look
from app.ui.theme import Theme


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The offscreen platform says this of every window that is shown; it means nothing here."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.qt_log_ignore("propagateSizeHints"))


@pytest.fixture
def look(qapp: QApplication) -> Iterator[Look]:
    theme = Theme("light")
    theme.apply(qapp)
    yield Look(theme, Language("en"))
    qapp.setStyleSheet("")  # the next test's widgets are not polished before they are dressed


@pytest.fixture
def settings(tmp_path: Path) -> SettingsFile:
    return SettingsFile(tmp_path / "settings.json", InlineWorker())
