"""The figures of a model's panel, in words."""

from __future__ import annotations

from app.language import Language
from app.ui.model_rows import Surroundings
from app.ui.model_words import parameters
from engine.contract import ModelFacts
from engine.library.gpus import Gpu
from engine.library.scan import Found


def fact_values(
    facts: ModelFacts, found: Found | None, around: Surroundings, language: Language
) -> list[str]:
    """Return what stands beside each name of the panel, in their order."""
    text, unknown = language.text, language.text("fact-unknown")
    speed, measured = around.speed(facts)
    known = around.speeds.get(facts.path)
    rate = "fact-measured" if measured else "fact-expected"
    count = parameters(facts.parameters, language)
    if facts.active_parameters < facts.parameters:
        active = parameters(facts.active_parameters, language)
        count = text("fact-active-of", active=active, all=count)
    longest = around.fit(facts).longest
    return [
        text(rate, speed=language.speed(speed)) if speed else text("fact-not-measured"),
        text("fact-measured", speed=language.speed(known.prefill))
        if known
        else text("fact-not-measured"),
        text(
            "fact-bits-value",
            format=facts.quantization,
            bits=f"{facts.bits_per_weight:.1f}",
        ),
        text("fact-parameters-value", count=count, layers=facts.layers),
        language.number(facts.context_length) if facts.context_length else unknown,
        language.number(longest) if longest else text("fact-no-estimate"),
        facts.architecture,
        text("fact-template-there" if facts.has_template else "fact-template-none"),
        ", ".join(facts.languages) or unknown,
        facts.license or unknown,
        language.moment(int(found.modified)) if found is not None and found.modified else unknown,
    ]


def gpu_words(gpu: Gpu, language: Language) -> str:
    """Return what of a GPU is free, and which programs hold most of the rest."""
    free, total = language.gigabytes(gpu.free), language.bytes_text(gpu.total)
    said = language.text("gpu-free", name=gpu.name, free=free, total=total)
    held = [f"{h.name} {language.bytes_text(h.held)}" for h in gpu.holders[:3] if h.held]
    return f"{said} {language.text('gpu-held', programs=', '.join(held))}" if held else said
