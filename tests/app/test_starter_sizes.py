"""The starter model's fetch: what the page promises is what the bar counts to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import app.model_sources as program
from engine.library.starter import STARTER


def test_only_the_download_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    def fetch(count: Callable[[int, int], None], _cancelled: Callable[[], bool]) -> Path | None:
        count(1_000_000, STARTER.download_size)
        count(2_000_000, STARTER.size)  # the file taken out of it is larger
        return None

    monkeypatch.setattr(program, "fetch_starter", fetch)
    sources = program.library_sources()
    counted: list[tuple[int, int]] = []
    sources.fetch_starter(lambda done, total: counted.append((done, total)), lambda: False)
    assert counted == [(1_000_000, sources.starter_size)]
