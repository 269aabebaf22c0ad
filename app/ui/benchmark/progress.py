"""How far a measurement is, and why one broke off."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QProgressBar, QVBoxLayout

from app.chat.benchmarking import Measuring
from app.language import Language
from app.ui.faults import fault_text
from app.ui.look import Look
from app.ui.words import Plain, Words, wrapped
from engine.contract import Fault, FaultKind

_STEPS = 1000  # of the bar
_STAGES = {  # where each begins and ends, as shares of what measuring one model takes
    "starting": (0.0, 0.15), "reading": (0.15, 0.25), "compiling": (0.25, 0.3),
    "measuring": (0.3, 1.0),
}  # fmt: skip


class ProgressStrip(QFrame):
    """The model that is measured now, and a bar for the whole run: it never goes back."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.setObjectName("chart-card")
        self._look = look
        self.said, self.bar = wrapped(Plain("", "small-bold")), QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setRange(0, _STEPS)
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 12, 18, 14)
        column.setSpacing(6)
        column.addWidget(self.said)
        column.addWidget(self.bar)
        column.addWidget(wrapped(Words(look, "benchmark-leave-alone", "caption2")))

    def show_now(self, now: Measuring | None) -> None:
        """Say what is measured now; None: nothing is."""
        self.setVisible(now is not None)
        if now is None:
            self.bar.setValue(0)
            return
        text = self._look.language.text
        stage = now.stage if now.stage in _STAGES else "measuring"
        doing = text("benchmark-stopping" if now.stopping else f"benchmark-stage-{stage}")
        said = text(
            "benchmark-now", name=now.name, number=now.number, models=now.models, doing=doing
        )
        self.said.setText(said)
        self.bar.setAccessibleName(said)
        self.bar.setValue(max(self.bar.value(), round(share_of(now) * _STEPS)))


def share_of(now: Measuring) -> float:
    """Return how much of a run is done: of all models, and of the one that is measured now."""
    first, last = _STAGES.get(now.stage, (0.0, 0.0))
    of_model = first + (last - first) * (now.done / now.total if now.total else 0.0)
    return (max(now.number - 1, 0) + of_model) / max(now.models, 1)


def failure_words(fault: Fault, language: Language, *, killed: bool) -> str:
    """Return why a model has no figures: what happened, and what to do."""
    if killed:
        return language.text("benchmark-killed")
    if fault.kind is FaultKind.INTERNAL:
        detail = str(fault.figures.get("detail", ""))[:300]
        return language.text("benchmark-broke", detail=detail)
    return fault_text(fault, language).sentence
