"""Pictures of the models page: models of several programs, a narrow window, Chinese and dark."""

from __future__ import annotations

from dataclasses import replace

from app.store.benchmarks import Speed
from app.ui.detail_dialog import DetailDialog
from app.ui.why_dialog import WhyDialog
from engine.contract import Support
from engine.library.gpus import Gpu, Holder
from engine.library.scan import Found
from engine.library.sources import SourceKind
from tests import screenshot_texts as texts
from tests.studio import GB, MODELS, Scene, Studio, model

_FOUND = (
    (MODELS[0], SourceKind.OWN),
    (replace(MODELS[1], languages=("en", "zh", "es")), SourceKind.OLLAMA),
    (model("Qwen2.5 Coder 1.5B", 1_120_000_000, parameters=1_540_000_000, context_length=32_768,
           quantization="Q4_K_M", bits_per_weight=5.2, license="apache-2.0"),
     SourceKind.LM_STUDIO),
    (model("A model with a long name that nobody would have chosen but a merger did-v0.3-i1",
           31_000_000_000, parameters=30_500_000_000, active_parameters=3_300_000_000,
           context_length=262_144, quantization="Q8_0", bits_per_weight=8.5),
     SourceKind.HUGGING_FACE),
    (model("Novel-7B", 5_000_000_000, architecture="novel", support=Support.UNSUPPORTED, layers=0,
           cache_bytes_per_token=0), SourceKind.JAN),
    (replace(MODELS[3], has_template=False), SourceKind.GPT4ALL),
)  # fmt: skip


def library(scene: Scene) -> None:
    """The page full of models."""
    facts = [each for each, _ in _FOUND]
    scene.models = facts
    scene.found = [Found(each.path, each, source=kind, modified=1.76e9) for each, kind in _FOUND]
    scene.found[5] = replace(scene.found[5], twin=facts[0].path)
    for language, theme in (("en", "light"), ("zh_CN", "dark")):
        with scene.window(Studio(), texts.CHATS, language=language, theme=theme) as program:
            speed = Speed(str(facts[0].path), "", 0, "cpu", "AVX2", 8, 13.2, 53.7, 1, 1, 1,
                          4 * GB, 2 * GB, 3.6e10, 1_760_000_000)  # fmt: skip
            program.benchmarks.keep(speed)
            program.notes.change(facts[2].path, pinned=True)
            scene.load(program, "Qwen3 4B")
            program.window.show_page("models")
            page = program.window.parts.models
            scene.wait(lambda: not program.shelf.is_scanning)
            page.view.choose(facts[0].path)
            name = "library" if language == "en" else "library-dark-zh"
            scene.shoot(program, name)
            page.explain(facts[3], page.detail._context.tokens)
            why = page.findChild(WhyDialog)
            assert why is not None
            scene.shoot(program, f"{name}-why", screen=True)
            why.reject()
            if language == "en":
                page.view.choose(facts[4].path)
                page.show_gpus(
                    (Gpu("NVIDIA RTX 4090", 24 * GB, 2 * GB, (Holder(1, "python3", 20 * GB),)),)
                )
                scene.shoot(program, "library-unsupported")
                program.window.resize(720, 560)
                scene.shoot(program, "library-narrow")
            program.window.resize(720, 832)
            page.open_details(facts[1])
            dialog = page.findChild(DetailDialog)
            assert dialog is not None
            scene.shoot(program, f"{name}-details", screen=True)
            dialog.reject()
    scene.models, scene.found = list(MODELS), []


def resting(scene: Scene) -> None:
    """A model that was put to rest: in the chat, its menu, the status line and on its card."""
    for language, theme, width in (("en", "light", 1280), ("zh_CN", "dark", 720)):
        with scene.window(Studio(), texts.CHATS, language=language, theme=theme) as program:
            scene.load(program, "Qwen3 4B")
            program.settings.change(keep_loaded_minutes=10)
            program.keep_loaded._on_rested()  # as after ten minutes
            program.window.resize(width, 832)
            name = f"resting-{language}"
            scene.shoot(program, name)
            picker = program.window.parts.chat.header.picker
            picker.open_menu()
            scene.shoot(program, f"{name}-menu", screen=True)
            picker._menu.close()
            program.window.show_page("models")
            page = program.window.parts.models
            scene.wait(lambda: not program.shelf.is_scanning)
            page.view.choose(MODELS[0].path)
            scene.shoot(program, f"{name}-card")
