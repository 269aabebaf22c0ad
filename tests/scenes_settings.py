"""Pictures of the settings: every section, a search, narrow, dark, Chinese, large."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog

from app.store.catalogue import SECTIONS
from app.ui.model_settings.dialog import ModelSettingsDialog
from tests import screenshot_texts as texts
from tests.doubles.engines import Reply
from tests.studio import MODELS, Scene, Studio

if TYPE_CHECKING:
    from app.application import Application


def _shoot_sections(scene: Scene, program: Application, name: str) -> None:
    program.window.show_page("settings")
    page = program.window.parts.settings
    for number, section in enumerate(SECTIONS):
        page.list.rows[number].click()
        scene.shoot(program, f"settings-{name}{section}")


def settings(scene: Scene) -> None:
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


def typesetting(scene: Scene) -> None:
    """Traditional Chinese, other typefaces, lines further apart, a wide column, close together."""
    for name, theme, more in (
        ("zh-tw", "light", {"language": "zh_TW"}),
        ("compact", "light", {"density": "compact"}),
        (
            "serif",
            "dark",
            {"reading_font": "Noto Serif", "code_font": "DejaVu Sans Mono", "line_height": 1.3},
        ),
        ("wide", "light", {"reading_width": 1000, "interface_font": "DejaVu Sans"}),
    ):
        chats = texts.CHATS_ZH if name == "zh-tw" else texts.CHATS
        answer = texts.TEA_REPLY if name == "zh-tw" else texts.SAVINGS_REPLY
        with scene.window(Studio([Reply(answer)]), chats, theme=theme, **more) as program:
            scene.load(program, MODELS[0].name)
            scene.ask(program, "砚台怎么养？" if name == "zh-tw" else "Savings or index fund?")
            scene.settle(program)
            QTest.qWait(300)
            scene.shoot(program, f"typesetting-{name}")
            program.window.show_page("settings")
            program.window.parts.settings.open_section("appearance")
            scene.shoot(program, f"typesetting-{name}-settings")


def chat_settings(scene: Scene) -> None:
    for theme, code, name in (("light", "en", ""), ("dark", "zh_CN", "-dark-zh")):
        with scene.window(Studio(), texts.CHATS, theme=theme, language=code) as program:
            program.window.show_page("chat")
            for verb in ("adjust", "manage"):
                program.window.parts.chat.box.options.preset._choose(verb)
                scene.shoot(program, f"chat-settings-{verb}{name}", screen=True)
                for dialog in program.window.findChildren(QDialog):
                    dialog.reject()


def _knows_devices(dialog: ModelSettingsDialog) -> bool:
    return dialog._devices is not None


def model_settings(scene: Scene) -> None:
    """The settings of one model, without a GPU and with one, and how they are reached."""

    for theme, code, scale, name in (
        ("light", "en", 1.0, ""),
        ("dark", "zh_CN", 1.0, "-dark-zh"),
        ("light", "en", 1.6, "-large"),
    ):
        with scene.window(
            Studio(), texts.CHATS, theme=theme, language=code, text_scale=scale
        ) as program:
            scene.load(program, MODELS[0].name)
            program.window.show_page("models")
            scene.shoot(program, f"model-settings-way{name}")
            program.model_settings.open(MODELS[0])
            dialog = program.window.findChild(ModelSettingsDialog)
            assert dialog is not None
            scene.wait(partial(_knows_devices, dialog))
            scene.shoot(program, f"model-settings-processor{name}", screen=True)
            dialog.show_devices(("", "cpu", "cuda"))
            dialog.rows["gpu_layers"].control.choose(12)
            dialog.rows["context"].control.choose(4096)
            scene.shoot(program, f"model-settings-card{name}", screen=True)
            dialog.reject()
            QTest.qWait(50)
