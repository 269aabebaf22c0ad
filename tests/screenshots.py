"""Pictures of the real window: ``python tests/screenshots.py OUTDIR [SCENE…]``, under Xvfb.

    xvfb-run -a -s "-screen 0 1600x1000x24" python tests/screenshots.py /tmp/shots

The window is the program's own, built by ``app.application``; the engine is scripted, so that the
pictures can be compared with ``shared/look`` and with those of yesterday. ``--real MODEL`` adds one
scene with the real engine and a real model.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import os  # noqa: E402

from PySide6.QtCore import QPoint, Qt  # noqa: E402
from PySide6.QtTest import QTest  # noqa: E402
from PySide6.QtWidgets import QApplication, QToolTip  # noqa: E402

from app.application import Application  # noqa: E402
from app.chat.model_session import ModelPhase  # noqa: E402
from engine.contract import (  # noqa: E402
    Channel,
    Fault,
    FaultKind,
)
from tests import (  # noqa: E402
    scenes_about,
    scenes_accessibility,
    scenes_add_model,
    scenes_advisor,
    scenes_attachments,
    scenes_benchmark,
    scenes_controls,
    scenes_density,
    scenes_formulas,
    scenes_found,
    scenes_history,
    scenes_inspector,
    scenes_keeping,
    scenes_models,
    scenes_monitor,
    scenes_quick,
    scenes_rare,
    scenes_remote,
    scenes_runtime,
    scenes_safety,
    scenes_sampling,
    scenes_scaled,
    scenes_server,
    scenes_settings,
    scenes_smaller,
    scenes_turns,
    scenes_update,
)
from tests import screenshot_texts as texts  # noqa: E402
from tests.doubles.engines import Reply  # noqa: E402
from tests.studio import MODELS, SIZE, Scene, Studio, is_busy  # noqa: E402


def first_run(scene: Scene) -> None:
    scene.models = []
    with scene.window(Studio(), []) as program:
        scene.shoot(program, "first-run")
        program.window.parts.welcome.starter.start.click()
        QTest.qWait(600)
        scene.shoot(program, "fetching")
        program.window.resize(760, 832)
        scene.shoot(program, "fetching-narrow")
    with scene.window(Studio(), []) as program:
        program.settings.change(offline=True)
        program.window.parts.welcome.starter.start.click()
        scene.shoot(program, "first-run-offline")
    with scene.window(Studio(), [], theme="dark", language="zh_CN") as program:
        scene.shoot(program, "first-run-dark-zh")


def loading_and_empty(scene: Scene) -> None:
    Studio.held.clear()
    with scene.window(Studio(), texts.CHATS) as program:
        program.deeds.load(MODELS[0].path)
        QTest.qWait(200)
        program.window.parts.chat.box.say("At 4 % a year, when do my savings double?")
        scene.shoot(program, "loading")
        program.window.parts.chat.box.say("")
        scene.load(program, "Qwen3 4B")
        scene.shoot(program, "empty")


def answering(scene: Scene) -> None:
    thought = [(Channel.REASONING, f"{word} ") for word in texts.SAVINGS_THOUGHT.split()]
    reply = Reply(texts.SAVINGS_REPLY, pieces=thought, endless=True, prefill=64, reused=32)
    with scene.window(Studio([reply], tokens_per_second=24), texts.CHATS) as program:
        scene.load(program, "Qwen3 4B")
        scene.ask(program, texts.SAVINGS)
        assert program.deeds.open_chat is not None
        program.chats.rename(program.deeds.open_chat, "Doubling savings at 4 %")
        scene.wait(lambda: "wait" in _last(program))
        program.window.parts.chat.box.say(texts.SAVINGS_NEXT)
        program.window.parts.chat.box.show_draft(1214)
        scene.shoot(program, "answering")
        program.window.parts.chat.header.picker.open_menu()
        scene.shoot(program, "model-menu", screen=True)
        program.window.parts.chat.header.picker._menu.close()
        scene.ask(program, texts.SAVINGS_NEXT)
        scene.shoot(program, "queued")


def chinese_dark(scene: Scene) -> None:
    thought = [(Channel.REASONING, texts.TEA_THOUGHT)]
    runner = Studio([Reply(texts.TEA_REPLY, pieces=thought, reused=0)])
    with scene.window(runner, texts.CHATS_ZH, theme="dark", language="zh_CN") as program:
        scene.load(program, "Qwen3 4B")
        scene.ask(program, texts.TEA)
        assert program.deeds.open_chat is not None
        program.chats.rename(program.deeds.open_chat, "不同茶叶的水温")
        scene.settle(program)
        scene.shoot(program, "chinese-dark")
        program.window.show_page("models")
        scene.shoot(program, "models-dark-zh")
        program.window.show_page("settings")
        scene.shoot(program, "settings-dark-zh")


def code_narrow(scene: Scene) -> None:
    with scene.window(
        Studio([Reply(texts.PHOTOS_REPLY, left_out_turns=2)]), texts.CHATS
    ) as program:
        scene.load(program, "Qwen3 4B")
        scene.ask(program, texts.PHOTOS)
        scene.settle(program)
        scene.shoot(program, "code")
        program.window.resize(760, 832)
        scene.shoot(program, "narrow")
        program.window.parts.sidebar.toggle()
        QTest.qWait(250)
        scene.shoot(program, "drawer")
        program.window.resize(720, 560)
        scene.shoot(program, "smallest")


def faults(scene: Scene) -> None:
    broken = Reply("Yes, with cherry tomatoes.", fault=Fault(
        FaultKind.OUT_OF_MEMORY, {"needed": 600_000_000, "free": 0, "device": "cpu"}
    ))  # fmt: skip
    with scene.window(Studio([broken]), texts.CHATS) as program:
        scene.load(program, "Qwen3 4B")
        scene.ask(program, "Can I plant tomatoes on a balcony that faces east?")
        scene.settle(program)
        short = {"needed": 10_800_000_000, "free": 6_100_000_000, "context": 8192}
        program.deeds.announce_fault("model", Fault(FaultKind.MEMORY_SHORT, short))
        program.chats_on_screen.step(1)
        program.chat_deeds.delete([program.chats.chats()[-1].id])
        program.chats_on_screen.step(-1)
        scene.shoot(program, "error")


def pages(scene: Scene) -> None:
    with scene.window(Studio(), texts.CHATS) as program:
        scene.load(program, "Qwen3 4B")
        program.window.show_page("models")
        scene.shoot(program, "models")
        program.window.resize(760, 832)
        program.window.show_page("models")
        scene.shoot(program, "models-narrow")


def states(scene: Scene) -> None:
    """Hover, tooltip, keyboard focus, menu of a chat."""
    with scene.window(Studio(), texts.CHATS) as program:
        scene.load(program, "Qwen3 4B")
        window = program.window
        rows = window.parts.sidebar.list
        row = rows.visualRect(rows._rows.index(4))
        QTest.mouseMove(rows.viewport(), row.center())
        scene.shoot(program, "hover", screen=True)
        fold = window.parts.sidebar.findChildren(type(window.parts.chat.header.more))[0]
        QToolTip.showText(fold.mapToGlobal(QPoint(0, 18)), fold.toolTip(), fold)
        scene.shoot(program, "tooltip", screen=True)
        program.list_on_screen.menus.open_for_chat(
            program.chats.chats()[2].id, rows.viewport().mapToGlobal(row.bottomRight())
        )
        scene.shoot(program, "chat-menu", screen=True)
        QTest.keyClick(QApplication.activePopupWidget(), Qt.Key.Key_Escape)
        handle = window.windowHandle()
        for _ in range(2):
            QTest.keyClick(handle, Qt.Key.Key_Tab)
        scene.shoot(program, "focus")


def _last(program: Application) -> str:
    session = program.window.parts.chat.session
    turns = session.path() if session is not None else []
    return turns[-1].content if turns else ""


SCENES = {
    scene.__name__: scene
    for scene in (
        first_run, loading_and_empty, answering, chinese_dark, code_narrow, faults, pages, states,
        scenes_turns.turns, scenes_turns.reading, scenes_controls.controls,
        scenes_benchmark.benchmark, scenes_add_model.add_model, scenes_attachments.attachments,
        scenes_attachments.attachments_dark_zh, scenes_attachments.templates,
        scenes_inspector.inspector, scenes_history.history, scenes_history.temporary,
        scenes_keeping.keeping, scenes_keeping.refusing,
        scenes_found.found, scenes_server.server, scenes_models.library, scenes_models.resting,
        scenes_remote.remote,
        scenes_accessibility.keys, scenes_accessibility.largest, scenes_settings.settings,
        scenes_settings.typesetting, scenes_density.density, scenes_settings.chat_settings,
        scenes_settings.model_settings, scenes_sampling.sampling, scenes_about.about,
        scenes_smaller.smaller, scenes_safety.safety, scenes_monitor.monitor, scenes_quick.quick,
        scenes_update.update, scenes_runtime.runtime, scenes_scaled.scaled,
        scenes_advisor.advisor, scenes_formulas.formulas, scenes_rare.rare,
    )
}  # fmt: skip


def real(app: QApplication, out: Path, path: Path, question: str) -> None:
    """One question to a real model by the real engine."""
    with tempfile.TemporaryDirectory() as home:
        os.environ["INKSTONE_HOME"] = home
        program = Application(app, model=path)
        program.window.resize(*SIZE)
        program.start()
        scene = Scene(app, out, [])
        scene.wait(lambda: program.model.state.phase is ModelPhase.READY, 300)
        scene.ask(program, question)
        scene.wait(lambda: not is_busy(program), 300)
        scene.shoot(program, "real")
        scenes_inspector.look_back(scene, program)
        program.window.close()
        program.close()


def main() -> int:
    """Take the pictures that were asked for, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("scenes", nargs="*", metavar="SCENE", help=", ".join(SCENES))
    parser.add_argument("--real", type=Path, metavar="MODEL")
    parser.add_argument("--scale", default="", help="of the screen, for example 1.5")
    parser.add_argument("--question", default="Why is the sky blue? Answer in three sentences.")
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    if chosen.scale:
        os.environ["QT_SCALE_FACTOR"] = chosen.scale
    app = QApplication(sys.argv[:1])
    for name in chosen.scenes or ([] if chosen.real else SCENES):
        SCENES[name](Scene(app, chosen.out, MODELS))
    if chosen.real:
        real(app, chosen.out, chosen.real, chosen.question)
    return 0


if __name__ == "__main__":
    sys.exit(main())
