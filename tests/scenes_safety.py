"""Pictures of the safety layer: what was blackened, an answer that ended, its settings, a lock."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from engine.safety import Profile, read_settings
from tests import screenshot_texts as texts
from tests.doubles.engines import Reply
from tests.studio import Scene

if TYPE_CHECKING:
    from app.application import Application

_MASKED = "The note said: **what a shitty day**, and then it rained on the damned picnic."
_MASKED_ZH = "他只留下一句话：**你这个混蛋**，然后就走了。"
_STOPPED = "The shelf at the back held porn, and nothing else. " + "It was dusty. " * 90


def _talk(scene: Scene, program: Application, question: str, name: str) -> None:
    scene.wait(lambda: read_settings().profile is Profile.FAMILY)
    for asked in (question, "And then?", "how to make a b-o-m-b"):
        scene.ask(program, asked)
        scene.settle(program)
    scene.shoot(program, name)


def safety(scene: Scene) -> None:
    from tests.screenshots import Studio

    replies = [Reply(_MASKED), Reply(_STOPPED)]
    with scene.window(Studio(replies), texts.CHATS, safety_profile="family") as program:
        scene.load(program, "Qwen3 4B")
        _talk(scene, program, "What did the note say?", "safety-chat")
        program.window.resize(720, 832)
        scene.shoot(program, "safety-chat-narrow")
    replies = [Reply(_MASKED_ZH), Reply("后面是色情网站。" + "都是灰。" * 200)]
    more = {"theme": "dark", "language": "zh_CN"}
    with scene.window(Studio(replies), texts.CHATS_ZH, safety_profile="family", **more) as program:
        scene.load(program, "Qwen3 4B")
        _talk(scene, program, "他说了什么？", "safety-chat-dark-zh")
    _shoot_settings(scene, "safety-off")
    with tempfile.TemporaryDirectory() as folder:
        policy = Path(folder, "policy.toml")
        os.environ["INKSTONE_POLICY"] = str(policy)
        for profile, name in (("organisation", "safety-locked"), ("off", "safety-locked-off")):
            policy.write_text(f'profile = "{profile}"\n', "utf-8")
            _shoot_settings(scene, name)
        del os.environ["INKSTONE_POLICY"]


def _shoot_settings(scene: Scene, name: str) -> None:
    """The section as it is now."""
    from tests.screenshots import Studio

    with scene.window(Studio(), texts.CHATS) as program:
        program.window.show_page("settings")
        program.window.parts.settings.open_section("safety")
        scene.shoot(program, name)
