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
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import os  # noqa: E402

from PySide6.QtCore import QPoint, Qt  # noqa: E402
from PySide6.QtGui import QCursor  # noqa: E402
from PySide6.QtTest import QTest  # noqa: E402
from PySide6.QtWidgets import QApplication, QToolTip  # noqa: E402

from app.application import Application, Outside  # noqa: E402
from app.chat.model_session import ModelPhase  # noqa: E402
from app.store.opening import open_store  # noqa: E402
from app.store.rows import ChatRow, TurnRow  # noqa: E402
from app.store.worker import InlineWorker  # noqa: E402
from app.ui.model_shelf import ModelSources  # noqa: E402
from engine.contract import (  # noqa: E402
    Channel,
    Command,
    Event,
    Fault,
    FaultKind,
    Loaded,
    Memory,
    Metrics,
    ModelFacts,
    Progress,
    Stage,
)
from engine.library.scan import Found  # noqa: E402
from engine.service import EngineService  # noqa: E402
from tests import screenshot_texts as texts  # noqa: E402
from tests.doubles.engines import Reply, ScriptedRunner  # noqa: E402
from tests.doubles.scripts import model_facts  # noqa: E402

SIZE = (1280, 832)
DAY_US = 86_400_000_000
GB = 10**9


class Studio(ScriptedRunner):
    """A scripted engine that tells the figures of the pictures, and can stand still."""

    held = threading.Event()  # set: go on
    speed, context_used = 13.2, 1746
    memory = Memory(2_500_000_000, 1_210_000_000, 300_000_000, 0)

    def run(self, command: Command, cancelled: Callable[[], bool]) -> Iterator[Event | None]:
        for event in super().run(command, cancelled):
            match event:
                case Loaded(model=facts):
                    known = next((m for m in MODELS if m.path == facts.path), facts)
                    yield replace(event, model=known, context=8192, threads=8, memory=self.memory)
                case Metrics():
                    yield replace(
                        event,
                        tokens_per_second=self.speed * (0.92 + 0.02 * (event.generated_tokens % 5)),
                        time_to_first_token_s=0.84,
                        context_used=self.context_used,
                        context_size=8192,
                        memory=self.memory,
                    )
                case Progress(stage=Stage.READING, done=done, total=total) if 0 < done < total:
                    yield event
                    while not self.held.is_set() and not cancelled():
                        time.sleep(0.01)
                        yield None
                case _:
                    yield event


def model(name: str, size: int, **values: object) -> ModelFacts:
    path = Path("/home/user/.local/share/Inkstone/models") / name / f"{name}.gguf"
    facts = replace(model_facts(path), name=name, size_bytes=size, weight_bytes=size)
    return replace(facts, **values)  # type: ignore[arg-type]


MODELS = [
    model("Qwen3 4B", 2_500_000_000, parameters=4_020_000_000, context_length=40_960, layers=36,
          quantization="Q4_K_M", bits_per_weight=4.97, publisher="Qwen",
          cache_bytes_per_token=147_456, vocabulary=151_936),
    model("Gemma 3 4B", 2_490_000_000, parameters=3_880_000_000, context_length=131_072, layers=34,
          quantization="Q4_K_M", bits_per_weight=5.1, publisher="Google",
          cache_bytes_per_token=139_264, vocabulary=262_144, license="gemma"),
    model("Qwen3 14B", 19_800_000_000, parameters=14_800_000_000, context_length=40_960, layers=40,
          quantization="Q8_0", bits_per_weight=8.5, publisher="Qwen",
          cache_bytes_per_token=163_840, vocabulary=151_936),
    model("SmolLM2-135M-Instruct", 98_362_432, publisher="HuggingFaceTB", context_length=8192),
]  # fmt: skip


def seed(home: Path, chats: list[tuple[str, int, bool]]) -> None:
    """Put chats with a question each into a home."""
    opened = open_store(home, InlineWorker())
    now = time.time_ns() // 1000
    for title, days, pinned in chats:
        chat, turn = opened.store.new_chat_id(), opened.store.new_turn_id()
        when = now - days * DAY_US - 3_600_000_000 * (days == 0) // 60
        opened.store.put_chat(
            ChatRow(chat, title, "user", created=when, updated=when, pinned=pinned, turns=1)
        )
        opened.store.add_turns(TurnRow(turn, chat, None, "user", "?", created=when))
    opened.close()


class Scene:
    """The window in a home of its own, and the camera before it."""

    def __init__(self, app: QApplication, out: Path, models: list[ModelFacts]) -> None:
        self._app, self._out = app, out
        self.models = models
        self.fetching = threading.Event()

    @contextmanager
    def window(
        self, runner: Studio, chats: list[tuple[str, int, bool]], **settings: object
    ) -> Iterator[Application]:
        with tempfile.TemporaryDirectory() as home:
            os.environ["INKSTONE_HOME"] = home
            seed(Path(home), chats)
            sources = ModelSources(
                Path(home) / "models",
                lambda _: [Found(facts.path, facts) for facts in self.models],
                lambda path: next(m for m in self.models if m.path == path),
                self._fetch,
                98_362_432,
            )
            outside = Outside(lambda sink: EngineService(sink, lambda: runner), sources)
            program = Application(self._app, outside)
            program.settings.change(load_last_model=False, **settings)
            for name in settings:
                program.settings_on_screen._on_changed(name)
            program.window.move(0, 0)
            program.window.resize(*SIZE)
            program.start()
            program.window.activateWindow()
            self.wait(lambda: program.shelf.is_known)
            QCursor.setPos(1590, 990)
            try:
                yield program
            finally:
                self.fetching.set()
                program.window.close()
                program.close()
                program.window.deleteLater()
                program.deleteLater()
                QTest.qWait(20)

    def _fetch(
        self, progress: Callable[[int, int], None], cancelled: Callable[[], bool]
    ) -> Path | None:
        for part in range(1, 32):
            progress(part * 1_000_000, 98_362_432)
            time.sleep(0.02)
        while not cancelled() and not self.fetching.is_set():
            time.sleep(0.02)
        return None

    def wait(self, until: Callable[[], bool], seconds: float = 60) -> None:
        end = time.monotonic() + seconds
        while not until():
            if time.monotonic() > end:
                raise TimeoutError
            QTest.qWait(10)

    def load(self, program: Application, name: str) -> None:
        Studio.held.set()
        program.deeds.load(next(m.path for m in self.models if m.name == name))
        self.wait(lambda: program.model.state.phase is ModelPhase.READY)

    def ask(self, program: Application, text: str) -> None:
        field = program.window.parts.chat.box.field
        field.setPlainText(text)
        QTest.keyClick(field, Qt.Key.Key_Return)

    def settle(self, program: Application) -> None:
        self.wait(lambda: not _busy(program))

    def shoot(self, program: Application, name: str, *, screen: bool = False) -> None:
        """Take the picture: of the window, or of the screen where menus and tooltips lie."""
        QTest.qWait(120)
        window = program.window
        area = window.geometry()
        picture = (
            window.screen().grabWindow(0, area.x(), area.y(), area.width(), area.height())
            if screen
            else window.grab()
        )
        picture.save(str(self._out / f"{name}.png"))
        print(self._out / f"{name}.png")


def _busy(program: Application) -> bool:
    session = program.window.parts.chat.session
    return session is not None and session.state.busy


def first_run(scene: Scene) -> None:
    scene.models = []
    with scene.window(Studio(), []) as program:
        scene.shoot(program, "first-run")
        program.window.parts.welcome.starter.start.click()
        QTest.qWait(600)
        scene.shoot(program, "fetching")
        program.window.resize(760, 832)
        scene.shoot(program, "fetching-narrow")
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
        program.deeds.delete_chat(program.chats.chats()[-1].id)
        program.chats_on_screen.step(-1)
        scene.shoot(program, "error")


def pages(scene: Scene) -> None:
    with scene.window(Studio(), texts.CHATS) as program:
        scene.load(program, "Qwen3 4B")
        program.window.show_page("models")
        scene.shoot(program, "models")
        program.window.show_page("settings")
        for number, name in enumerate(
            ("general", "appearance", "chat", "folders", "memory", "keyboard")
        ):
            program.window.parts.settings._group.button(number).click()
            scene.shoot(program, f"settings-{name}")
        program.window.resize(760, 832)
        scene.shoot(program, "settings-narrow")
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
        program.deeds.chat_menu(
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
        first_run, loading_and_empty, answering, chinese_dark, code_narrow, faults, pages, states
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
        scene.wait(lambda: not _busy(program), 300)
        scene.shoot(program, "real")
        program.window.close()
        program.close()


def main() -> int:
    """Take the pictures that were asked for, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("scenes", nargs="*", metavar="SCENE", help=", ".join(SCENES))
    parser.add_argument("--real", type=Path, metavar="MODEL")
    parser.add_argument("--question", default="Why is the sky blue? Answer in three sentences.")
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    app = QApplication(sys.argv[:1])
    for name in chosen.scenes or ([] if chosen.real else SCENES):
        SCENES[name](Scene(app, chosen.out, MODELS))
    if chosen.real:
        real(app, chosen.out, chosen.real, chosen.question)
    return 0


if __name__ == "__main__":
    sys.exit(main())
