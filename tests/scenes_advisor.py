"""Pictures of the advisor: nothing wrong, all sorts of wrong, did not fit; dark, narrow, large."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from app.ui.advisor.dialog import AdvisorDialog
from engine.contract import (
    Fault,
    FaultKind,
    LoadSettings,
    Memory,
    NoticeKind,
    Sampling,
)
from engine.library.advice.facts import (
    Answered,
    Facts,
    Program,
    Refused,
    Running,
    Surroundings,
    Wishes,
)
from engine.library.advice.findings import Symptom
from engine.library.advice.rules import advise
from tests import screenshot_texts as texts
from tests.studio import MODELS, Scene, Studio, model

if TYPE_CHECKING:
    from app.application import Application

GB = 1_000_000_000
AROUND = Surroundings(
    cores=8, memory=16_400_000_000, free=9_100_000_000, others=0.04, bandwidth=38.6e9
)
LARGE = model(
    "Qwen3 14B", 9 * GB, parameters=14_800_000_000, active_parameters=14_800_000_000, layers=40,
    context_length=40_960, cache_bytes_per_token=163_840, vocabulary=151_936, bits_per_weight=4.9,
)  # fmt: skip
RUNNING = Running(
    replace(MODELS[0], active_parameters=MODELS[0].parameters), LoadSettings(), 8192, 8, "cpu",
    Memory(2_500_000_000, 310_000_000, 96_000_000, 3_100_000_000), Sampling(temperature=0.6),
)  # fmt: skip
ANSWERED = Answered(
    speed=11.8, first_token_s=0.84, prefill_s=0.7, prompt_tokens=1204, reused_tokens=1150,
    generated_tokens=240, characters=1100, packed=0.5, is_first=False,
)  # fmt: skip
FINE = Facts(AROUND, RUNNING, ANSWERED, here=tuple(MODELS))
WRONG = Facts(
    replace(AROUND, others=0.46, free=900_000_000, stalled=0.23, swapped=48e6),
    replace(
        RUNNING, threads=2, settings=LoadSettings(threads=2), notices={NoticeKind.CACHE_INEXACT: {
            "divergence": 0.21
        }},
    ),
    replace(ANSWERED, speed=2.4, left_out_turns=3, packed=0.08),
    Wishes(Sampling(temperature=2.0, repetition_penalty=2.0)),
    here=tuple(MODELS),
)  # fmt: skip
TOO_LARGE = Facts(
    replace(AROUND, largest=(Program("firefox", 3_200_000_000), Program("slack", 1_100_000_000))),
    refused=Refused(
        Fault(FaultKind.MEMORY_SHORT, {"needed": 10_800_000_000, "free": 6_100_000_000}),
        LARGE, LoadSettings(),
    ),
    here=(*MODELS, LARGE),
)  # fmt: skip

BROKEN = Facts(
    AROUND, RUNNING, ANSWERED, here=tuple(MODELS),
    refused=Refused(
        Fault(FaultKind.SERVER_SILENT, {"host": "gpu.example.org", "seconds": 60}),
        RUNNING.model, LoadSettings(),
    ),
)  # fmt: skip


def open_advisor(
    program: Application, facts: Facts, name: str, asked: Symptom = Symptom.SLOW
) -> AdvisorDialog:
    """The sheet over the window, about facts that are given."""
    dialog = AdvisorDialog(program.look, name, asked, program.window)
    dialog.show_found(facts, advise(facts))
    dialog.open()
    return dialog


def advisor(scene: Scene) -> None:
    with scene.window(Studio(), texts.CHATS) as program:
        scene.load(program, "Qwen3 4B")
        for facts, name, asked in (
            (FINE, "fine", Symptom.SLOW),
            (WRONG, "wrong", Symptom.SLOW),
            (TOO_LARGE, "unfit", Symptom.UNFIT),
            (BROKEN, "failed", Symptom.FAILED),
        ):
            dialog = open_advisor(program, facts, "Qwen3 4B", asked)
            scene.shoot(program, f"advisor-{name}", screen=True)
            dialog.reject()
    with scene.window(Studio(), texts.CHATS_ZH, theme="dark", language="zh_CN") as program:
        scene.load(program, "Qwen3 4B")
        dialog = open_advisor(program, WRONG, "Qwen3 4B")
        scene.shoot(program, "advisor-dark-zh", screen=True)
        dialog.reject()
    with scene.window(Studio(), texts.CHATS, text_scale=1.6) as program:
        program.window.resize(720, 832)
        scene.load(program, "Qwen3 4B")
        dialog = open_advisor(program, WRONG, "Qwen3 4B")
        scene.shoot(program, "advisor-narrow-large", screen=True)
        dialog.reject()
