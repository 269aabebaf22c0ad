"""Pictures of the sheet of keys, and of the pages at the largest text."""

from __future__ import annotations

from PySide6.QtTest import QTest

from app.ui.key_sheet import KeySheet, open_key_sheet
from tests import screenshot_texts as texts
from tests.studio import Scene, Studio


def keys(scene: Scene) -> None:
    """The sheet over the window, in both languages and themes."""
    for code, theme in (("en", "light"), ("zh_CN", "dark")):
        with scene.window(Studio(), texts.CHATS, theme=theme, language=code) as program:
            open_key_sheet(program.look, program.window)
            scene.shoot(program, f"keys-{code}", screen=True)
            sheet = program.window.findChild(KeySheet)
            assert sheet is not None
            sheet.reject()


def largest(scene: Scene) -> None:
    """Every page at 160 %, in the smallest window, in both languages."""
    for code, chats in (("en", texts.CHATS), ("zh_CN", texts.CHATS_ZH)):
        with scene.window(Studio(), chats, language=code, text_scale=1.6) as program:
            scene.load(program, "Qwen3 4B")
            program.window.resize(720, 560)
            for page in ("chat", "models", "benchmark", "settings", "welcome"):
                program.window.show_page(page)
                QTest.qWait(60)
                scene.shoot(program, f"largest-{page}-{code}")
