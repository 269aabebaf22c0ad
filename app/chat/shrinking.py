"""Making a smaller copy in a process of its own, and comparing it with its source afterwards."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from app.chat.child_job import ChildJob, MakeJob, connected_job
from engine.contract import Fault
from engine.library.partial_copies import PartialCopy
from engine.library.recipes import Method, Recipe, Scheme

_TOKENS = 512  # of each of the two held-out texts


@dataclass(frozen=True, slots=True)
class Wish:
    """A copy that is to be made.

    Attributes:
        source: the model.
        target: the folder that will hold the copy.
        recipe: what becomes of the weights.
        calibration: a text in place of the bundled ones.
    """

    source: Path
    target: Path
    recipe: Recipe
    calibration: Path | None = None

    def arguments(self) -> list[str]:
        """The command's arguments; the same ones go on where an earlier run was ended."""
        scheme = self.recipe.scheme
        asked = {
            "--bits": scheme.bits,
            "--group": scheme.group,
            "--method": self.recipe.method.value,
            "--kept": self.recipe.kept_share,
        }
        text = ["--calibration", str(self.calibration)] if self.calibration else []
        options = [str(each) for pair in asked.items() for each in pair]
        return ["quantize", str(self.source), str(self.target), *options, *text]


def wish_of(partial: PartialCopy) -> Wish | None:
    """The wish that a copy was begun with; None where its file does not say it."""
    try:
        said = partial.wish
        scheme = Scheme(said["scheme"]["bits"], said["scheme"]["group"])
        recipe = Recipe(scheme, Method(said["method"]), float(said["kept_share"]))
        text = Path(said["calibration"]) if said.get("calibration") else None
        return Wish(Path(said["source"]), partial.target, recipe, text)
    except (KeyError, TypeError, ValueError):
        return None


class ShrinkPhase(StrEnum):
    """What is going on."""

    NONE = "none"
    MAKING = "making"
    PAUSING = "pausing"
    PAUSED = "paused"
    STOPPING = "stopping"  # and throwing away what was begun
    COMPARING = "comparing"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ShrinkState:
    """Everything that the window shows of it.

    Attributes:
        stage: of the process: "starting", "measuring", "rounding", "verifying"; then "loading",
            "reading".
        done: of ``total`` in the stage's unit.
        seconds_left: of making the copy; negative where it is not known.
        errors: of each layer that is done.
        report: as ``python -m engine evaluate`` tells it.
        fault: why it ended; with ``DONE``, why there is no report.
        killed: the process was ended from outside.
    """

    phase: ShrinkPhase = ShrinkPhase.NONE
    wish: Wish | None = None
    stage: str = "starting"
    done: int = 0
    total: int = 0
    seconds_left: float = -1.0
    written: int = 0
    expected: int = 0
    errors: tuple[float, ...] = ()
    report: dict[str, Any] = field(default_factory=dict)
    fault: Fault | None = None
    killed: bool = False

    @property
    def runs(self) -> bool:
        """Whether a process is at work."""
        return self.phase in {
            ShrinkPhase.MAKING, ShrinkPhase.PAUSING, ShrinkPhase.STOPPING, ShrinkPhase.COMPARING
        }  # fmt: skip


class Shrinking(QObject):
    """One copy at a time: made, compared, reported."""

    changed = Signal()
    made = Signal(object)  # Path: a copy that is complete and verified

    def __init__(self, make_job: MakeJob = ChildJob, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._make_job = make_job
        self._job: ChildJob | None = None
        self._deletes = False
        self.state = ShrinkState()

    def start(self, wish: Wish) -> None:
        """Make a copy, or go on with one that was begun."""
        if not self.state.runs:
            self._become(ShrinkState(ShrinkPhase.MAKING, wish))
            self._run([*wish.arguments(), "--events"])

    def pause(self) -> None:
        """End the process; what is done is kept, and ``start`` goes on from there."""
        if self.state.phase is ShrinkPhase.MAKING and self._job is not None:
            self._change(phase=ShrinkPhase.PAUSING)
            self._job.stop()

    def stop(self) -> None:
        """Throw the copy that was begun away; a finished one stays, and is not compared."""
        state = self.state
        if state.phase is ShrinkPhase.COMPARING and self._job is not None:
            self._job.stop()
        elif state.phase is ShrinkPhase.MAKING and self._job is not None:
            self._change(phase=ShrinkPhase.STOPPING)
            self._job.stop()
        elif state.phase in {ShrinkPhase.PAUSED, ShrinkPhase.FAILED} and state.wish is not None:
            self.throw_away(state.wish)

    def throw_away(self, wish: Wish) -> None:
        """Delete what was begun of a copy."""
        if not self.state.runs or self.state.phase is ShrinkPhase.STOPPING:
            self._deletes = True
            self._become(ShrinkState(ShrinkPhase.STOPPING, wish))
            self._run(["quantize", str(wish.source), str(wish.target), "--discard"])

    def compare(self, wish: Wish) -> None:
        """Let a finished copy and its source read the same text."""
        if not self.state.runs:
            self._become(ShrinkState(ShrinkPhase.COMPARING, wish, "loading"))
            self._compare(wish)

    def close(self) -> None:
        """End at once; a copy that was begun is kept."""
        if self._job is not None:
            self._job.close()

    def _compare(self, wish: Wish) -> None:
        ways = ["--against", str(wish.source), "--tokens", str(_TOKENS), "--keep", "--events"]
        self._run(["evaluate", str(wish.target), *ways])

    def _run(self, arguments: list[str]) -> None:
        slots = self._on_reported, self._on_ended
        self._job = connected_job(self._make_job, arguments, self, *slots)
        self._job.start()

    @Slot(object)
    def _on_reported(self, said: dict[str, Any]) -> None:
        match said.get("event"):
            case "progress":
                known = {k: v for k, v in said.items() if k in _TOLD}
                errors = tuple(said.get("errors", self.state.errors))
                self._change(**known, errors=errors)
            case "evaluated":
                self._change(report=said)

    @Slot(object)
    def _on_ended(self, fault: Fault | None) -> None:
        state, job = self.state, self._job
        deleted, self._deletes, self._job = self._deletes, False, None
        killed = job is not None and job.was_killed
        is_made = state.wish is not None and state.wish.target.is_dir()
        match state.phase:
            case ShrinkPhase.STOPPING if state.wish is not None and not deleted:
                self.throw_away(state.wish)
            case ShrinkPhase.STOPPING:
                self._become(ShrinkState())
            case ShrinkPhase.COMPARING:
                self._change(phase=ShrinkPhase.DONE, fault=fault, killed=killed)
            case ShrinkPhase.MAKING | ShrinkPhase.PAUSING if is_made and state.wish is not None:
                self._on_made(state.wish)  # a pause that came too late is none
            case ShrinkPhase.PAUSING:
                self._change(phase=ShrinkPhase.PAUSED)
            case _:
                self._change(phase=ShrinkPhase.FAILED, fault=fault, killed=killed)

    def _on_made(self, wish: Wish) -> None:
        errors = self.state.errors
        self._become(ShrinkState(ShrinkPhase.COMPARING, wish, "loading", errors=errors))
        self.made.emit(wish.target)
        self._compare(wish)

    def _change(self, **values: Any) -> None:
        self._become(replace(self.state, **values))

    def _become(self, state: ShrinkState) -> None:
        self.state = state
        self.changed.emit()


_TOLD = frozenset({"stage", "done", "total", "seconds_left", "written", "expected"})
