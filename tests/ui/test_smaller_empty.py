"""The models that are here as answers to which one is to be smaller."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.ui.look import Look
from app.ui.smaller.empty import NoModel
from tests.doubles.scripts import model_facts


@pytest.mark.parametrize(("held", "said"), [(16.16, "16 bits"), (8.5, "8 bits")])
def test_a_model_is_offered_by_the_bits_that_people_name(
    look: Look, qtbot: QtBot, held: float, said: str
) -> None:
    page = NoModel(look)
    qtbot.addWidget(page)
    facts = replace(
        model_facts(Path("/m/tea.gguf")),
        name="Tea", quantization="" if held > 16 else "Q8_0", bits_per_weight=held,
    )  # fmt: skip
    page.show_models([facts])
    (button,) = page.models()
    assert said in button.text()
    assert "." not in button.text().partition("bits")[0]
    with qtbot.waitSignal(page.model_chosen) as chosen:
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert chosen.args == [facts.path]


@pytest.mark.parametrize(
    ("has_others", "said"), [(True, "fewer than 9 bits"), (False, "no model here yet")]
)
def test_why_none_is_offered_is_told_as_it_is(
    look: Look, qtbot: QtBot, has_others: bool, said: str
) -> None:
    page = NoModel(look)
    qtbot.addWidget(page)
    page.show_models([], has_others=not has_others)
    page.show_models([], has_others=has_others)
    assert said in page._others.text()
