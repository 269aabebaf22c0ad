"""What is said about the chosen token, where it is narrow too."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.ui.inspector.detail import TokenDetail
from app.ui.look import Look
from engine.contract.inspection import (
    Candidate,
    SamplerStep,
    StepTrace,
    TokenChoice,
    TokenTrace,
)

CAME, OTHER = Candidate(1, b" Yangtze", 10.7), Candidate(2, b" Mississippi", 11.4)
SCORES = StepTrace(SamplerStep.SCORES, 0.0, 49_152, (0.11, 0.05))
CHOICE = TokenChoice(1, " Yangtze", -2.1, trace=TokenTrace((OTHER, CAME), (SCORES,)))


@pytest.mark.parametrize("width", [300, 380, 460, 700])
def test_the_button_keeps_all_its_words_where_it_is_narrow(
    look: Look, qtbot: QtBot, width: int
) -> None:
    page, detail = QWidget(), TokenDetail(look)
    qtbot.addWidget(page)
    detail.setParent(page)
    detail.resize(width, 600)
    detail.show_choice(CHOICE, 9, 99)
    page.show()
    assert "Mississippi" in detail.instead.text()
    button = detail.instead
    qtbot.waitUntil(lambda: button.width() >= button.sizeHint().width())
    assert detail._lead.width() >= detail._lead.sizeHint().width()
    assert detail.rect().contains(button.geometry())
