"""One reply's way: the prompt is saved, the model is there, the engine answers, the end is saved.

Every step is taken when an event says so. The text is on disk at most ``_SAVE_MS`` and a commit
after it arrived.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.chat.activity import Activity
from app.chat.fetching import Fetching
from app.chat.model_session import ModelPhase, ModelState
from app.chat.reply import Reply
from app.chat.services import Services
from app.chat.turn import Turn, TurnState
from app.chat.turn_row import microseconds, now, row_of
from engine.contract import (
    Event,
    Failed,
    Fault,
    FaultKind,
    Finished,
    Generate,
    Metrics,
    Progress,
    TextDelta,
)

_SAVE_MS = 500  # a kill may cost this much text, plus one commit; one second is the promise


class Answering(QObject):
    """Runs one reply at a time.

    Args:
        services: store, engine, model and settings.
        fetching: brings the chat's turns; a long chat's first prompt waits for it, so that the
            window does not wait for the disk.
        parent: as Qt wants it.
    """

    text_added = Signal(int, object, str)  # turn, Channel, text
    progressed = Signal(object)  # Progress
    metrics_changed = Signal(object)  # Metrics
    activity_changed = Signal(object)  # Activity
    ended = Signal(object)  # Turn, final

    def __init__(
        self, services: Services, fetching: Fetching, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._services = services
        self._fetching = fetching
        self._activity = Activity.IDLE
        self._reply: Reply | None = None
        self._turn = 0
        self._run = 0
        self._ticket = 0
        self._request = 0
        self._command: Callable[[int], Generate] | None = None
        self._save = QTimer(self)
        self._save.setSingleShot(True)
        self._save.setInterval(_SAVE_MS)
        self._save.timeout.connect(self._save_pieces)
        services.bridge.received.connect(self.on_received)
        services.saving.saved.connect(self._on_saved)
        services.saving.refused.connect(self._on_refused)
        services.model.state_changed.connect(self._on_model_changed)
        fetching.completed.connect(self._on_completed)

    @property
    def activity(self) -> Activity:
        """What is being done now."""
        return self._activity

    @property
    def turn(self) -> Turn | None:
        """The reply with its text so far, while one is running."""
        return self._reply.current() if self._reply is not None else None

    @property
    def turn_id(self) -> int | None:
        """The reply's turn, while one is running."""
        return self._turn if self._reply is not None else None

    def start(self, turn: Turn, command: Callable[[int], Generate], ticket: int) -> None:
        """Begin a reply.

        Args:
            turn: the reply's turn; its text, if any, is continued.
            command: makes the engine's command for a request number, when its time has come.
            ticket: the write that must be on disk before the engine sees anything.
        """
        self._reply = Reply(turn)
        self._turn = turn.id
        self._run = microseconds(now())
        self._ticket = ticket
        self._request = 0
        self._command = command
        self._become(Activity.SAVING)
        if self._services.saving.fault is not None:
            self._await_model()  # refused before we listened
        else:
            self._on_saved(ticket)

    def stop(self) -> None:
        """End the reply and keep its text."""
        if self._activity is not Activity.IDLE and not self._request:
            self._end(TurnState.STOPPED)
        elif self._activity not in {Activity.IDLE, Activity.STOPPING}:
            self._become(Activity.STOPPING)
            self._services.bridge.cancel(self._request)

    def interrupt(self) -> None:
        """Save what there is, at once: the program is ending and no event will come any more."""
        if self._activity is not Activity.IDLE:
            request, asked = self._request, self._activity is not Activity.STOPPING
            self._end(TurnState.INTERRUPTED)
            if request and asked:
                self._services.bridge.cancel(request)

    @Slot(int)
    def _on_saved(self, ticket: int) -> None:
        if self._activity is Activity.SAVING and self._services.store.is_saved(self._ticket):
            self._await_model()

    @Slot(object)
    def _on_refused(self, fault: object) -> None:
        """Go on without the disk: the warning is the window's, the answer is still wanted."""
        if self._activity is Activity.SAVING:
            self._await_model()

    @Slot(object)
    def _on_model_changed(self, state: ModelState) -> None:
        if self._activity is Activity.WAITING_FOR_MODEL:
            self._await_model()

    def _await_model(self) -> None:
        state = self._services.model.state
        match state.phase:
            case ModelPhase.READY:
                self._submit()
            case ModelPhase.LOADING | ModelPhase.UNLOADING:
                self._become(Activity.WAITING_FOR_MODEL)
            case ModelPhase.RESTING:
                self._services.model.wake()
                self._become(Activity.WAITING_FOR_MODEL)
            case ModelPhase.FAILED | ModelPhase.NONE:
                self._fail(state.fault or Fault(FaultKind.NO_MODEL))

    @Slot()
    def _on_completed(self) -> None:
        if self._activity is Activity.WAITING and not self._request:
            self._await_model()

    def _submit(self) -> None:
        if self._command is None or self._reply is None:
            return
        if not self._fetching.hurry():
            self._become(Activity.WAITING)
            return
        loaded = self._services.model.state.loaded
        self._reply.name_model(loaded.model.name if loaded is not None else "")
        self._request = self._services.bridge.next_request()
        command = self._command(self._request)
        self._become(Activity.WAITING)
        self._services.bridge.submit(command)

    @Slot(object)
    def on_received(self, event: Event) -> None:
        """Take the events of the running reply."""
        if self._reply is None or event.request != self._request:
            return
        match event:
            case TextDelta():
                self._on_text(event)
            case Progress():
                self._advance(Activity.READING)
                self.progressed.emit(event)
            case Metrics():
                self.metrics_changed.emit(event)
            case Finished():
                self._finish(self._reply.finished(event))
            case Failed(fault=fault):
                self._fail(fault)
            case _:  # loads and counts belong to others
                pass

    def _on_text(self, event: TextDelta) -> None:
        if self._reply is None or not event.text:
            return
        self._advance(Activity.WRITING)
        self._reply.push(event.channel, event.text)
        if not self._save.isActive():
            self._save.start()
        self.text_added.emit(self._turn, event.channel, event.text)

    def _advance(self, activity: Activity) -> None:
        """Follow the events, but a stop that was asked for stays visible until the end."""
        if self._activity not in {activity, Activity.STOPPING}:
            self._become(activity)

    @Slot()
    def _save_pieces(self) -> None:
        if self._reply is not None and (pieces := self._reply.take_unsaved()):
            self._services.store.append(self._turn, self._run, pieces)

    def _fail(self, fault: Fault) -> None:
        if self._reply is not None:
            self._finish(self._reply.failed(fault))

    def _end(self, state: TurnState) -> None:
        if self._reply is not None:
            self._finish(self._reply.current(state))

    def _finish(self, turn: Turn) -> None:
        self._save.stop()
        self._reply = None
        self._command = None
        self._request = 0
        self._activity = Activity.IDLE  # before the write: it may be answered at once
        self._services.store.finish(row_of(turn))
        self.activity_changed.emit(Activity.IDLE)
        self.ended.emit(turn)

    def _become(self, activity: Activity) -> None:
        self._activity = activity
        self.activity_changed.emit(activity)
