"""The prompt that a template makes of a conversation, asked of the engine, which alone can tell."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal, Slot

from app.chat.model_session import ModelPhase, ModelSession, ModelState
from engine.contract import Event, Failed, Message, PromptRendered, RenderPrompt, Thinking

_MOST = 8  # messages: enough to see the form


class PromptPreview(QObject):
    """Asks for one prompt at a time; an answer to an older wish is dropped.

    Args:
        model: whose template and tokens are meant.
        parent: whose it is.
    """

    rendered = Signal(object)  # PromptRendered
    refused = Signal(object)  # Fault

    def __init__(self, model: ModelSession, parent: QObject) -> None:
        super().__init__(parent)
        self._model, self._bridge = model, model.bridge
        self._request = 0
        self._awaited: tuple[tuple[Message, ...], str, Thinking] | None = None
        self._bridge.received.connect(self.on_received)
        model.state_changed.connect(self._on_model_changed)

    def ask(self, messages: tuple[Message, ...], template: str, thinking: Thinking) -> bool:
        """Ask for a prompt; False where no model is loaded that could tell.

        One that rests is woken, and asked when it is there.
        """
        self._request, self._awaited = 0, None
        if self._model.wake():
            self._awaited = messages, template, thinking
            return True
        if self._model.state.phase is not ModelPhase.READY:
            return False
        self._request = self._bridge.next_request()
        shown = tuple(replace(message, ids=()) for message in messages[:_MOST])
        self._bridge.submit(RenderPrompt(self._request, shown, template, thinking))
        return True

    @Slot(object)
    def _on_model_changed(self, state: ModelState) -> None:
        if state.phase is not ModelPhase.LOADING and self._awaited is not None:
            self.ask(*self._awaited)

    @Slot(object)
    def on_received(self, event: Event) -> None:
        """Take what was asked for last."""
        if not self._request or event.request != self._request:
            return
        if isinstance(event, PromptRendered):
            self._request = 0
            self.rendered.emit(event)
        elif isinstance(event, Failed):
            self._request = 0
            self.refused.emit(event.fault)
