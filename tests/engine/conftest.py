"""The command line over the mock model."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest

from engine import cli_terminal
from engine.answering import Answering
from engine.contract import Event, Load, Progress, Stage
from engine.engine import Engine
from tests.doubles.models import mock_loaded


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A path that stands for the mock model."""

    def load(command: Load) -> Generator[Event, None, Answering]:
        yield Progress(command.request, Stage.READING, 1, 1)
        return Answering(mock_loaded())

    monkeypatch.setattr(cli_terminal, "Engine", lambda: Engine(load))
    path = tmp_path / "mock.gguf"
    path.touch()
    return path
