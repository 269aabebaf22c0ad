"""Pictures of remote models: the form, the card, and the marks in a chat."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication

from engine.contract import Command, Event, Finished, Loaded, Memory, Support
from engine.library.servers.asking import Server, ServerModel
from engine.library.servers.known import ServerKind
from tests import screenshot_texts as texts
from tests.doubles.engines import Reply
from tests.doubles.scripts import model_facts
from tests.studio import Scene, Studio

if TYPE_CHECKING:
    from app.application import Application

AWAY = replace(
    model_facts(Path("DeepSeek.gguf")),
    name="DeepSeek V3",
    server="https://api.deepseek.com/v1",
    support=Support.REMOTE,
    context_length=65536,
    size_bytes=0,
    layers=0,
)
HERE = replace(AWAY, path=Path("Ollama.gguf"), name="qwen3:4b", server="http://localhost:11434/v1")


class Far(Studio):
    """Answers as the remote models of the pictures."""

    def run(self, command: Command, cancelled: Callable[[], bool]) -> Iterator[Event | None]:
        for event in super().run(command, cancelled):
            if isinstance(event, Loaded) and event.model.path in {AWAY.path, HERE.path}:
                facts = AWAY if event.model.path == AWAY.path else HERE
                yield replace(event, model=facts, memory=Memory(0, 0, 0, 0), context=65536)
            elif isinstance(event, Finished):
                yield replace(event, timings=replace(event.timings, beside_server=True))
            else:
                yield event


def open_form(program: Application) -> None:
    """Open the form as it is after the server was asked."""
    dialogs = program.remote
    dialogs.add()
    dialog = dialogs.dialog
    assert dialog is not None
    dialog.preset.chosen.emit(ServerKind.VLLM.value)
    dialog.address.setText("https://gpu.example.org:8000/v1")
    models = (ServerModel("Qwen/Qwen3-32B", 40960), ServerModel("openai/gpt-oss-120b", 131072))
    dialog.show_models(Server(ServerKind.VLLM, models, 0.084))
    dialog.list.setCurrentRow(0)
    dialog.name.setText("Qwen3 32B")


def shoot_form(scene: Scene, program: Application, name: str) -> None:
    open_form(program)
    dialog = program.remote.dialog
    assert dialog is not None
    QApplication.processEvents()
    dialog.grab().save(str(scene._out / f"{name}.png"))
    dialog.reject()


def remote(scene: Scene) -> None:
    before, scene.models = scene.models, [AWAY, HERE, *scene.models]
    for suffix, theme, language in (("", "light", "en"), ("-dark-zh", "dark", "zh_CN")):
        runner = Far([Reply("Because ice is less dense than water.")])
        chats = texts.CHATS if language == "en" else texts.CHATS_ZH
        with scene.window(runner, chats, theme=theme, language=language) as program:
            scene.load(program, AWAY.name)
            scene.ask(program, "Why does ice float?")
            scene.settle(program)
            scene.shoot(program, f"remote-chat{suffix}")
            program.window.resize(720, 832)
            scene.shoot(program, f"remote-chat-narrow{suffix}")
            program.window.resize(1280, 832)
            program.window.show_page("models")
            scene.shoot(program, f"remote-models{suffix}")
            shoot_form(scene, program, f"remote-form{suffix}")
    scene.models = before
