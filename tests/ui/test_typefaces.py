"""Typefaces, the shapes of Chinese characters, the distance of lines, how close things stand."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontDatabase, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.store.catalogue import CATALOGUE
from app.ui.look import Look
from app.ui.settings.font_control import FontControl, TypePreview, typefaces
from app.ui.theme import Theme
from app.ui.typefaces import TYPES, Typesetting, place_of


@pytest.mark.parametrize(
    ("language", "system", "place"),
    [
        ("zh_CN", ["zh-TW"], "SC"),
        ("zh_TW", ["zh-CN"], "TC"),
        ("en", ["en-HK", "zh-Hant-HK"], "TC"),
        ("en", ["ja-JP"], "JP"),
        ("en", ["ko-KR", "zh-CN"], "KR"),
        ("en", ["zh-Hans-HK"], "SC"),
        ("en", ["de-DE"], "SC"),
        ("", [], "SC"),
    ],
)
def test_the_language_decides_whose_shapes_chinese_has(
    language: str, system: list[str], place: str
) -> None:
    assert place_of(language, system) == place


@pytest.mark.parametrize("face", ["interface", "reading", "code"])
def test_a_chosen_typeface_keeps_the_languages_chinese_behind_it(face: str) -> None:
    usual = Typesetting()
    chosen = Typesetting(interface="Lora", reading="Gentium", code="Hack")
    first = {"interface": "Lora", "reading": "Gentium", "code": "Hack"}[face]
    for place in ("SC", "TC", "JP", "KR"):
        families = chosen.families(face, place)  # type: ignore[arg-type]
        assert families[0] == first
        assert families[-1] == usual.families(face, place)[-1]  # type: ignore[arg-type]
    assert usual.families(face, "SC")[-1] != usual.families(face, "TC")[-1]  # type: ignore[arg-type]


def test_chats_follow_the_windows_typeface_unless_they_have_their_own() -> None:
    assert Typesetting(interface="Lora").families("reading", "SC")[0] == "Lora"
    assert Typesetting(reading="Gentium").families("interface", "SC")[0] != "Gentium"


def test_only_the_lines_of_chats_move_apart() -> None:
    wide = Typesetting(leading=1.4)
    assert wide.line(TYPES["reading"]) == pytest.approx(35)
    assert wide.line(TYPES["small"]) == TYPES["small"].line
    assert wide.line(TYPES["code"]) == TYPES["code"].line
    assert wide.line(TYPES["table"]) == TYPES["table"].line  # its rows have room of their own


def test_compact_is_less_high_but_never_below_what_can_be_hit() -> None:
    usual, compact = Typesetting(), Typesetting(compact=True)
    assert [usual.height(n) for n in (24, 30, 32)] == [24, 30, 32]
    assert [compact.height(n) for n in (24, 30, 32)] == [20, 26, 28]  # with borders, 22 and more
    assert compact.height(18) == 18
    assert (usual.air(10), compact.air(10), compact.air(0)) == (10, 6, 0)


def test_the_window_is_dressed_anew_once_for_each_change(qapp: QApplication) -> None:
    theme = Theme("light")
    theme.apply(qapp)
    seen: list[str] = []
    theme.changed.connect(lambda: seen.append(theme.style_sheet()))
    theme.use_typesetting(Typesetting(compact=True))
    theme.use_typesetting(Typesetting(compact=True))
    assert len(seen) == 1
    assert "min-height: 26px" in seen[0]
    theme.use_typesetting(Typesetting())
    assert "min-height: 26px" not in seen[1]
    theme.use_language("zh_TW")
    theme.use_language("zh_TW")
    assert len(seen) == 3
    assert theme.families("interface")[-1] == Typesetting().families("interface", "TC")[-1]
    assert qapp.font().families()[-1] == theme.families("interface")[-1]


def test_a_name_from_a_file_cannot_change_the_style_sheet(qapp: QApplication) -> None:
    theme = Theme("light")
    theme.typesetting = Typesetting(code="x'; } QWidget { color: red; } a {")
    sheet = theme.style_sheet()
    assert "color: red;" not in sheet
    assert sheet.count("{") == sheet.count("}")


def _drawn(look: Look, text: str) -> bytes:
    image = QImage(60, 40, QImage.Format.Format_Grayscale8)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    painter.setFont(look.theme.font("welcome"))
    painter.drawText(image.rect(), text)
    painter.end()
    return bytes(image.constBits())


def test_the_same_character_is_drawn_as_its_readers_write_it(look: Look) -> None:
    """骨 turns its inner corner to the left in Beijing and to the right in Taipei."""
    if not {"Noto Sans CJK SC", "Noto Sans CJK TC"} <= set(QFontDatabase.families()):
        pytest.skip("the Noto fonts for Chinese are not on this machine")
    look.theme.use_language("zh_CN")
    beijing = _drawn(look, "骨")
    look.theme.use_language("zh_TW")
    taipei = _drawn(look, "骨")
    look.theme.use_language("zh_CN")
    assert beijing != taipei
    assert _drawn(look, "骨") == beijing


# --- the controls ---------------------------------------------------------------------------------


def test_typefaces_of_one_width_are_fewer(qapp: QApplication) -> None:
    every, fixed = typefaces(fixed=False), typefaces(fixed=True)
    assert every
    assert set(fixed) <= set(every)
    assert not any(each.startswith((".", "@")) for each in every)


def test_a_typeface_is_chosen_by_keyboard_and_by_list(look: Look, qtbot: QtBot) -> None:
    control = FontControl(look, CATALOGUE["interface_font"])
    qtbot.addWidget(control)
    control.show()
    seen: list[object] = []
    control.chosen.connect(seen.append)
    assert control.field.count() == 1  # nothing was asked of the system yet
    QTest.keyClick(control.field, Qt.Key.Key_Down)
    assert control.field.count() > 1
    assert seen == [control.field.itemData(1)]
    control.show_value("")
    assert control.field.currentIndex() == 0
    assert len(seen) == 1  # showing is not choosing
    assert control.field.accessibleName() == look.language.text("setting-interface-font")


def test_a_typeface_that_this_computer_has_not_is_shown_and_kept(look: Look, qtbot: QtBot) -> None:
    control = FontControl(look, CATALOGUE["code_font"])
    qtbot.addWidget(control)
    seen: list[object] = []
    control.chosen.connect(seen.append)
    control.show_value("Font Of Another Computer")
    assert control.field.currentText() == "Font Of Another Computer"
    control.field._fill()
    assert control.field.currentText() == "Font Of Another Computer"
    assert seen == []


def test_the_preview_shows_what_is_chosen(look: Look, qtbot: QtBot) -> None:
    preview = TypePreview(look)
    qtbot.addWidget(preview)
    look.theme.use_typesetting(Typesetting(reading="DejaVu Serif", leading=1.6))
    assert preview._prose.font().families()[0] == "DejaVu Serif"
    assert "line-height:40px" in preview._prose.text()
