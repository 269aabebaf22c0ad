"""The work: how far it is, how long it will take, pause, go on, throw away, and what went wrong."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QVBoxLayout

from app.chat.shrinking import Shrinking, ShrinkPhase, ShrinkState, Wish
from app.language import Language
from app.ui.buttons import Button
from app.ui.faults import fault_text
from app.ui.look import Look
from app.ui.smaller.charts import LayersChart
from app.ui.words import Elided, Plain, Words, in_a_row, wrapped
from engine.contract import FaultKind

_STEPS = 1000
_SHARES = {  # of the bar: where a stage begins and ends
    "starting": (0.0, 0.02), "measuring": (0.02, 0.4), "rounding": (0.4, 0.97),
    "verifying": (0.97, 1.0),
}  # fmt: skip


class WorkCard(QFrame):
    """A copy that is being made, was begun, or failed."""

    resume_requested = Signal(object)  # Wish

    def __init__(self, look: Look, shrinking: Shrinking) -> None:
        super().__init__()
        self.setObjectName("chart-card")
        self._look, self._shrinking = look, shrinking
        self._unfinished: tuple[Wish, ...] = ()
        self._uncompared: tuple[Wish, ...] = ()
        self._title, self._figure = Elided("", "body-bold"), Plain("", "small2")
        self._bar = QProgressBar()
        self._bar.setRange(0, _STEPS)
        self._bar.setTextVisible(False)
        self._stage, self._written = Plain("", "caption2"), Plain("", "caption2")
        self._layers_title = Words(look, "smaller-layers", "small2")
        self.layers = LayersChart(look)
        self._about = wrapped(Plain("", "small2"))
        self.pause = Button(look, "smaller-pause", icon="pause")
        self.resume = Button(look, "smaller-resume", icon="play")
        self.stop = Button(look, "smaller-stop", "quiet", icon="trash")
        self._lay_out()
        shrinking.changed.connect(self._on_changed)
        self.pause.clicked.connect(shrinking.pause)
        self.resume.clicked.connect(self._on_resume)
        self.stop.clicked.connect(self._on_stop)
        look.follow(self._on_changed)

    def show_unfinished(self, wishes: tuple[Wish, ...]) -> None:
        """Say which copies were begun in an earlier run of the program."""
        self._unfinished = wishes
        self._on_changed()

    def show_uncompared(self, wishes: tuple[Wish, ...]) -> None:
        """Say which copies of the page's model have no report."""
        self._uncompared = wishes
        self._on_changed()

    @property
    def is_needed(self) -> bool:
        """Whether there is something to say."""
        idle = {ShrinkPhase.NONE, ShrinkPhase.DONE}
        busy = self._shrinking.state.phase not in idle
        return busy or self._shows_begun() or self._lacks_report() or bool(self._to_compare())

    def _lacks_report(self) -> bool:
        """Whether the copy that was made last was not compared: skipped, or it went wrong."""
        state = self._shrinking.state
        return state.phase is ShrinkPhase.DONE and not state.report

    def _to_compare(self) -> tuple[Wish, ...]:
        """Copies of earlier that have no report, while nothing else is to be said."""
        state = self._shrinking.state
        idle = state.phase in {ShrinkPhase.NONE, ShrinkPhase.DONE}
        if not idle or self._shows_begun() or self._lacks_report():
            return ()
        done = state.wish.target if state.wish is not None and state.report else None
        return tuple(wish for wish in self._uncompared if wish.target != done)

    def _compares(self) -> bool:
        return self._shrinking.state.phase is ShrinkPhase.COMPARING

    def _shows_begun(self) -> bool:
        idle = self._shrinking.state.phase in {ShrinkPhase.NONE, ShrinkPhase.DONE}
        return idle and bool(self._unfinished)

    def _lay_out(self) -> None:
        head, below, buttons = QHBoxLayout(), QHBoxLayout(), QHBoxLayout()
        head.addWidget(self._title, 1)
        head.addWidget(self._figure)
        below.addWidget(self._stage, 1)
        below.addWidget(self._written)
        buttons.setSpacing(8)
        for button in (self.pause, self.resume, self.stop):
            buttons.addWidget(button)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(18, 16, 18, 16)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self._bar)
        column.addLayout(below)
        column.addWidget(self._layers_title)
        column.addWidget(self.layers)
        column.addWidget(self._about)
        column.addLayout(buttons)
        column.addStretch(1)

    @Slot()
    def _on_changed(self) -> None:
        state, language = self._shrinking.state, self._look.language
        begun, to_compare = self._shows_begun(), self._to_compare()
        wish = (*(self._unfinished if begun else to_compare), state.wish)[0]
        self.setVisible(self.is_needed)
        if wish is None:
            return
        phase = "begun" if begun else "uncompared" if to_compare else state.phase.value
        name = wish.target.name
        self._title.setText(language.text(f"smaller-phase-{phase}", name=name))
        works = state.phase in {ShrinkPhase.MAKING, ShrinkPhase.PAUSED, ShrinkPhase.COMPARING}
        shown = not begun and works
        share = _share(state)
        for widget in (self._bar, self._stage, self._written):
            widget.setVisible(shown)
        self._bar.setValue(round(share * _STEPS))
        self._figure.setText(_figure_words(state, share, language) if shown else "")
        self._stage.setText(_stage_words(state, language))
        self._written.setText(_written_words(state, language))
        layers = bool(state.errors) and shown and not self._compares()
        self._layers_title.setVisible(layers)
        self.layers.setVisible(layers)
        count = max(state.total - 1, 0) if state.stage == "rounding" else len(state.errors)
        self.layers.show_errors(state.errors, count)
        not_compared = language.text("smaller-not-compared")
        words = not_compared if to_compare else self._about_words(state, language, begun=begun)
        self._about.setText(words)
        self._show_buttons(state, begun=begun)

    def _show_buttons(self, state: ShrinkState, *, begun: bool) -> None:
        phase = state.phase
        failed = phase is ShrinkPhase.FAILED
        compares = not begun and (self._lacks_report() or bool(self._to_compare()))
        names = ("smaller-compare", "chart-bar") if compares else ("smaller-resume", "play")
        self.resume.say(*names)
        self.pause.setVisible(phase in {ShrinkPhase.MAKING, ShrinkPhase.PAUSING})
        self.pause.setEnabled(phase is ShrinkPhase.MAKING)
        self.resume.setVisible(begun or failed or compares or phase is ShrinkPhase.PAUSED)
        self.stop.setVisible(phase not in {ShrinkPhase.NONE, ShrinkPhase.DONE} or begun)
        self.stop.setEnabled(phase not in {ShrinkPhase.STOPPING, ShrinkPhase.PAUSING})
        self.stop.say("smaller-skip" if self._compares() else "smaller-stop", "trash")

    def _about_words(self, state: ShrinkState, language: Language, *, begun: bool) -> str:
        text = language.text
        if begun:
            return text("smaller-begun-about")
        match state.phase:
            case ShrinkPhase.FAILED:
                return in_a_row(failure_words(state, language), self._kept_words(state, language))
            case ShrinkPhase.DONE:
                return in_a_row(failure_words(state, language), text("smaller-not-compared"))
            case ShrinkPhase.MAKING | ShrinkPhase.COMPARING:
                return text("smaller-keep-chatting")
            case ShrinkPhase.PAUSED:
                return text("smaller-paused-about")
            case _:
                return ""

    def _kept_words(self, state: ShrinkState, language: Language) -> str:
        layers = len(state.errors)
        return language.text("smaller-layers-kept", layers=layers) if layers else ""

    @Slot()
    def _on_resume(self) -> None:
        state = self._shrinking.state
        begun, to_compare = self._shows_begun(), self._to_compare()
        wish = (*(self._unfinished if begun else to_compare), state.wish)[0]
        if wish is not None and not begun and (to_compare or self._lacks_report()):
            self._shrinking.compare(wish)
        elif wish is not None:
            self.resume_requested.emit(wish)
        self.pause.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def _on_stop(self) -> None:
        if self._shows_begun():
            wish, *rest = self._unfinished
            self._unfinished = tuple(rest)
            self._shrinking.throw_away(wish)
        else:
            self._shrinking.stop()


def failure_words(state: ShrinkState, language: Language) -> str:
    """Return why the work ended."""
    fault = state.fault
    if fault is None:
        return ""
    if state.killed:
        return language.text("smaller-killed")
    if fault.kind is FaultKind.INTERNAL:
        return language.text("smaller-broke", detail=str(fault.figures.get("detail", ""))[:300])
    if fault.kind is FaultKind.MEMORY_SHORT:
        bytes_of = {name: int(fault.figures.get(name, 0)) for name in ("needed", "free")}
        return language.text("smaller-memory-short", **language.sizes(bytes_of))
    return fault_text(fault, language).sentence


def _share(state: ShrinkState) -> float:
    done = state.done / state.total if state.total else 0.0
    if state.phase is ShrinkPhase.COMPARING:
        return done
    first, last = _SHARES.get(state.stage, (0.0, 0.0))
    return first + (last - first) * done


def _figure_words(state: ShrinkState, share: float, language: Language) -> str:
    said = f"{share * 100:.0f} %"
    if state.phase is ShrinkPhase.MAKING and state.seconds_left >= 0:
        left = language.seconds(state.seconds_left, whole=True)
        said += f" · {language.text('smaller-left', time=left)}"
    return said


def _stage_words(state: ShrinkState, language: Language) -> str:
    layers = max(state.total - (state.stage == "rounding"), 0)
    now = min(state.done + 1, max(layers, 1))
    return language.text(f"smaller-stage-{state.stage}", now=now, layers=layers)


def _written_words(state: ShrinkState, language: Language) -> str:
    if not state.expected or not state.written:
        return ""
    return language.text(
        "smaller-written",
        written=language.bytes_text(state.written, state.expected),
        expected=language.bytes_text(state.expected),
    )
