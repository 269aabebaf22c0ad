"""Turns to show, and a transcript to show them in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.chat.turn import Turn, TurnFigures, TurnState
from app.language import Language
from app.ui.theme import Theme
from app.ui.transcript import Transcript
from engine.contract import Role

FIGURES = TurnFigures(41.8, 0.31, 1400, 1204, 418, 121, 3.2, 10.3)
NOW = datetime(2026, 1, 5, 14, 32, tzinfo=UTC)


def a_turn(number: int, role: Role, content: str, **values: object) -> Turn:
    known: dict[str, object] = {
        "chat": 1,
        "parent": number - 1 or None,
        "reasoning": "",
        "state": TurnState.COMPLETE,
        "created": NOW,
    }
    return Turn(id=number, role=role, content=content, **{**known, **values})  # type: ignore[arg-type]


def question(number: int, content: str, **values: object) -> Turn:
    return a_turn(number, Role.USER, content, **values)


def reply(number: int, content: str, **values: object) -> Turn:
    return a_turn(number, Role.ASSISTANT, content, model="SmolLM2", **values)


def growing(number: int, content: str = "") -> Turn:
    return reply(number, content, state=TurnState.STREAMING)


Open = Callable[..., Transcript]


@pytest.fixture
def theme(qapp: QApplication) -> Iterator[Theme]:
    theme = Theme("light")
    theme.apply(qapp)
    yield theme
    qapp.setStyleSheet("")


@pytest.fixture
def language() -> Language:
    return Language("en")


@pytest.fixture
def opened(qtbot: QtBot, theme: Theme, language: Language) -> Open:
    """Show turns in a transcript of a given size."""

    def show(*turns: Turn, width: int = 1016, height: int = 700) -> Transcript:
        transcript = Transcript(theme, language)
        qtbot.addWidget(transcript)
        transcript.resize(width, height)
        transcript.show()
        transcript.show_path(turns)
        return transcript

    return show
