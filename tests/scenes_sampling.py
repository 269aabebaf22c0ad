"""Pictures of the open chat's section of the settings: presets as tiles, its steps below."""

from __future__ import annotations

from app.chat.presets import Preset, line_of
from engine.contract import Sampling
from tests import screenshot_texts as texts
from tests.studio import MODELS, Scene, Studio


def sampling(scene: Scene) -> None:
    """Presets and steps: light, dark in Chinese, narrow, large."""
    for name, width, more in (
        ("", 1280, {}),
        ("-dark-zh", 1280, {"theme": "dark", "language": "zh_CN"}),
        ("-narrow", 720, {}),
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
            scene.shoot(program, f"sampling{name}")
            page.open_chat.sampling.rows["temperature"].control.choose(1.1)
            scene.shoot(program, f"sampling-changed{name}")
