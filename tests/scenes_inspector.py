"""Pictures of the inspector: an answer, its prompt, the memory, and why there may be nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests import screenshot_texts as texts
from tests.doubles.scripts import Reply
from tests.studio import Scene, Studio

if TYPE_CHECKING:
    from app.application import Application


def inspector(scene: Scene) -> None:
    """Every page in light, the narrow window, and all of it in Chinese and dark."""
    reply = Reply(texts.SAVINGS_REPLY, prefill=1456, reused=1412)
    with scene.window(Studio([Reply("Unseen."), reply]), texts.CHATS) as program:
        scene.load(program, "Qwen3 4B")
        scene.ask(program, "Hello")
        scene.settle(program)
        program.inspector_on_screen.toggle()
        scene.shoot(program, "inspector-unseen")
        _ask(scene, program, texts.SAVINGS)
        scene.shoot(program, "inspector-answer")
        program.window.parts.inspector.open_page(1)
        QTest.qWait(200)
        scene.shoot(program, "inspector-prompt")
        program.window.parts.inspector.open_page(2)
        scene.shoot(program, "inspector-memory")
        program.window.parts.inspector.open_page(0)
        program.window.resize(760, 832)
        scene.shoot(program, "inspector-narrow")
        program.window.resize(1600, 900)
        scene.shoot(program, "inspector-wide")
    reply = Reply(texts.TEA_REPLY, prefill=240, reused=200)
    with scene.window(Studio([reply]), texts.CHATS_ZH, theme="dark", language="zh_CN") as program:
        scene.load(program, "Qwen3 4B")
        program.inspector_on_screen.toggle()
        _ask(scene, program, texts.TEA)
        scene.shoot(program, "inspector-answer-dark-zh")
        program.window.parts.inspector.open_page(2)
        scene.shoot(program, "inspector-memory-dark-zh")


def look_back(scene: Scene, program: Application) -> None:
    """Look into a reply that is there, at a token that the model was unsure of."""
    program.inspector_on_screen.toggle()
    panel = program.window.parts.inspector
    panel.absence.look_back.click()
    scene.wait(lambda: (seen := panel.answer._seen) is not None and seen.is_over)
    scene.wait(lambda: bool(panel.answer.tokens._cells))
    panel.answer.tokens.setFocus()
    cells = panel.answer.tokens._cells
    panel.answer._on_pointed(next(place for place, cell in enumerate(cells) if cell.heat > 2))
    scene.shoot(program, "real-inspector")


def _ask(scene: Scene, program: Application, question: str) -> None:
    """Ask, and choose the token that the keyboard reaches in two lines and two steps."""
    scene.ask(program, question)
    scene.settle(program)
    QTest.qWait(200)
    tokens = program.window.parts.inspector.answer.tokens
    for key in (Qt.Key.Key_Home, Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Right):
        QTest.keyClick(tokens, key)
