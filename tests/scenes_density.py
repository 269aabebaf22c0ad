"""Pictures of the same places, set as the design has them and close."""

from __future__ import annotations

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog

from tests import screenshot_texts as texts
from tests.doubles.engines import Reply
from tests.studio import MODELS, Scene, Studio

_PAGES = ("models", "settings", "monitor", "add_model", "server")


def density(scene: Scene) -> None:
    """The chat, the pages beside it and a dialog, comfortable and compact."""
    dark_zh = {"theme": "dark", "language": "zh_CN"}
    for chosen, name, more in (
        ("", "usual", {}), ("compact", "compact", {}), ("compact", "compact-dark-zh", dark_zh),
    ):  # fmt: skip
        reply, asked, chats = texts.SAVINGS_REPLY, texts.SAVINGS, texts.CHATS
        if more:
            reply, asked, chats = texts.TEA_REPLY, texts.TEA, texts.CHATS_ZH
        with scene.window(Studio([Reply(reply)]), chats, density=chosen, **more) as program:
            scene.load(program, MODELS[0].name)
            scene.ask(program, asked)
            scene.settle(program)
            scene.shoot(program, f"density-{name}-chat")
            for page in _PAGES:
                program.window.show_page(page)
                QTest.qWait(300)
                scene.shoot(program, f"density-{name}-{page}")
            program.window.show_page("chat")
            program.window.parts.chat.box.options.preset._choose("adjust")
            scene.shoot(program, f"density-{name}-dialog", screen=True)
            for dialog in program.window.findChildren(QDialog):
                dialog.reject()
