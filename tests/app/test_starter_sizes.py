"""The starter model's fetch: what the page promises is what the bar counts to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from app import model_sources
from engine.library.downloads.pace import RateLimit
from engine.library.starter import STARTER
from tests.app.conftest import Program


def test_only_the_download_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    def fetch(
        count: Callable[[int, int], None], _cancelled: Callable[[], bool], _limit: RateLimit
    ) -> Path | None:
        count(1_000_000, STARTER.download_size)
        count(2_000_000, STARTER.size)  # the file taken out of it is larger
        return None

    monkeypatch.setattr(model_sources, "fetch_starter", fetch)
    sources = model_sources.library_sources()
    counted: list[tuple[int, int]] = []
    sources.fetch_starter(
        lambda done, total: counted.append((done, total)), lambda: False, RateLimit()
    )
    assert counted == [(1_000_000, sources.starter_size)]


def test_one_limit_holds_for_every_download(program: Program) -> None:
    running = program.start()
    running.settings.change(download_limit=250)
    limit = running.shelf.limit
    assert limit.rate == 250_000
    running.shelf.fetch_starter()
    program.qtbot.waitUntil(lambda: program.shelves.limit is limit)
    assert running.downloads._open().limit is limit
    assert running.surroundings.update._limit is limit
    running.settings.change(download_limit=0)
    assert limit.rate == 0
