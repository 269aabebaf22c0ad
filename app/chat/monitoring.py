"""The monitor's figures: every request of the window and of the server, and the computer's load.

Requests are taken from the engine's own events and from the server's records as they come. The load
is asked for once a request, and every two seconds while somebody looks; that of GPUs every second
of a request, elsewhere.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.chat.gpu_watch import GpuWatch
from app.chat.model_session import ModelSession
from app.chat.serving import Serving
from app.engine_bridge import EngineBridge
from app.store.monitor import Measured, MonitorLog
from engine.contract import (
    Command,
    Event,
    Failed,
    Finished,
    Generate,
    Loaded,
    Memory,
    Metrics,
)
from engine.library.gpu_load import GpuLoad

MOST_SAMPLES = 1_800  # an hour
_EVERY_MS = 2_000
_CLIENT_LEFT = 499


@dataclass(frozen=True, slots=True)
class Sample:
    """The computer's load.

    Attributes:
        at: Unix seconds.
        processor: of all cores since the last sample, 0 to 1.
        used: bytes of the computer's memory.
        model: what the loaded model takes; None where none is computed here.
        gpus: those that can be read.
    """

    at: float
    processor: float
    used: int
    model: Memory | None = None
    gpus: tuple[GpuLoad, ...] = ()


class Monitoring(QObject):
    """Keeps what was measured.

    Args:
        bridge: whose events are listened to.
        model: which model answers.
        serving: the local server.
        log: where requests are kept.
        gpus: asked together with the load.
    """

    changed = Signal()

    def __init__(
        self,
        bridge: EngineBridge,
        model: ModelSession,
        serving: Serving,
        log: MonitorLog,
        gpus: GpuWatch,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._model, self._serving, self.log, self._gpus = model, serving, log, gpus
        self.samples: deque[Sample] = deque(maxlen=MOST_SAMPLES)
        self.live: Metrics | None = None
        self._memory: Memory | None = None
        self._timer = QTimer(self, interval=_EVERY_MS)
        self._timer.timeout.connect(self._on_timeout)
        self._asked: set[int] = set()
        bridge.submitted.connect(self._on_submitted)
        bridge.received.connect(self._on_received)
        serving.recorded.connect(self._on_recorded)
        model.state_changed.connect(self._on_model_changed)

    @property
    def memory(self) -> Memory | None:
        """What the loaded model takes; None without one, or where a server computes it."""
        known = self._memory if self._model.state.loaded else None
        return known if known and known.weights else None

    def watch(self, *, watched: bool) -> None:
        """Sample the load as long as somebody looks."""
        if watched and not self._timer.isActive():
            load_now()  # the first call only begins to count
            self._gpus.ask()
            self._timer.start()
        elif not watched:
            self._timer.stop()

    def _keep(self, measured: Measured) -> None:
        loaded, memory, load = self._model.state.loaded, self.memory, load_now()
        if self._timer.isActive():
            self.samples.append(replace(load, model=memory, gpus=self._gpus.now))
        known = replace(
            measured,
            at=load.at,
            model=loaded.model.name if loaded else "",
            weight_bytes=memory.weights if memory else 0,
            cache_bytes=memory.cache if memory else 0,
            workspace_bytes=memory.workspace if memory else 0,
            processor=load.processor,
            used_bytes=load.used,
            failed=int(bool(measured.fault)),
        )
        self._gpus.take(lambda load, used: self._add(replace(known, gpu=load, gpu_bytes=used)))

    def _add(self, measured: Measured) -> None:
        self.log.add(measured)
        self.changed.emit()

    @Slot(object)
    def _on_submitted(self, command: Command) -> None:
        """Take answers alone: counts, loads and tried words are no requests of anybody."""
        if isinstance(command, Generate) and command.request > 0:
            self._asked.add(command.request)

    @Slot(object)
    def _on_received(self, event: Event) -> None:
        match event:
            case Loaded():
                self._memory = event.memory
            case Metrics():
                self._follow()
                self.live, self._memory = event, event.memory
            case Finished() | Failed():
                self._end(event)
            case _:
                return
        self.changed.emit()

    def _follow(self) -> None:
        """What is kept at a request's end is counted from its first figures."""
        if self.live is None:
            self._gpus.begin()
            if not self._timer.isActive():
                load_now()
        self._gpus.follow()

    def _end(self, event: Finished | Failed) -> None:
        if self.live is not None and event.request == self.live.request:
            self.live = None
        if event.request not in self._asked:
            return
        self._asked.discard(event.request)
        if isinstance(event, Failed):
            self._keep(Measured(0, "window", "", fault=event.fault.kind.value))
        elif event.usage.generated_tokens:
            usage, timings = event.usage, event.timings
            self._keep(
                Measured(
                    0,
                    "window",
                    "",
                    timings.time_to_first_token_s,
                    _token_s(timings.tokens_per_second),
                    usage.prompt_tokens,
                    usage.reused_tokens,
                    usage.generated_tokens,
                )
            )

    @Slot()
    def _on_recorded(self) -> None:
        record = self._serving.records[0]
        failed = record.status >= 400 and record.status != _CLIENT_LEFT
        if record.generated_tokens or failed:
            self._keep(
                Measured(
                    0,
                    "server",
                    "",
                    record.first_token_s,
                    _token_s(record.tokens_per_second),
                    record.prompt_tokens,
                    record.reused_tokens,
                    record.generated_tokens,
                    fault=str(record.status) if failed else "",
                )
            )

    @Slot(object)
    def _on_model_changed(self) -> None:
        self.changed.emit()

    @Slot()
    def _on_timeout(self) -> None:
        self._gpus.ask()
        self.samples.append(replace(load_now(), model=self.memory, gpus=self._gpus.now))
        self.changed.emit()


def load_now() -> Sample:
    """Return the computer's load since the last call."""
    import psutil  # noqa: PLC0415 - 20 ms that the first picture need not wait for

    memory = psutil.virtual_memory()
    load = psutil.cpu_percent() / 100
    return Sample(time.time(), load, memory.total - memory.available)


def _token_s(tokens_per_second: float | None) -> float | None:
    return 1 / tokens_per_second if tokens_per_second else None
