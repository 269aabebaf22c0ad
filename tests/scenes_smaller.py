"""Pictures of the page of smaller copies: choosing, at work, failed, reported; dark, narrow."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.chat.comparing import AskPhase, AskState, Said
from app.chat.shrinking import ShrinkPhase, ShrinkState, Wish
from app.ui.smaller.trade import Known
from engine.contract import Fault, FaultKind
from engine.library.recipes import PRESETS
from engine.library.smaller import Quality, Shape
from tests import screenshot_texts as texts
from tests.studio import MODELS, Scene, model

if TYPE_CHECKING:
    from app.application import Application

ORIGINAL = model(
    "Qwen3 4B", 8_050_000_000, parameters=4_020_000_000, active_parameters=4_020_000_000,
    context_length=40_960, layers=36, bits_per_weight=16.0, quantization="bf16",
    format="safetensors", weight_bytes=8_050_000_000,
)  # fmt: skip
SHAPE = Shape(ORIGINAL, 388_956_160, 0)
ERRORS = tuple(0.012 + 0.009 * abs((n * 7 % 11) - 5) / 5 for n in range(36))
WISH = Wish(ORIGINAL.path, Path("/home/user/models/Qwen3-4B-4bit"), PRESETS["4"])
TEXT = (
    "Ice floats because water expands as it freezes: its molecules lock into an open lattice that "
    "{} them farther apart than in the liquid. That makes ice about 9 % less dense than water, so "
    "{}."
)
REPORT: dict[str, Any] = {
    "event": "evaluated", "source_path": str(ORIGINAL.path), "question": "Explain why ice floats.",
    "copy": {
        "name": "Qwen3-4B-4bit", "size": 3_050_000_000, "bits_per_weight": 5.9,
        "reply": TEXT.format("keeps", "roughly a tenth of it stays above the surface"),
        "tokens_per_second": 11.4, "tokens": 66, "ended": "end_of_turn",
    },
    "source": {
        "name": "Qwen3 4B", "size": 8_050_000_000, "bits_per_weight": 16.0,
        "reply": TEXT.format("holds", "it displaces its own weight before it is under"),
        "tokens_per_second": 4.1, "tokens": 64, "ended": "end_of_turn",
    },
    "likeness": {
        "tokens": 1022, "divergence": 0.016, "half_below": 0.004, "most_below": 0.19,
        "same_top": 0.952, "perplexity": 14.41, "source_perplexity": 14.32,
        "drift": [2, 4, 9, 17, 30, 48, 70, 96, 118, 131, 127, 113, 92, 66, 48, 28, 16, 7],
    },
    "errors": list(ERRORS), "recipe": {"bits": 4, "group": 32, "method": "search"},
    "first_difference": 18,
}  # fmt: skip
MARKDOWN = (
    "## Why ice floats\n\nIce is **{} water**, since its molecules keep a distance:\n\n"
    "1. they bond in *hexagons*,\n2. which leave room.\n\n"
    "| state | density |\n| --- | --- |\n| water | 1.000 |\n| ice | {} |\n\n"
    "```python\ndef floats(density: float) -> bool:\n    return density < 1.0\n```\n\n"
    "So $\\rho_{{ice}} < \\rho_{{water}}$, as [Archimedes](https://example.org) has it."
)
LONG_QUESTION = (
    "I keep a small pond in the garden. In winter it freezes over from the top, and the fish "
    "below live on. Why does the ice stay at the top, why is the water at the bottom never "
    "colder than four degrees, and what would happen to the fish if ice were heavier than water? "
    "Answer as you would a child of ten, in one paragraph, without formulas."
)


def open_page(program: Application) -> None:
    """The page for the picture's model."""
    program.window.show_page("smaller")
    program.window.parts.smaller.show_source(SHAPE, Path(), 38.6e9)


def at_work(program: Application, **changes: Any) -> None:
    """Let the page show a copy in the middle."""
    known: dict[str, Any] = {
        "phase": ShrinkPhase.MAKING, "wish": WISH, "stage": "rounding", "done": 29, "total": 37,
        "seconds_left": 34.0, "written": 2_020_000_000, "expected": 2_500_000_000,
        "errors": ERRORS[:29],
    }  # fmt: skip
    program.shrinking._become(ShrinkState(**(known | changes)))


def asked(program: Application, phase: AskPhase, *said: tuple[str, Said], **more: Any) -> None:
    """Let the page show how far a question to both is."""
    known: dict[str, Any] = {
        "copy": WISH.target, "source": WISH.source, "question": "Name one.", "side": "copy",
        "stage": "answering", "done": 30, "total": 256,
    }  # fmt: skip
    comparing = program.smaller.reports.comparing
    comparing._become(AskState(phase, said=said, **(known | more)))


def alone(program: Application) -> None:
    """The report of a copy whose source is gone."""
    quality = Quality(WISH.target, dict(REPORT), 1_764_500_000, ORIGINAL.path, False)
    known = Known.of(quality)
    assert known is not None
    program.window.show_page("smaller")
    program.window.parts.smaller.show_alone(known)


def _of_library(scene: Scene) -> None:
    """The question which model, answered with those that are here."""
    from tests.screenshots import Studio

    long = "An-original-with-a-name-that-a-merger-of-four-others-made-v0.3"
    scene.models = [*MODELS, ORIGINAL, replace(ORIGINAL, name=long, size_bytes=16_100_000_000)]
    for language, theme, width in (("en", "light", 1280), ("zh_CN", "dark", 720)):
        with scene.window(Studio(), texts.CHATS, language=language, theme=theme) as program:
            program.window.resize(width, 832)
            program.window.show_page("smaller")
            scene.shoot(program, f"smaller-empty-{language}")
    scene.models = list(MODELS)


def smaller(scene: Scene) -> None:
    from tests.screenshots import Studio

    _of_library(scene)
    with scene.window(Studio(), texts.CHATS) as program:
        program.window.show_page("smaller")
        scene.shoot(program, "smaller-empty-none")
        scene.load(program, MODELS[0].name)
        open_page(program)
        scene.shoot(program, "smaller")
        program.window.parts.smaller.options.choose("custom")
        scene.shoot(program, "smaller-custom")
        program.window.parts.smaller.options.choose("4")
        at_work(program)
        scene.shoot(program, "smaller-working")
        program.window.resize(720, 832)
        scene.shoot(program, "smaller-narrow")
        program.window.resize(1280, 1660)
        full = {"path": "/home/user/models", "needed": 2_500_000_000, "free": 310_000_000}
        fault = Fault(FaultKind.DISK_FULL, full)
        at_work(program, phase=ShrinkPhase.FAILED, fault=fault)
        scene.shoot(program, "smaller-failed")
        at_work(program, phase=ShrinkPhase.DONE, report=REPORT)
        scene.shoot(program, "smaller-report")
        side = program.window.parts.smaller.report.side
        side.field.say(LONG_QUESTION)
        asked(program, AskPhase.ASKING, ("source", Said(TEXT.format("holds", "it floats"))),
              ("copy", Said("Ice floats because")))  # fmt: skip
        scene.shoot(program, "smaller-asking")
        one, other = Said("Ice.", 4.1, 2, "end_of_turn"), Said("", 0.0, 1, "end_of_turn")
        asked(program, AskPhase.DONE, ("source", one), ("copy", other), first_difference=1)
        scene.shoot(program, "smaller-one-word")
        endless = Said("A lattice of a lattice of " * 45, 11.4, 256, "length")
        asked(program, AskPhase.DONE, ("source", one), ("copy", endless), first_difference=1)
        side.hide_names.click()
        scene.shoot(program, "smaller-blind")
        side.hide_names.click()
        by_rule = Said(MARKDOWN.format("less dense than", "0.917"), 4.1, 256, "length")
        by_copy = Said(MARKDOWN.format("lighter than", "0.92"), 11.4, 256, "length")
        asked(program, AskPhase.DONE, ("source", by_rule), ("copy", by_copy), first_difference=9)
        scene.shoot(program, "smaller-rendered")
        program.window.resize(720, 2400)
        scene.shoot(program, "smaller-rendered-narrow")
        program.window.resize(1280, 1660)
        short = Fault(FaultKind.MEMORY_SHORT, {"needed": 9_100_000_000, "free": 3_200_000_000})
        asked(program, AskPhase.DONE, ("source", Said(fault=short)), ("copy", endless))
        program.window.resize(720, 1660)
        scene.shoot(program, "smaller-asked-narrow")
        program.window.resize(1280, 832)
        alone(program)
        scene.shoot(program, "smaller-source-gone")
        open_page(program)
        at_work(program, phase=ShrinkPhase.NONE)
    with scene.window(Studio(), texts.CHATS_ZH, text_scale=1.6, language="zh_CN") as program:
        open_page(program)
        program.window.resize(900, 2400)
        at_work(program, phase=ShrinkPhase.DONE, report=REPORT)
        said = Said(MARKDOWN.format("less dense than", "0.917"), 4.1, 256, "length")
        asked(program, AskPhase.DONE, ("source", said), ("copy", said), first_difference=0)
        scene.shoot(program, "smaller-rendered-large")
        at_work(program, phase=ShrinkPhase.NONE)
    with scene.window(Studio(), texts.CHATS_ZH, theme="dark", language="zh_CN") as program:
        open_page(program)
        program.window.resize(1280, 1660)
        at_work(program, phase=ShrinkPhase.DONE, report=REPORT)
        scene.shoot(program, "smaller-dark-zh")
        said = Said(MARKDOWN.format("less dense than", "0.917"), 4.1, 256, "length")
        asked(program, AskPhase.DONE, ("source", said), ("copy", said), first_difference=0)
        scene.shoot(program, "smaller-rendered-dark-zh")
        program.window.resize(720, 832)
        at_work(program, phase=ShrinkPhase.NONE)
        program.window.parts.smaller.work.show_uncompared((WISH,))
        scene.shoot(program, "smaller-uncompared-dark-zh")
