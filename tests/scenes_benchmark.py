"""Pictures of the benchmark page: measured, measuring, nothing yet; light, dark, narrow."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.chat.benchmarking import Measuring, thread_choices
from app.store.benchmarks import LastRun, Speed
from engine.contract import Fault, FaultKind
from tests import screenshot_texts as texts
from tests.studio import Scene

if TYPE_CHECKING:
    from app.application import Application


@dataclass(frozen=True, slots=True)
class _Row:
    name: str
    size: int
    decode: float
    prefill: float


_BANDWIDTH = 38.6e9
_ROWS = (
    _Row("SmolLM2 135M", 145_000_000, 131, 1180),
    _Row("Qwen2.5 Coder 1.5B", 1_120_000_000, 28.9, 140),
    _Row("Llama 3.2 3B", 2_020_000_000, 16.4, 67.2),
    _Row("Qwen3 4B", 2_500_000_000, 13.2, 53.7),
    _Row("Gemma 3 4B", 2_490_000_000, 12.6, 51.8),
    _Row("Qwen3 14B", 9_000_000_000, 3.6, 14.6),
)


def _fill(program: Application) -> None:
    for row in _ROWS:
        program.benchmarks.keep(
            Speed(
                path=f"/models/{row.name}", name=row.name, file_bytes=row.size, device="cpu",
                processor="AVX2", threads=thread_choices()[0], decode=row.decode,
                prefill=row.prefill, first_token_s=0.2, second_turn_s=0.1, load_s=1.0,
                peak_bytes=2 * row.size, bytes_per_token=row.size, bandwidth=_BANDWIDTH,
                measured_at=int(time.time()),
            )
        )  # fmt: skip
    program.benchmarks.end_run(LastRun(int(time.time()), 6, 252))


def benchmark(scene: Scene) -> None:
    from tests.screenshots import Studio

    with scene.window(Studio(), texts.CHATS) as program:
        scene.load(program, "Qwen3 4B")
        program.window.show_page("benchmark")
        scene.shoot(program, "benchmark-nothing")
        _fill(program)
        program.benchmarking.changed.emit()
        scene.shoot(program, "benchmark")
        program.benchmarking.now = Measuring("Qwen3 4B", 4, 6, "measuring", 2, 8)
        short = Fault(
            FaultKind.MEMORY_SHORT,
            {"needed": 19_800_000_000, "free": 11_200_000_000, "context": 8192},
        )
        program.benchmarking.faults = {"Qwen3 14B": short}
        program.benchmarking.changed.emit()
        scene.shoot(program, "benchmark-measuring")
        program.window.resize(760, 832)
        scene.shoot(program, "benchmark-narrow")
        program.benchmarking.now = None
    with scene.window(Studio(), texts.CHATS_ZH, theme="dark", language="zh_CN") as program:
        _fill(program)
        program.window.show_page("benchmark")
        scene.shoot(program, "benchmark-dark-zh")
