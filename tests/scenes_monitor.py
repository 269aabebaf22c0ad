"""Pictures of the monitor: nothing yet, an hour of requests; light, dark, narrow."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QScrollArea

from app.chat.monitoring import Sample
from app.store.monitor import Measured
from engine.contract import Memory
from engine.library.gpu_load import GpuLoad
from tests import screenshot_texts as texts
from tests.studio import Scene, Studio

if TYPE_CHECKING:
    from app.application import Application


def _fill(program: Application, *names: str) -> None:
    """An hour of requests, of which two failed, and five minutes of load, also of these GPUs."""
    monitoring, now = program.monitoring, time.time()
    memory = monitoring._memory = Memory(2_500_000_000, 310_000_000, 96_000_000, 3_100_000_000)
    for number in range(40):
        wave = math.sin(number / 4)
        failed = number in {13, 29}
        monitoring.log.kept.append(
            Measured(
                now - 3_500 + number * 85, "server" if number % 3 else "window", "Qwen3 4B",
                None if failed else 0.4 + 0.2 * wave, None if failed else 0.075 + 0.006 * wave,
                0 if failed else 900, 0 if failed else int(700 + 150 * wave), 0 if failed else 210,
                2_500_000_000, 310_000_000, 96_000_000, 0.8, 9_000_000_000,
                "internal" if failed else "", 1, int(failed),
            )
        )  # fmt: skip
    for number in range(150):
        used = 9_000_000_000 + number * 2_000_000
        gpus = tuple(
            GpuLoad(name, 0.5 + 0.45 * math.cos(number / 9), 5_000_000_000, 24_000_000_000)
            for name in names
        )
        monitoring.samples.append(
            Sample(now - 300 + number * 2, 0.55 + 0.3 * math.sin(number / 9), used, memory, gpus)
        )
    program.window.parts.monitor.show_figures()


def _to_the_foot(program: Application) -> None:
    bar = program.window.parts.monitor.findChild(QScrollArea).verticalScrollBar()
    bar.setValue(bar.maximum())


def monitor(scene: Scene) -> None:
    with scene.window(Studio(), texts.CHATS) as program:
        program.window.show_page("monitor")
        scene.shoot(program, "monitor-nothing")
        scene.load(program, "Qwen3 4B")
        program.window.show_page("monitor")
        _fill(program)
        scene.shoot(program, "monitor")
        _to_the_foot(program)
        scene.shoot(program, "monitor-foot")
        program.window.resize(720, 832)
        _to_the_foot(program)
        scene.shoot(program, "monitor-narrow")
    with scene.window(Studio(), texts.CHATS_ZH, theme="dark", language="zh_CN") as program:
        scene.load(program, "Qwen3 4B")
        program.window.show_page("monitor")
        _fill(program, "NVIDIA GeForce RTX 4090", "NVIDIA GeForce RTX 3090 Ti")
        scene.shoot(program, "monitor-dark-zh")
        _to_the_foot(program)
        scene.shoot(program, "monitor-foot-dark-zh")
