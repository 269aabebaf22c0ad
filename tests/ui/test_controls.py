"""Switch, slider and choice: what a person does to them, and what they say."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QSpinBox
from pytestqt.qtbot import QtBot

from app.ui.buttons import Button, Tool
from app.ui.choice_button import language_button, theme_button
from app.ui.form_controls import Slider, Switch
from app.ui.look import Look
from app.ui.sidebar_parts import PlainSearch, SearchField
from app.ui.status_items import StatusIcon


def test_a_switch_is_turned_by_mouse_and_space(look: Look, qtbot: QtBot) -> None:
    switch = Switch(look, "setting-reduce-motion")
    qtbot.addWidget(switch)
    QTest.mouseClick(switch, Qt.MouseButton.LeftButton)
    assert switch.isChecked()
    QTest.keyClick(switch, Qt.Key.Key_Space)
    assert not switch.isChecked()
    assert switch.accessibleName() == "Reduce motion"


def test_a_slider_goes_where_it_is_pressed_and_back_by_a_double_click(
    look: Look, qtbot: QtBot
) -> None:
    slider = Slider(look, "setting-text-scale", 80, 160, 100)
    qtbot.addWidget(slider)
    slider.resize(216, 28)
    QTest.mousePress(slider, Qt.MouseButton.LeftButton, pos=QPoint(108, 14))
    assert slider.value() == 120
    QTest.mouseRelease(slider, Qt.MouseButton.LeftButton, pos=QPoint(108, 14))
    QTest.keyClick(slider, Qt.Key.Key_Right)
    assert slider.value() == 121
    QTest.mouseDClick(slider, Qt.MouseButton.LeftButton, pos=QPoint(200, 14))
    assert slider.value() == 100


def test_the_systems_choice_says_what_it_comes_to_in_a_head(look: Look, qtbot: QtBot) -> None:
    head, form = language_button(look, "quiet"), language_button(look)
    for button in (head, form):
        qtbot.addWidget(button)
    assert head.accessibleName() == "Language: English"
    assert form.accessibleName() == "Language: Like the system"


def test_a_choice_that_is_out_of_use_is_paler(look: Look, qtbot: QtBot) -> None:
    """Its words are a label in the button, which the button's own rule does not reach."""
    button = theme_button(look)
    button.setStyleSheet(look.theme.style_sheet())
    qtbot.addWidget(button)
    button.show()
    qtbot.waitExposed(button)

    def darkest() -> int:
        words = QImage(button.size(), QImage.Format.Format_RGB32)
        words.fill(look.theme.color("paper"))  # a grab's pixels are not set where nothing paints
        button.render(words)
        area = button._words.geometry() & button.rect()
        places = [(x, y) for x in range(area.left(), area.right()) for y in range(area.height())]
        return min(words.pixelColor(x, area.top() + y).lightness() for x, y in places)

    usual = darkest()
    button.setEnabled(False)
    assert darkest() > usual + 40


def test_a_choice_is_reported_once(look: Look, qtbot: QtBot) -> None:
    button = theme_button(look)
    qtbot.addWidget(button)
    chosen: list[str] = []
    button.chosen.connect(chosen.append)
    button._choose("dark")
    button._choose("dark")
    button.show_value("light")
    assert chosen == ["dark"]
    assert button.accessibleName() == "Light or dark: Light"


def test_icons_grow_with_the_text_as_far_as_their_buttons_have_room(
    look: Look, qtbot: QtBot
) -> None:
    button, tool = Button(look, "undo", icon="copy"), Tool(look, "copy", "undo")
    rail, sign = Tool(look, "copy", "undo", side=36, icon_size=20), StatusIcon(look, "copy")
    beside = StatusIcon(look, "copy", size=16, tall=26)
    for widget in (button, tool, rail, sign, beside):
        qtbot.addWidget(widget)

    def sizes() -> list[int]:
        buttons = [each.iconSize().width() for each in (button, tool, rail)]
        signs = [(each.width(), each.pixmap().deviceIndependentSize().width()) for each in (sign,)]
        return [*buttons, *(round(size) for pair in signs for size in pair), beside.height()]

    for scale, wanted in ((1.0, [16, 16, 20, 14, 14, 26]), (1.6, [26, 22, 30, 22, 22, 26])):
        look.theme.use("light", scale)
        assert sizes() == wanted


def test_the_glass_of_a_search_stands_in_the_middle_before_the_words(
    look: Look, qtbot: QtBot
) -> None:
    for field in (PlainSearch(look, "models-search"), SearchField(look)):
        qtbot.addWidget(field)
        for scale, high in ((1.0, 32), (1.6, 40)):
            look.theme.use("light", scale)
            field.setFixedSize(240, high)
            field.show()
            qtbot.waitUntil(lambda field=field, high=high: field.height() == high)
            glass = field.findChild(StatusIcon)
            assert glass is not None
            assert abs(glass.geometry().center().y() - field.rect().center().y()) <= 1
            assert field.textMargins().left() >= glass.geometry().right() - 11


def test_a_number_has_the_room_of_its_field(look: Look, qtbot: QtBot) -> None:
    """With a style sheet and no buttons, Qt left the text a pixel."""
    field = QSpinBox()
    qtbot.addWidget(field)
    field.setRange(0, 99_999)
    field.setMinimumWidth(86)
    field.show()
    qtbot.waitExposed(field)
    assert field.lineEdit().width() > 60  # of 86
