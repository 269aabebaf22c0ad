"""The replies that were looked into: asks the engine for more only while somebody looks.

What was told of a reply is kept for the last few of them, in memory only. A reply that was made
while nobody looked can be computed once more, from the ids that were sampled for it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

from PySide6.QtCore import QObject, Signal, Slot

from app.chat.inspection import PAGE, Beginning, Inspection
from app.chat.model_session import ModelPhase, ModelSession, ModelState
from app.engine_bridge import EngineBridge
from engine.contract import (
    Event,
    Failed,
    Finished,
    FinishReason,
    Inspect,
    Metrics,
    Progress,
    PromptPage,
    ReadPrompt,
    Stage,
    TextDelta,
)

ALTERNATIVES = 6  # candidates told for each token
_KEPT = 6  # replies; one of 1,000 tokens takes 4.5 MB (tests/bench/inspector.py)


class Inspections(QObject):
    """What is known of the last replies that somebody looked at.

    Args:
        bridge: the way to the engine.
        model: another one has other tokens, and keeps no prompts of the one before.
    """

    changed = Signal(int)  # turn: there is more to see of it
    prompt_changed = Signal(int)  # turn: a page of its prompt, or that it cannot be read

    def __init__(
        self, bridge: EngineBridge, model: ModelSession, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self.is_wanted = False  # somebody looks: tell of every reply from now on
        self._kept: OrderedDict[int, Inspection] = OrderedDict()  # by turn
        self._running: dict[int, Inspection] = {}  # by request
        self._pages: dict[int, tuple[Inspection, int]] = {}  # by request of a page
        bridge.received.connect(self.on_received)
        model.state_changed.connect(self._on_model_changed)

    def of(self, turn: int) -> Inspection | None:
        """Return what is known of a reply."""
        return self._kept.get(turn)

    def follow(
        self,
        request: int,
        turn: int,
        *,
        continues: bool = False,
        begins: Beginning | None = None,
        seed: int | None = None,
    ) -> int:
        """Say how many candidates a reply is to be asked for, and take what it tells.

        Args:
            request: the engine's number for it.
            turn: the reply.
            continues: whether it goes on from text that it has.
            begins: what is known of its beginning.
            seed: that it is asked for with.

        Returns:
            0 while nobody looks.
        """
        before = self._kept.pop(turn, None)
        if not self.is_wanted:
            return 0
        seen = Inspection(turn, request, seed=seed)
        if continues and (before is None or not before.tokens):
            return 0  # of its first part nothing is known
        if continues and before is not None:
            seen.tokens, seen.channels = before.tokens, before.channels
        elif begins is not None:
            seen.tokens, seen.channels = list(begins.tokens), list(begins.channels)
        self._keep(seen)
        return ALTERNATIVES

    def look_back(
        self, turn: int, command: Callable[[int], Inspect], was_reused: int | None = None
    ) -> None:
        """Compute a reply's figures once more.

        Args:
            turn: the reply.
            command: makes the engine's command for a request number.
            was_reused: tokens of its prompt that were in the cache when it was made, if known.
        """
        request = self._bridge.next_request()
        self._kept.pop(turn, None)
        self._keep(Inspection(turn, request, is_again=True, was_reused=was_reused))
        self._bridge.submit(command(request))
        self.changed.emit(turn)

    def stop(self, turn: int) -> None:
        """End a computation that is under way."""
        seen = self._kept.get(turn)
        if seen is not None and seen.is_again and not seen.is_over:
            self._bridge.cancel(seen.request)

    def forget(self, turn: int) -> None:
        """Forget a reply whose text is not the model's any more."""
        self._kept.pop(turn, None)

    def read_page(self, turn: int, page: int) -> None:
        """Ask for a page of a reply's prompt, unless it is there or on its way."""
        seen = self._kept.get(turn)
        if seen is None or not seen.request or page in seen.pages:
            return
        if any(asked == (seen, page) for asked in self._pages.values()):
            return
        request = self._bridge.next_request()
        self._pages[request] = (seen, page)
        self._bridge.submit(ReadPrompt(request, seen.request, page * PAGE, PAGE))

    def _keep(self, seen: Inspection) -> None:
        self._running[seen.request] = seen
        self._kept[seen.turn] = seen
        if len(self._kept) > _KEPT:
            self._kept.popitem(last=False)

    @Slot(object)
    def on_received(self, event: Event) -> None:
        """Take what belongs to a reply that somebody looks at."""
        if event.request in self._pages:
            self._on_page(event)
        elif (seen := self._running.get(event.request)) is not None:
            self._on_event(seen, event)
            self.changed.emit(seen.turn)

    def _on_page(self, event: Event) -> None:
        seen, _ = self._pages[event.request]
        match event:
            case PromptPage():
                seen.take_page(event)
            case Failed():
                seen.request = 0  # too many prompts came after it
            case _:
                pass
        if isinstance(event, Finished | Failed):
            del self._pages[event.request]
            self.prompt_changed.emit(seen.turn)

    def _on_event(self, seen: Inspection, event: Event) -> None:
        match event:
            case TextDelta():
                seen.has_text |= bool(event.text)
                seen.add(event.channel, event.tokens)
            case Progress(stage=Stage.PREFILL):
                seen.total, seen.read = event.total, event.done
                if seen.reused is None:
                    seen.take_reused(event.done)
            case Metrics():
                seen.memory = event.memory
            case Finished():
                self._on_finished(seen, event)
            case Failed(fault=fault):
                seen.fault, seen.is_over = fault, True
                self._running.pop(event.request)
            case _:
                pass

    def _on_finished(self, seen: Inspection, event: Finished) -> None:
        seen.usage, seen.timings, seen.is_over = event.usage, event.timings, True
        self._running.pop(event.request)
        if seen.is_again and event.reason is FinishReason.CANCELLED:
            self._kept.pop(seen.turn, None)

    @Slot(object)
    def _on_model_changed(self, state: ModelState) -> None:
        if state.phase in {ModelPhase.LOADING, ModelPhase.UNLOADING}:
            for seen in self._kept.values():
                seen.request = 0
