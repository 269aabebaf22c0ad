"""One question to a copy and its source, in a process of its own: the chat's model stays loaded."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from app.chat.child_job import ChildJob, MakeJob, connected_job
from app.chat.model_session import ModelSession
from engine.contract import Event, Fault, FaultKind, FinishReason, Loaded, Memory, Metrics
from engine.library.copy_facts import MOST_REPLY_TOKENS, REPLY_TOKENS

SIDES = ("source", "copy")
UNTOLD = "untold"
"""The end of an answer in a report that was made before reports told it."""

_FURTHER = 4  # times as long an answer may be where it is to go on
_KINDS = {kind.value: kind for kind in FaultKind}


class AskPhase(StrEnum):
    """What is going on."""

    NONE = "none"
    ASKING = "asking"
    STOPPED = "stopped"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Said:
    """What one of them said.

    Attributes:
        text: its answer so far; where it only thought, that.
        speed: tokens a second; 0 where there were too few to say.
        tokens: of the whole answer.
        ended: a ``FinishReason``, or ``UNTOLD``; empty while it is written.
        fault: why there is no answer.
    """

    text: str = ""
    speed: float = 0.0
    tokens: int = 0
    ended: str = ""
    fault: Fault | None = None


@dataclass(frozen=True, slots=True)
class AskState:
    """Everything that the window shows of it.

    Attributes:
        source: None where the copy is asked alone.
        side: who is at work, "source" or "copy".
        stage: of it: "starting", "reading", "compiling", "prefill", "answering".
        done: of ``total`` in the stage's unit.
        said: by side, as far as they have come.
        first_difference: a token, from 1; 0: none; None where it cannot be said.
        fault: why nothing came of it.
        killed: the process was ended from outside.
        most: tokens that an answer may have.
    """

    phase: AskPhase = AskPhase.NONE
    copy: Path = Path()
    source: Path | None = None
    question: str = ""
    side: str = ""
    stage: str = "starting"
    done: int = 0
    total: int = 0
    said: tuple[tuple[str, Said], ...] = ()
    first_difference: int | None = None
    fault: Fault | None = None
    killed: bool = False
    most: int = REPLY_TOKENS

    @property
    def runs(self) -> bool:
        """Whether a process is at work."""
        return self.phase is AskPhase.ASKING

    @property
    def further(self) -> int:
        """Tokens that they may have where an answer ended at its limit; 0 where it need not."""
        at_limit = any(said.ended in {FinishReason.LENGTH.value, UNTOLD} for _, said in self.said)
        if self.runs or not at_limit or self.most >= MOST_REPLY_TOKENS:
            return 0
        return REPLY_TOKENS if self.most < REPLY_TOKENS else self.most * _FURTHER

    def of(self, side: str) -> Said:
        """What one of them said."""
        return dict(self.said).get(side, Said())


class Comparing(QObject):
    """Asks one question at a time.

    Args:
        model: the chat's; the memory that it was promised and does not use yet is left to it.
        make_job: makes the process.
        parent: whose it is.
    """

    changed = Signal()

    def __init__(
        self, model: ModelSession, make_job: MakeJob = ChildJob, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._model, self._make_job = model, make_job
        self._memory: Memory | None = None  # of the chat's model, as it was told last
        self._job: ChildJob | None = None
        self.state = AskState()
        model.bridge.received.connect(self._on_received)

    def ask(self, copy: Path, source: Path | None, question: str, most: int = REPLY_TOKENS) -> None:
        """Ask both, or the copy alone; nothing happens while another question is out.

        Nothing of an answer is left to chance, so one that is to go on is asked for once more with
        a farther limit: it begins with the same words.
        """
        if self.state.runs:
            return
        self._become(AskState(AskPhase.ASKING, copy, source, question, most=most))
        against = ["--against", str(source)] if source is not None else []
        leave = ["--leave", str(self.promised)] if self.promised else []
        limit = ["--max-tokens", str(most)] if most != REPLY_TOKENS else []
        arguments = ["evaluate", str(copy), *against, "--ask", "-", *limit, *leave, "--events"]
        slots = self._on_reported, self._on_ended
        self._job = connected_job(self._make_job, arguments, self, *slots)
        self._job.feed(question)
        self._job.start()

    def stop(self) -> None:
        """End it; what was said so far stays."""
        if self.state.runs and self._job is not None:
            self._job.stop()

    def close(self) -> None:
        """End at once."""
        if self._job is not None:
            self._job.close()

    @property
    def promised(self) -> int:
        """Bytes of the computer's memory that the chat's model may still take."""
        loaded, memory = self._model.state.loaded, self._memory
        if loaded is None or memory is None or loaded.device != "cpu":
            return 0
        return max(0, memory.weights + memory.cache + memory.workspace - memory.peak)

    @Slot(object)
    def _on_received(self, event: Event) -> None:
        if isinstance(event, Loaded | Metrics):
            self._memory = event.memory

    @Slot(object)
    def _on_reported(self, told: dict[str, Any]) -> None:
        side = str(told.get("side", self.state.side))
        match told.get("event"):
            case "progress":
                known = {key: told[key] for key in ("stage", "done", "total") if key in told}
                self._change(side=side, **known)
            case "said":
                before = self.state.of(side)
                self._say(side, replace(before, text=before.text + str(told.get("text", ""))))
            case "asked":
                for name in SIDES:
                    if isinstance(values := told.get(name), dict):
                        self._say(name, _said(values))
                self._change(first_difference=told.get("first_difference"))

    @Slot(object)
    def _on_ended(self, fault: Fault | None) -> None:
        job, self._job = self._job, None
        is_whole = bool(self.state.of("copy").ended or self.state.of("copy").fault)
        if job is not None and job.is_stopping and not is_whole:
            self._change(phase=AskPhase.STOPPED)
        elif fault is not None:
            killed = job is not None and job.was_killed
            self._change(phase=AskPhase.FAILED, fault=fault, killed=killed)
        else:
            self._change(phase=AskPhase.DONE)

    def _say(self, side: str, said: Said) -> None:
        self._change(said=tuple({**dict(self.state.said), side: said}.items()))

    def _change(self, **values: Any) -> None:
        self._become(replace(self.state, **values))

    def _become(self, state: AskState) -> None:
        self.state = state
        self.changed.emit()


def _said(values: dict[str, Any]) -> Said:
    """An answer, or the fault in its place, as ``evaluate --ask`` tells it."""
    if "fault" in values:
        kind = _KINDS.get(str(values["fault"]), FaultKind.INTERNAL)
        figures = values.get("figures")
        return Said(fault=Fault(kind, figures if isinstance(figures, dict) else {}))
    text = str(values.get("reply") or values.get("reasoning") or "")
    return Said(
        text=text.rstrip("\ufffd"),  # where the limit cut a character in the middle
        speed=float(values.get("tokens_per_second") or 0),
        tokens=int(values.get("tokens") or 0),
        ended=str(values.get("ended") or ""),
    )
