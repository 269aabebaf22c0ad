"""Pictures of adding a model: suggestions, a search with files, downloads, in all looks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.chat.measuring import Machine
from app.ui.why_dialog import WhyDialog
from engine.contract import Fault, FaultKind
from engine.library.downloads.order import DownloadState, Order, Phase, WantedFile
from engine.library.hubs.choices import FileChoice
from engine.library.hubs.hub import HUGGING_FACE, HubModel, Repository
from tests import screenshot_texts as texts
from tests.studio import Scene

if TYPE_CHECKING:
    from app.application import Application

_GB = 1_000_000_000
_MACHINE = Machine(8, "AVX2", (), 38.6e9)


def _state(name: str, phase: Phase, done: float, total: float, **others: object) -> DownloadState:
    order = Order(name, name, name, (WantedFile("http://h/m", "m.gguf"),))
    return DownloadState(order, phase, int(done * _GB), int(total * _GB), **others)  # type: ignore[arg-type]


_STATES = [
    _state("Qwen3 8B", Phase.RUNNING, 3.12, 5.03, rate=11_400_000.0, seconds_left=168.0),
    _state("Phi-4 mini", Phase.PAUSED, 1.02, 2.49),
    _state("Qwen3 14B", Phase.FINISHED, 9.0, 9.0, verified=True),
    _state(
        "Gemma 3 4B", Phase.FAILED, 0.4, 3.16,
        fault=Fault(FaultKind.NETWORK_UNREACHABLE, {"host": "huggingface.co"}),
    ),
]  # fmt: skip


def fill(program: Application) -> None:
    """Put everything on the page that can stand there."""
    page = program.window.parts.add_model
    page.show_machine(_MACHINE)
    found = tuple(
        HubModel(HUGGING_FACE, name, downloads, likes, gated, parameters)
        for name, downloads, likes, gated, parameters in (
            ("microsoft/Phi-4-mini-instruct-gguf", 1_204_310, 612, False, 3_840_000_000),
            ("bartowski/Phi-3.5-MoE-GGUF", 88_204, 97, True, 41_900_000_000),
        )
    )
    page.finder.say(lambda to: to.text("add-found", count=len(found)))
    page.finder.results.show_models(found, page.around)
    files = {"Q4_K_M": 2.49, "Q8_0": 4.08, "BF16": 7.68}
    choices = tuple(
        FileChoice(label, (WantedFile("http://h/m", f"m-{label}.gguf", int(size * _GB)),), not n)
        for n, (label, size) in enumerate(files.items())
    )
    repository = Repository(found[0], "main", "http://h", (), "mit")
    page.finder.results.show_files(repository, choices, page.around)
    program.downloads.states = lambda: _STATES  # type: ignore[method-assign]
    program.downloads.changed.emit()


def refused(program: Application) -> None:
    """Search while nothing may use the network."""
    program.downloads.states = lambda: _STATES[1:]  # type: ignore[method-assign] # none runs
    program.downloads.changed.emit()
    program.settings.change(offline=True)
    finder = program.window.parts.add_model.finder
    finder.field.setText("phi")
    finder.search.click()


def why(scene: Scene, program: Application, name: str) -> None:
    """The figures behind the badge of our suggestion."""
    page = program.window.parts.add_model
    page.cards.cards[1].why.click()
    (dialog,) = page.findChildren(WhyDialog)
    scene.shoot(program, name, screen=True)
    dialog.reject()


def add_model(scene: Scene) -> None:
    from tests.screenshots import Studio

    with scene.window(Studio(), texts.CHATS) as program:
        program.window.show_page("add_model")
        scene.shoot(program, "add-model-measuring")
        fill(program)
        program.window.resize(1280, 1300)
        scene.shoot(program, "add-model")
        why(scene, program, "add-model-why")
        program.window.resize(720, 1500)
        scene.shoot(program, "add-model-narrow")
        refused(program)
        scene.shoot(program, "add-model-offline-narrow")
        program.settings.change(offline=False)
        program.downloads.states = lambda: _STATES  # type: ignore[method-assign]
        program.window.resize(1280, 832)
        program.window.show_page("models")
        program.downloads.changed.emit()
        scene.shoot(program, "models-downloads")
    with scene.window(Studio(), texts.CHATS_ZH, theme="dark", language="zh_CN") as program:
        program.window.show_page("add_model")
        fill(program)
        scene.shoot(program, "add-model-dark-zh")
        why(scene, program, "add-model-why-dark-zh")
