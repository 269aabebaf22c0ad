"""The bridge: events of the engine's thread arrive on the window's, in order, and end in time."""

from __future__ import annotations

import threading
from pathlib import Path

from PySide6.QtCore import QObject, Slot
from pytestqt.qtbot import QtBot

from app.engine_bridge import EngineBridge
from engine.contract import Event, Finished, Generate, Load, Message, Role, TextDelta
from engine.service import EngineService
from tests.doubles.engines import Reply, ScriptedRunner


class Receiver(QObject):
    def __init__(self, bridge: EngineBridge) -> None:
        super().__init__()
        self.events: list[Event] = []
        self.threads: set[int] = set()
        bridge.received.connect(self.on_received)

    @Slot(object)
    def on_received(self, event: Event) -> None:
        self.events.append(event)
        self.threads.add(threading.get_ident())

    def has_ended(self, request: int) -> bool:
        return any(isinstance(e, Finished) and e.request == request for e in self.events)


def test_events_cross_to_the_windows_thread_in_order(qtbot: QtBot) -> None:
    runner = ScriptedRunner([Reply(" ".join(map(str, range(300))))])
    bridge = EngineBridge(lambda sink: EngineService(sink, lambda: runner))
    receiver = Receiver(bridge)
    bridge.submit(Load(bridge.next_request(), Path("tiny.gguf")))
    request = bridge.next_request()
    bridge.submit(Generate(request, (Message(Role.USER, "count"),)))
    qtbot.waitUntil(lambda: receiver.has_ended(request))
    assert bridge.close()
    text = "".join(event.text for event in receiver.events if isinstance(event, TextDelta))
    assert text == " ".join(map(str, range(300)))
    assert receiver.threads == {threading.get_ident()}


def test_closing_ends_a_running_reply_in_bounded_time_and_nothing_comes_after(
    qtbot: QtBot,
) -> None:
    runner = ScriptedRunner([Reply("x", endless=True)], tokens_per_second=1000)
    bridge = EngineBridge(lambda sink: EngineService(sink, lambda: runner))
    receiver = Receiver(bridge)
    bridge.submit(Load(bridge.next_request(), Path("tiny.gguf")))
    bridge.submit(Generate(bridge.next_request(), (Message(Role.USER, "go"),)))
    qtbot.waitUntil(lambda: any(isinstance(e, TextDelta) for e in receiver.events))
    assert bridge.close(timeout_s=2)
    assert runner.is_closed
    bridge.submit(Load(bridge.next_request(), Path("tiny.gguf")))  # dropped, not an error
    bridge.cancel(1)
    assert bridge.close()
