"""What settings do to the odds of the next word, asked of the loaded model for a fixed beginning.

One token is drawn behind the beginning and thrown away; its way through the sampler is what is
looked at. The engine has the beginning in its cache after the first time, so that a change costs
one token's pass. Nothing is asked while nobody looks or while an answer is written.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.chat.library import ChatLibrary
from app.chat.model_session import ModelPhase, ModelSession
from engine.contract import (
    Complete,
    Event,
    Failed,
    Finished,
    GenerateSettings,
    Priority,
    Sampling,
    TextDelta,
    TokenTrace,
)

WORDS = 5  # the likeliest by the model's own scores
_MOVING_MS = 150  # a slider is asked for when it stood still for so long


class TryPhase(StrEnum):
    """Why words are shown or not."""

    NONE = "none"  # no model is loaded
    LOADING = "loading"
    REMOTE = "remote"  # its server tells no odds
    WAITING = "waiting"  # an answer is written
    ASKED = "asked"
    LIVE = "live"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class TriedWord:
    """A word that may come next.

    Attributes:
        raw: what it spells, which may be half a character.
        share: its probability by the settings as they are; 0 is cut.
        usual: its probability by what the model is sampled with where nothing is set.
    """

    raw: bytes
    share: float
    usual: float


class Trying(QObject):
    """Asks for one word at a time; a change meanwhile is asked for behind it.

    Args:
        model: whose words they are.
        chats: whether one of them is being answered.
        parent: whose it is.
        moving_ms: how long settings must stand still.
    """

    changed = Signal()  # phase or words are others

    def __init__(
        self, model: ModelSession, chats: ChatLibrary, parent: QObject, moving_ms: int = _MOVING_MS
    ) -> None:
        super().__init__(parent)
        self._model, self._chats, self._bridge = model, chats, model.bridge
        self._beginning = ""  # empty while nobody looks
        self._wanted: Sampling | None = None  # None: the usual
        self._request = 0
        self._asked: Sampling | None = None  # what the running request samples with
        self._seen: TokenTrace | None = None  # what it told so far
        self._usual: TokenTrace | None = None
        self.phase = TryPhase.NONE
        self.words: tuple[TriedWord, ...] = ()
        self._still = QTimer(self)
        self._still.setSingleShot(True)
        self._still.setInterval(moving_ms)
        self._still.timeout.connect(self._ask)
        self._bridge.received.connect(self._on_received)
        model.state_changed.connect(self._on_model_changed)
        chats.answering_changed.connect(self._on_answering_changed)

    @property
    def model_name(self) -> str:
        """The model that was asked; empty without one."""
        known = self._model.state.known
        return known.model.name if known is not None else ""

    def look(self, beginning: str, sampling: Sampling | None) -> None:
        """Show what comes after a beginning, and again at every change; None is the usual."""
        if beginning != self._beginning:
            self._forget()
        self._beginning, self._wanted = beginning, sampling
        self._still.start()

    def stop(self) -> None:
        """Nobody looks any more."""
        self._still.stop()
        self._beginning = ""
        self._forget()

    def _forget(self) -> None:
        if self._request:
            self._bridge.cancel(self._request)
        self._request, self._usual, self.words = 0, None, ()

    @Slot()
    def _on_model_changed(self) -> None:
        self._forget()
        self._ask()

    @Slot()
    def _on_answering_changed(self) -> None:
        if self._chats.is_any_answering() or self.phase is TryPhase.WAITING:
            self._ask()

    @Slot()
    def _ask(self) -> None:
        """Ask for what is wanted, the usual odds first where they are not known."""
        if not self._beginning or self._request:
            return
        self._model.wake()  # what it would say next is asked of the model that rests, too
        hindrance = self._hindrance()
        if hindrance is not None:
            self._show(hindrance)
            return
        self._seen = None
        self._asked = self._wanted if self._usual is not None else None
        loaded = self._model.state.loaded
        sampling = self._asked or (loaded.default_sampling if loaded is not None else Sampling())
        drawn = replace(sampling, seed=0 if sampling.seed is None else sampling.seed)
        settings = GenerateSettings(
            drawn, max_tokens=1, alternatives=WORDS, traces=True, priority=Priority.BACKGROUND
        )
        self._request = self._bridge.next_request()
        self._bridge.submit(Complete(self._request, self._beginning, settings))
        if not self.words:
            self._show(TryPhase.ASKED)

    def _hindrance(self) -> TryPhase | None:
        state = self._model.state
        if state.phase is ModelPhase.LOADING:
            return TryPhase.LOADING
        if state.phase is not ModelPhase.READY or state.loaded is None:
            return TryPhase.NONE
        if state.loaded.model.server:
            return TryPhase.REMOTE
        return TryPhase.WAITING if self._chats.is_any_answering() else None

    @Slot(object)
    def _on_received(self, event: Event) -> None:
        if not self._request or event.request != self._request:
            return
        match event:
            case TextDelta(tokens=(first, *_)) if self._seen is None:
                self._seen = first.trace
            case Finished():
                self._request = 0
                self._take()
            case Failed():
                self._request = 0
                self._fail()
            case _:
                pass

    def _take(self) -> None:
        """Show what was told; the usual odds are followed by those of what is wanted."""
        if self._seen is None:
            self._fail()
            return
        if self._usual is None:
            self._usual = self._seen
        if self._asked == self._wanted:
            self.words = tried_words(self._seen, self._usual)
            self._show(TryPhase.LIVE)
        else:
            self._ask()

    def _fail(self) -> None:
        self.words = ()
        self._show(TryPhase.FAILED)

    def _show(self, phase: TryPhase) -> None:
        self.phase = phase
        self.changed.emit()


def tried_words(now: TokenTrace, usual: TokenTrace) -> tuple[TriedWord, ...]:
    """Return the likeliest words by the model's own scores, which no setting changes."""
    before = _odds(usual)
    after = _odds(now)
    return tuple(
        TriedWord(each.raw, after.get(each.id, 0.0), before.get(each.id, 0.0))
        for each in now.candidates[:WORDS]
    )


def _odds(trace: TokenTrace) -> dict[int, float]:
    return {
        candidate.id: share
        for candidate, share in zip(trace.candidates, trace.steps[-1].probabilities, strict=True)
    }
