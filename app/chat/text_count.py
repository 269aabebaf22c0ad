"""How many tokens a text takes, counted by the engine, which alone knows the model's tokens.

A long text is counted slice by slice: the engine answers a conversation between two slices, where
four million characters at once would hold it up for seconds.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal, Slot

from app.chat.model_session import ModelPhase, ModelSession, ModelState
from app.chat.options import ChatOptions
from app.engine_bridge import EngineBridge
from engine.contract import CountTokens, Event, Failed, Message, Role, TokensCounted
from engine.contract.templates import template_source

_SLICE = 60_000  # characters: tens of milliseconds


@dataclass(slots=True, eq=False)
class _Count:
    """One text on its way through the engine."""

    slices: Iterator[str]
    then: Callable[[int], None]
    failed: Callable[[], None]
    tokens: int = 0


class TextCount(QObject):
    """Counts texts one after another, for as long as a model is loaded."""

    renewed = Signal()  # another model or template, or the first: all is to be asked for again

    def __init__(
        self, bridge: EngineBridge, model: ModelSession, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._bridge, self._model = bridge, model
        self._waiting: deque[_Count] = deque()
        self._running: _Count | None = None
        self._request = 0
        self._empty: int | None = None  # tokens that the template adds to a message
        self._template = ""
        self._was_ready = self.is_ready
        bridge.received.connect(self.on_received)
        model.state_changed.connect(self._on_model_changed)

    @Slot(object)
    def set_options(self, options: ChatOptions) -> None:
        """Count as the open chat's prompts are made.

        A template of its own may take what the model's refuses, and may write a text differently.
        """
        template = template_source(options.template)
        if template != self._template:
            self._template = template
            self._begin_anew()

    @property
    def is_ready(self) -> bool:
        """Say whether there is a model that counts."""
        return self._model.state.phase is ModelPhase.READY

    def count(
        self,
        text: str,
        then: Callable[[int], None],
        failed: Callable[[], None] = lambda: None,
    ) -> None:
        """Count a text; ``then`` gets its tokens, or ``failed`` is called.

        Neither is called when the model goes away: ``renewed`` tells of the next one.
        """
        self._model.wake()
        if self.is_ready:
            self._waiting.append(_Count(_slices(text), then, failed))
            self._go_on()

    @Slot(object)
    def on_received(self, event: Event) -> None:
        """Take the count of a slice."""
        if event.request != self._request or not self._request:
            return
        if isinstance(event, Failed):
            self._request = 0
            self._give_up()
            self._go_on()
        elif isinstance(event, TokensCounted):
            self._request = 0
            if self._empty is None:
                self._empty = event.tokens
            elif self._running is not None:
                self._running.tokens += max(0, event.tokens - self._empty)
            self._go_on()

    def _give_up(self) -> None:
        """Say of the text that was being counted, or was to be the first, that it cannot be."""
        if self._running is None and self._waiting:  # it was the template that failed
            self._running = self._waiting.popleft()
        failed, self._running = self._running, None
        if failed is not None:
            failed.failed()

    def _go_on(self) -> None:
        """Ask for the next slice, if nothing is being counted."""
        while not self._request and (self._running is not None or self._waiting):
            if self._empty is None:
                self._ask("")
                return
            self._running = self._running or self._waiting.popleft()
            text = next(self._running.slices, None)
            if text is not None:
                self._ask(text)
                return
            done, self._running = self._running, None
            done.then(done.tokens)

    def _ask(self, text: str) -> None:
        self._request = self._bridge.next_request()
        self._bridge.submit(CountTokens(self._request, (Message(Role.USER, text),), self._template))

    @Slot(object)
    def _on_model_changed(self, state: ModelState) -> None:
        ready = state.phase is ModelPhase.READY
        if ready == self._was_ready:
            return
        self._was_ready = ready
        self._begin_anew()

    def _begin_anew(self) -> None:
        self._waiting.clear()
        self._running, self._empty, self._request = None, None, 0
        self.renewed.emit()


def _slices(text: str) -> Iterator[str]:
    """Cut a text at ends of lines, where it has some."""
    start = 0
    while start < len(text):
        end = min(len(text), start + _SLICE)
        line = text.rfind("\n", start + _SLICE // 2, end) if end < len(text) else -1
        end = line + 1 if line > 0 else end
        yield text[start:end]
        start = end
