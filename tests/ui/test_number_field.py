"""A number that is not allowed cannot be entered: by typing, by arrow keys, with "automatic"."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as options
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.store.catalogue import CATALOGUE
from app.ui.look import Look
from app.ui.settings.controls import NumberControl
from engine.contract.ranges import SAMPLING
from engine.contract.setting import Setting, Value

NUMBERS = {
    each.key: each
    for each in (*CATALOGUE.values(), *SAMPLING)
    if each.kind.value in {"whole", "decimal"}
}


def typed(
    qtbot: QtBot, look: Look, setting: Setting, text: str
) -> tuple[NumberControl, list[Value]]:
    control = NumberControl(look, setting)
    qtbot.addWidget(control)
    control.show_value(setting.default)
    told: list[Value] = []
    control.chosen.connect(told.append)
    field = control.field
    field.selectAll()
    QTest.keyClicks(field, text)
    QTest.keyClick(field, Qt.Key.Key_Return)
    return control, told


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("context", "8192", 8192),
        ("context", "8,192", 8192),
        ("context", "100", 256),
        ("context", "99999999", 1_048_576),
        ("threads", "4", 4),
        ("top_p", "0.5", 0.5),
        ("text_scale", "125", 1.25),
        ("text_scale", "500", 1.6),
        ("seed", "42", 42),
    ],
)
def test_what_is_typed_is_taken_or_brought_into_the_range(
    qtbot: QtBot, look: Look, key: str, text: str, value: float
) -> None:
    control, told = typed(qtbot, look, NUMBERS[key], text)
    assert told == [value]
    assert control.setting.allows(told[0])


def test_letters_are_no_number(qtbot: QtBot, look: Look) -> None:
    control, told = typed(qtbot, look, NUMBERS["context"], "many")
    assert told == []
    assert control.field.text() == "Automatic"


def test_automatic_can_be_typed_and_stepped_to(qtbot: QtBot, look: Look) -> None:
    control, told = typed(qtbot, look, NUMBERS["context"], "4096")
    control.field.selectAll()
    QTest.keyClicks(control.field, "automatic")
    QTest.keyClick(control.field, Qt.Key.Key_Return)
    assert told == [4096, 0]
    control.field.stepBy(1)
    assert told[-1] == 256
    control.field.stepBy(-1)
    assert told[-1] == 0


@pytest.mark.parametrize("key", NUMBERS)
@options(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(text=st.text("0123456789.,-e ", max_size=9))
def test_nothing_that_is_typed_makes_a_value_that_is_not_allowed(
    qtbot: QtBot, look: Look, key: str, text: str
) -> None:
    control, told = typed(qtbot, look, NUMBERS[key], text)
    assert all(control.setting.allows(value) for value in told)
    control.field.stepBy(1)
    control.field.stepBy(-3)
    assert all(control.setting.allows(value) for value in told)
