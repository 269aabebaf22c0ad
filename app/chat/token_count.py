"""How many tokens a draft would add, and a chat takes that no reply has measured yet.

The engine counts: it alone knows the model's tokens and template. A draft is counted by itself,
against an empty message, so that typing in a long chat costs no more than in a short one.
"""

from __future__ import annotations

from enum import Enum, auto

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.chat.model_session import ModelPhase, ModelSession, ModelState
from app.chat.options import ChatOptions
from app.engine_bridge import EngineBridge
from engine.contract import CountTokens, Event, Message, Role, Thinking, TokensCounted
from engine.contract.templates import template_source

_TYPING_MS = 250  # a draft is counted when nothing was typed for so long


class _Counted(Enum):
    """What a request counts."""

    EMPTY = auto()  # a message without a word: what the template adds
    DRAFT = auto()
    PATH = auto()


class TokenCount(QObject):
    """Counts for the one chat that is open."""

    draft_counted = Signal(int)
    path_counted = Signal(int)

    def __init__(
        self, bridge: EngineBridge, model: ModelSession, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._bridge, self._model = bridge, model
        self._asked: dict[_Counted, int] = {}  # the newest request of each; older ones are past
        self._empty: int | None = None
        self._template, self._thinking = "", Thinking.AUTO
        self._draft = ""
        self._path: tuple[Message, ...] = ()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_TYPING_MS)
        self._timer.timeout.connect(self._count_draft)
        bridge.received.connect(self.on_received)
        model.state_changed.connect(self._on_model_changed)

    @Slot(object)
    def set_options(self, options: ChatOptions) -> None:
        """Count as the open chat's prompts are made: with its template, thinking or not."""
        made = template_source(options.template), options.thinking or Thinking.AUTO
        if made != (self._template, self._thinking):
            self._template, self._thinking = made
            self._begin()

    def set_draft(self, text: str) -> None:
        """Take what is typed; it is counted a moment after the last key."""
        self._draft = text
        if text.strip():
            self._timer.start()
        else:
            self._timer.stop()
            self._asked.pop(_Counted.DRAFT, None)
            self.draft_counted.emit(0)

    def set_path(self, messages: tuple[Message, ...]) -> None:
        """Count a conversation that the engine has not answered; none where figures are known."""
        self._path = messages
        self._asked.pop(_Counted.PATH, None)
        if messages:
            self._ask(_Counted.PATH, messages)

    @Slot(object)
    def on_received(self, event: Event) -> None:
        """Take the counts that were asked for last."""
        if not isinstance(event, TokensCounted):
            return
        for counted, request in list(self._asked.items()):
            if request == event.request:
                del self._asked[counted]
                self._take(counted, event.tokens)

    def _take(self, counted: _Counted, tokens: int) -> None:
        match counted:
            case _Counted.EMPTY:
                self._empty = tokens
                self._count_draft()
            case _Counted.DRAFT:
                self.draft_counted.emit(max(0, tokens - (self._empty or 0)))
            case _Counted.PATH:
                self.path_counted.emit(tokens)

    @Slot(object)
    def _on_model_changed(self, state: ModelState) -> None:
        """Count anew for another model: its tokens are others."""
        self._begin()
        if state.phase is not ModelPhase.READY:
            self.draft_counted.emit(0)

    def _begin(self) -> None:
        """Forget what was counted, and ask anew where there is a model."""
        self._asked.clear()
        self._empty = None
        self._ask(_Counted.EMPTY, (Message(Role.USER, ""),))
        self.set_path(self._path)

    @Slot()
    def _count_draft(self) -> None:
        if self._draft.strip() and self._empty is not None:
            self._ask(_Counted.DRAFT, (Message(Role.USER, self._draft),))

    def _ask(self, counted: _Counted, messages: tuple[Message, ...]) -> None:
        if self._model.state.phase is ModelPhase.READY:
            request = self._bridge.next_request()
            self._asked[counted] = request
            self._bridge.submit(CountTokens(request, messages, self._template, self._thinking))
