"""Pictures of the window for a quick question."""

from __future__ import annotations

from PySide6.QtTest import QTest

from tests import screenshot_texts as texts
from tests.studio import Scene


def quick(scene: Scene) -> None:
    from tests.screenshots import Studio

    for name, theme, language in (("", "light", "en"), ("-dark-zh", "dark", "zh_CN")):
        with scene.window(Studio(), texts.CHATS, theme=theme, language=language) as program:
            scene.load(program, "Qwen3 4B")
            program.settings.change(quick_ask=True)
            on_screen = program.surroundings.quick
            on_screen.open()
            window = on_screen.quick
            assert window is not None
            QTest.qWait(100)
            window.grab().save(str(scene._out / f"quick-empty{name}.png"))
            window.asked.emit("Why does ice float on water?")
            scene.wait(window.open_as_chat.isEnabled)
            QTest.qWait(200)
            window.grab().save(str(scene._out / f"quick{name}.png"))
            on_screen.leave()
