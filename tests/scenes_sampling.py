"""Pictures of the open chat's section of the settings: presets as tiles, the next word's odds."""

from __future__ import annotations

from functools import partial

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QScrollArea, QWidget

from app.chat.presets import Preset, line_of
from app.ui.chat_settings.try_strip import TryStrip
from app.ui.settings.page import SettingsPage
from engine.contract import Sampling
from tests import screenshot_texts as texts
from tests.studio import MODELS, Scene, Studio

NARROW = 720  # px


def sampling(scene: Scene) -> None:
    """Presets and steps: light, dark in Chinese, narrow, large."""
    for name, width, more in (
        ("", 1280, {}),
        ("-dark-zh", 1280, {"theme": "dark", "language": "zh_CN"}),
        ("-narrow", NARROW, {}),
        ("-large", 900, {"text_scale": 1.6, "language": "zh_CN"}),
    ):
        own = ("书信", "Bedtime stories for the youngest") if more else ("Letters",)
        kept = tuple(
            line_of(Preset(each, Sampling(temperature=0.3 + 0.1 * number)))
            for number, each in enumerate(own)
        )
        chats = texts.CHATS_ZH if "language" in more else texts.CHATS
        with scene.window(Studio(), chats, presets=kept, **more) as program:
            scene.load(program, MODELS[0].name)
            program.window.resize(width, 832)
            program.window.show_page("settings")
            page = program.window.parts.settings
            page.open_section("open-chat")
            tried = page.open_chat.tried
            scene.wait(tried.columns[0].isVisible)
            scene.shoot(program, f"sampling{name}")
            rows, before = page.open_chat.sampling.rows, tried.columns[0].odds.text()
            rows["temperature"].control.choose(0.3)
            rows["top_k"].control.choose(3 if width > NARROW else 1)
            scene.wait(partial(_is_other, tried, before))
            if not name:  # the steps beside the odds that they make
                _bring(page, rows["top_k"])
                QTest.qWait(100)
            scene.shoot(program, f"sampling-changed{name}")
    with scene.window(Studio(), texts.CHATS) as program:
        program.window.show_page("settings")
        page = program.window.parts.settings
        page.open_section("open-chat")
        scene.wait(page.open_chat.tried.message.isVisible)
        QTest.qWait(300)
        scene.shoot(program, "sampling-no-model")


def _is_other(tried: TryStrip, before: str) -> bool:
    return tried.columns[0].odds.text() != before


def _bring(page: SettingsPage, row: QWidget) -> None:
    for area in page.findChildren(QScrollArea):
        if area.isAncestorOf(row):
            area.ensureWidgetVisible(row, 0, 200)
