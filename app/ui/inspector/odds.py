"""How odds, scores and steps are said, in words and figures."""

from __future__ import annotations

from app.language import Language
from app.ui.inspector.cells import LEAST_SHOWN
from engine.contract import SamplerStep, StepTrace, TokenTrace


def percent(share: float) -> str:
    """Return a probability as people read it: 86.1 %, < 0.01 %."""
    if 0 < share < LEAST_SHOWN:
        return f"< {LEAST_SHOWN:.2%}".replace("%", " %")
    digits = 2 if 0 < share < 0.001 else 1
    return f"{share:.{digits}%}".replace("%", " %")


def after(trace: TokenTrace, candidate: int, language: Language) -> str:
    """Return a candidate's odds after the last step, or which step cut it."""
    if trace.steps[-1].probabilities[candidate] > 0:
        return percent(trace.steps[-1].probabilities[candidate])
    return language.text("inspector-cut")


def cut_by(trace: TokenTrace, candidate: int) -> StepTrace | None:
    """Return the step that took a candidate out; None where it could be drawn."""
    return next((step for step in trace.steps if step.probabilities[candidate] == 0), None)


def step_name(step: StepTrace, language: Language) -> str:
    """Return what a step is called, with the number that was chosen for it."""
    name = language.text(f"step-{step.step.value.replace('_', '-')}")
    has_value = step.value != 0 and step.step is not SamplerStep.GREEDY
    return f"{name} {step.value:g}" if has_value else name
