"""Pictures of the settings: every section, a search, narrow, dark, Chinese, large."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QDialog

from app.store.catalogue import SECTIONS
from tests import screenshot_texts as texts
from tests.studio import Scene

if TYPE_CHECKING:
    from app.application import Application


def _shoot_sections(scene: Scene, program: Application, name: str) -> None:
    program.window.show_page("settings")
    page = program.window.parts.settings
    for number, section in enumerate(SECTIONS):
        page.list.rows[number].click()
        scene.shoot(program, f"settings-{name}{section}")


def settings(scene: Scene) -> None:
    from tests.screenshots import Studio

    with scene.window(Studio(), texts.CHATS, context=8192, keep_loaded_minutes=15) as program:
        _shoot_sections(scene, program, "")
        page = program.window.parts.settings
        page.search.setText("memory")
        scene.shoot(program, "settings-search")
        page.search.setText("no such thing")
        scene.shoot(program, "settings-none")
        page.search.clear()
        page.reset.click()
        page.open_section("memory")
        scene.shoot(program, "settings-reset")
        program.window.resize(720, 832)
        scene.shoot(program, "settings-narrow")
    with scene.window(Studio(), texts.CHATS_ZH, theme="dark", language="zh_CN") as program:
        _shoot_sections(scene, program, "dark-zh-")
        program.window.parts.settings.search.setText("memory")
        scene.shoot(program, "settings-search-dark-zh")
    with scene.window(Studio(), texts.CHATS, text_scale=1.6) as program:
        program.window.resize(720, 832)
        _shoot_sections(scene, program, "large-")


def chat_settings(scene: Scene) -> None:
    from tests.screenshots import Studio

    for theme, code, name in (("light", "en", ""), ("dark", "zh_CN", "-dark-zh")):
        with scene.window(Studio(), texts.CHATS, theme=theme, language=code) as program:
            program.window.show_page("chat")
            for verb in ("adjust", "manage"):
                program.window.parts.chat.box.options.preset._choose(verb)
                scene.shoot(program, f"chat-settings-{verb}{name}", screen=True)
                for dialog in program.window.findChildren(QDialog):
                    dialog.reject()
