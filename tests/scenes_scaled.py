"""Pictures of a screen with more pixels an inch: the scene ``scaled`` with ``--scale 1.5``."""

from __future__ import annotations

from PySide6.QtTest import QTest

from tests import screenshot_texts as texts
from tests.doubles.engines import Reply
from tests.scenes_formulas import is_drawn
from tests.studio import MODELS, Scene


def scaled(scene: Scene) -> None:
    from tests.screenshots import Studio

    answer = Reply(
        "It floats because **ice** is lighter: $\\rho_{ice} = 917\\,kg/m^3$.\n\n"
        "```python\nprint(917 / 1000)\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    )
    for name, theme, language in (("", "light", "en"), ("-dark-zh", "dark", "zh_CN")):
        chats = texts.CHATS if language == "en" else texts.CHATS_ZH
        with scene.window(Studio([answer]), chats, theme=theme, language=language) as program:
            scene.load(program, MODELS[0].name)
            scene.ask(program, "Why does ice float?")
            scene.settle(program)
            scene.wait(lambda: is_drawn(program))
            scene.shoot(program, f"scaled-chat{name}")
            for page in ("models", "settings"):
                program.window.show_page(page)
                QTest.qWait(200)
                scene.shoot(program, f"scaled-{page}{name}")
