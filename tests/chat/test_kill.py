"""S1: a real process with the real threads, killed in the middle, and what it leaves behind."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app.store.opening import open_store
from app.store.worker import InlineWorker
from tests.store.conftest import rows_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL there")

# Says "asked" when the engine gets the question, then the time and each word as it is shown.
PROGRAM = """
import sys, time
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from app.chat.inspections import Inspections
from app.chat.library import ChatLibrary
from app.chat.model_session import ModelSession
from app.chat.saving import Saving
from app.chat.services import Services
from app.engine_bridge import EngineBridge
from app.store.opening import open_store
from app.store.settings import SettingsFile
from app.store.worker import ThreadWorker
from engine.contract import Generate
from engine.service import EngineService
from tests.doubles.engines import Reply, ScriptedRunner

class Runner(ScriptedRunner):
    def run(self, command, cancelled):
        if isinstance(command, Generate):
            print("asked", flush=True)
        return super().run(command, cancelled)

app = QCoreApplication([])
folder, worker = Path(sys.argv[1]), ThreadWorker()
opened = open_store(folder, worker)
runner = Runner([Reply(" ".join(map(str, range(100_000))))], tokens_per_second=200)
bridge = EngineBridge(lambda sink: EngineService(sink, lambda: runner))
settings = SettingsFile(folder / "settings.json", worker)
model = ModelSession(bridge, settings)
services = Services(Saving(opened.store), bridge, model, settings, Inspections(bridge, model))
library = ChatLibrary(services)
model.load(folder / "tiny.gguf")
session = library.new()
session.text_added.connect(
    lambda turn, channel, text: print(f"{time.monotonic():.3f} {text.strip()}", flush=True)
)
session.send("How far?")
app.exec()
"""


def start(folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(folder)],
        cwd=Path(__file__).parent.parent.parent,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": "."},
    )


def kill(process: subprocess.Popen[str]) -> None:
    """Kill the process and wait until it is gone."""
    process.send_signal(signal.SIGKILL)
    process.communicate()


def test_S1_a_kill_right_after_enter_keeps_the_question(tmp_path: Path) -> None:
    process = start(tmp_path)
    assert process.stdout is not None
    assert process.stdout.readline() == "asked\n"
    kill(process)
    opened = open_store(tmp_path, InlineWorker())
    rows = rows_of(opened.store)
    opened.close()
    assert [(row.role, row.state) for row in rows] == [
        ("user", "complete"),
        ("assistant", "interrupted"),
    ]
    assert rows[0].content == "How far?"


def test_S1_a_kill_while_streaming_loses_at_most_the_last_second(tmp_path: Path) -> None:
    old, words = killed_after(tmp_path, 100, seconds=1.5)
    assert old, "what was shown more than a second before is what this is about"
    assert set(old) <= set(words)


@pytest.mark.parametrize("seed", range(4))
def test_S1_a_kill_at_any_moment_of_a_reply_keeps_what_was_saved(tmp_path: Path, seed: int) -> None:
    old, words = killed_after(tmp_path, random.Random(seed).randrange(1, 320))
    assert set(old) <= set(words)


def killed_after(tmp_path: Path, count: int, seconds: float = 0.0) -> tuple[list[str], list[str]]:
    """Kill a reply when so many words were shown, the first at least so many seconds ago.

    Returns:
        The words shown a second before, and those that are kept.
    """
    process = start(tmp_path)
    assert process.stdout is not None
    assert process.stdout.readline() == "asked\n"
    shown: list[tuple[float, str]] = []
    for line in process.stdout:
        moment, *words = line.split()
        shown += [(float(moment), word) for word in words]
        if len(shown) >= count and shown[-1][0] - shown[0][0] >= seconds:
            break
    killed = time.monotonic()
    kill(process)
    opened = open_store(tmp_path, InlineWorker())
    rows = rows_of(opened.store)
    opened.close()
    assert opened.fault is None
    assert [row.state for row in rows] == ["complete", "interrupted"]
    kept = rows[1].content.split()
    assert kept == [str(number) for number in range(len(kept))], "nothing is missing in between"
    return [word for moment, word in shown if moment < killed - 1.0], kept
