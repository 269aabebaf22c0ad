"""The figures of a model's panel, in words."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.language import Language
from app.ui.look import Look
from app.ui.model_rows import Surroundings
from app.ui.model_words import parameters
from app.ui.settings.rows import rule
from app.ui.words import Elided, Words
from engine.contract import ModelFacts
from engine.library.gpus import Gpu
from engine.library.scan import Found

_FACTS = (
    "fact-writes",
    "fact-reads",
    "fact-bits",
    "fact-parameters",
    "fact-context",
    "fact-fitting",
    "fact-architecture",
    "fact-template",
    "fact-languages",
    "fact-licence",
    "fact-date",
)


class FactRows(QWidget):
    """Names at the left, figures at the right, hairlines between."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._values = [Elided("", "caption2") for _ in _FACTS]
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for text_id, value in zip(_FACTS, self._values, strict=True):
            value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            line = QHBoxLayout()
            line.setContentsMargins(0, 5, 0, 5)
            line.addWidget(Words(look, text_id, "caption2"))
            line.addWidget(value, 1)
            column.addWidget(rule())
            column.addLayout(line)

    def show_values(self, values: list[str]) -> None:
        """Show a value for each name, in their order."""
        for label, value in zip(self._values, values, strict=True):
            label.setText(value)


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
        language.names_of(facts.languages) or unknown,
        facts.license or unknown,
        language.moment(int(found.modified)) if found is not None and found.modified else unknown,
    ]


def gpu_words(gpu: Gpu, language: Language) -> str:
    """Return what of a GPU is free, and which programs hold most of the rest."""
    free, total = language.gigabytes(gpu.free), language.bytes_text(gpu.total)
    said = language.text("gpu-free", name=gpu.name, free=free, total=total)
    held = [f"{h.name} {language.bytes_text(h.held)}" for h in gpu.holders[:3] if h.held]
    return f"{said} {language.text('gpu-held', programs=', '.join(held))}" if held else said
