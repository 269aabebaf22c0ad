"""The monitor's charts: which figure is drawn from what, and how it is said."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from app.chat.gpu_watch import busiest
from app.chat.monitoring import Sample
from app.store.monitor import Measured
from app.ui.benchmark.chart import ChartCard, LegendKey
from app.ui.look import Look
from app.ui.monitor.over_time import Line, OverTime, Point

_MOST_PARTS = 60  # that the requests of a span are counted in
_MINUTE_S = 60.0
_AZURITE, _INK = (Line("azurite"),), (Line("ink"),)
_COUNTS = (
    Line("ink", "solid", "monitor-ended", stepped=True),
    Line("cinnabar", "dashed", "monitor-failed", stepped=True),
)
_PARTS = (
    Line("ink", "solid", "monitor-weights"),
    Line("accent", "dashed", "monitor-cache"),
    Line("ochre", "dotted", "monitor-workspace"),
)


class Charts:
    """A chart for each figure, each in a card; of GPUs only when one was read.

    Args:
        look: colours, fonts and words.
    """

    def __init__(self, look: Look) -> None:
        self._look = look
        say, ms, percent = look.language, self.milliseconds, self.percent
        self.of = {
            "speed": OverTime(look, "monitor-speed-title", say.speed),
            "first": OverTime(look, "monitor-first-title", say.seconds, _AZURITE),
            "token": OverTime(look, "monitor-token-title", ms, _AZURITE),
            "reuse": OverTime(look, "monitor-reuse-title", percent, most=1.0),
            "requests": OverTime(look, "monitor-requests-title", _count, _COUNTS),
            "model": OverTime(look, "monitor-model-title", self._bytes, _PARTS),
            "load": OverTime(look, "monitor-load-title", percent, _INK, most=1.0),
            "memory": OverTime(look, "monitor-memory-title", self._bytes, _INK),
        }
        self.cards = [self._card(name) for name in self.of]

    def show(self, kept: Sequence[Measured], samples: Sequence[Sample], now: float) -> None:
        """Draw what was measured.

        Args:
            kept: requests, the oldest first.
            samples: of the computer.
            now: Unix seconds; counting ends there.
        """
        of = self.of
        of["speed"].show_points(_points(kept, lambda each: each.tokens_per_second))
        of["first"].show_points(_points(kept, lambda each: each.first_token_s))
        of["token"].show_points(_points(kept, lambda each: each.token_s))
        of["reuse"].show_points(_points(kept, lambda each: each.reuse))
        of["requests"].show_points(*counted(kept, now))
        of["model"].show_points(*_parts(kept, samples))
        loads: list[Point] = [(each.at, each.processor) for each in samples]
        loads += [(each.at, each.processor) for each in kept if each.processor is not None]
        of["load"].show_points(loads)
        used: list[Point] = [(each.at, float(each.used)) for each in samples]
        used += [(each.at, float(each.used_bytes)) for each in kept if each.used_bytes]
        of["memory"].show_points(used)
        self._show_gpus(kept, samples)

    def milliseconds(self, seconds: float) -> str:
        """Return a short time in words."""
        number = seconds * 1000
        return self._look.language.text(
            "monitor-ms", number=f"{number:.{0 if number >= 10 else 1}f}"
        )

    def percent(self, share: float) -> str:
        """Return a share from 0 to 1 in words."""
        return self._look.language.text("monitor-percent", number=f"{share * 100:.0f}")

    def _bytes(self, count: float) -> str:
        return self._look.language.bytes_text(int(count))

    def _card(self, name: str) -> ChartCard:
        lines = {"requests": _COUNTS, "model": _PARTS}.get(name, ())
        legend = [LegendKey(self._look, each.name_id, each.token, each.stroke) for each in lines]
        return ChartCard(self._look, f"monitor-{name}", self.of[name], *legend)

    def _show_gpus(self, kept: Sequence[Measured], samples: Sequence[Sample]) -> None:
        loads: list[Point] = [(each.at, busiest(each.gpus)) for each in samples if each.gpus]
        loads += [(each.at, each.gpu) for each in kept if each.gpu is not None]
        if loads and "gpu" not in self.of:
            self.of["gpu"] = OverTime(self._look, "monitor-gpu-title", self.percent, _INK, most=1.0)
            self.cards.append(self._card("gpu"))
        if "gpu" in self.of:
            self.of["gpu"].show_points(loads)


def counted(kept: Sequence[Measured], now: float) -> tuple[list[Point], list[Point]]:
    """Count requests, and those that failed, in equal parts of the time: minutes, or longer.

    Args:
        kept: the oldest first.
        now: Unix seconds; parts without a request up to here count none.

    Returns:
        A point for the begin of each part; nothing where there was no request.
    """
    if not kept:
        return [], []
    begin = min(each.at for each in kept)
    part = _MINUTE_S * math.ceil(max(now - begin, 1.0) / _MINUTE_S / (_MOST_PARTS - 1))
    first = int(begin // part)
    ended = [0] * (int(max(now, kept[-1].at) // part) - first + 1)
    failed = list(ended)
    for each in kept:
        ended[int(each.at // part) - first] += each.requests
        failed[int(each.at // part) - first] += each.failed
    times = [(first + number) * part for number in range(len(ended))]
    return (
        [(at, float(count)) for at, count in zip(times, ended, strict=True)],
        [(at, float(count)) for at, count in zip(times, failed, strict=True)],
    )


def _parts(kept: Sequence[Measured], samples: Sequence[Sample]) -> list[list[Point]]:
    """Weights, cache and workspace over time; nothing where no model took any."""
    known = [(each.at, each.weight_bytes, each.cache_bytes, each.workspace_bytes) for each in kept]
    for each in samples:
        part = each.model
        known.append(
            (each.at, part.weights, part.cache, part.workspace) if part else (each.at, 0, 0, 0)
        )
    if not any(weights for _, weights, _, _ in known):
        return [[], [], []]
    return [[(each[0], float(each[place])) for each in known] for place in (1, 2, 3)]


def _count(value: float) -> str:
    return f"{value:.0f}" if value.is_integer() else ""


def _points(kept: Sequence[Measured], value: Callable[[Measured], float | None]) -> list[Point]:
    """A figure of every request that has it; a failure is a point without one."""
    found: list[Point] = []
    for each in kept:
        figure = value(each)
        if figure is not None or each.failed:
            found.append((each.at, figure))
    return found
