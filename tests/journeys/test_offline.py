"""S14: with a dead network everything works, and nothing but this computer is ever asked.

The whole session runs in a process of its own with a trap in it and in every process that it
starts; the trap is seen to catch.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SESSION = """
import sys
from pathlib import Path
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from app.application import Application
from app.chat.gpu_runtime import Deed
from app.chat.model_session import ModelPhase
from app.chat.options import ChatOptions
from app.chat.turn import TurnState
from app.store.catalogue import SECTIONS
from app.ui.background import InlineBackground
from app.ui.update.updating import Updating
from app.update.channel import Channel
from app.update.form import Form, Place
from engine.contract import EngineError, FaultKind, Sampling
from engine.library.downloads.order import Order
from engine.library.hubs.hub import HubQuery
from engine.library.servers.card import RemoteCard, write_card

app = QApplication(sys.argv[:1])
program = Application(app, model=Path(sys.argv[1]))
program.settings.change(offline=sys.argv[2] == "on")
program.start()

def wait(claim):
    for _ in range(12_000):
        if claim():
            return
        QTest.qWait(10)
    raise TimeoutError

def ask_for_everything(program):
    # all that needs the network: each is refused by name
    faults, downloads = [], program.downloads
    downloads.failed.connect(faults.append)
    downloads.search("huggingface", HubQuery("qwen"), print, faults.append)
    downloads.look("modelscope", "a/b", print, faults.append)
    downloads.add(Order("a", "a", "a", ()), faults.append)
    downloads.resume("a")
    program.shelf.fetch_starter()
    faults.append(program.shelf.fetch.fault)
    card = RemoteCard("https://far.example/v1", "m")
    for ask in (program.remotes.ask, program.remotes.test):
        try:
            ask(card, "")
        except EngineError as error:
            faults.append(error.fault)
    program.deeds.load(write_card(program.shelf.folders[0], card))
    wait(lambda: program.model.state.phase is ModelPhase.FAILED)
    faults.append(program.model.state.fault)
    channel = Channel("https://updates.example", b"{}")
    place = Place(Form.TAR)
    updating = Updating(
        channel, place, "1", Path(sys.argv[1]).parent, program.settings, InlineBackground(),
        program.shelf.limit,
    )
    updating.look()
    faults.append(updating.state.fault)
    program.surroundings.runtime._on_install_wanted()
    faults.append(program.surroundings.runtime.runtime.state.fault)
    assert [fault.kind for fault in faults] == [FaultKind.OFFLINE] * 10, faults


wait(lambda: program.model.state.phase is ModelPhase.READY)
session = program.window.parts.chat.session
session.set_options(ChatOptions(sampling=Sampling(temperature=0), max_tokens=24))
field = program.window.parts.chat.box.field
field.setPlainText("What is the capital of France?")
QTest.keyClick(field, Qt.Key.Key_Return)
wait(lambda: not session.state.busy and len(session.path()) == 2)
assert len(session.path()[1].content) > 20
field.setPlainText("Tell me a very long story.")
session.set_options(ChatOptions(max_tokens=2000))
QTest.keyClick(field, Qt.Key.Key_Return)
wait(lambda: len(session.path()) == 4 and len(session.path()[3].content) > 20)
session.stop()
wait(lambda: session.path()[3].state is TurnState.STOPPED)
for page in (
    "models", "add_model", "smaller", "benchmark", "server", "monitor", "welcome", "settings",
):
    program.window.show_page(page)
    QTest.qWait(50)
settings = program.window.parts.settings
for section in SECTIONS:
    settings.open_section(section)
    QTest.qWait(20)
settings.search.setText("update")
program.surroundings.runtime.open()
wait(lambda: program.surroundings.runtime.runtime.state.deed is not Deed.LOOKING)
program.surroundings.runtime.dialog.reject()
program.window.show_page("chat")
program.advisor.open()  # which looks at the computer, and measures it in a process of its own
wait(lambda: not program.advisor.dialog.is_looking)
program.advisor.dialog.reject()
if sys.argv[2] == "on":
    ask_for_everything(program)
program.close()
print("done")
"""


@pytest.fixture
def trapped(tmp_path: Path) -> dict[str, str]:
    path = os.pathsep.join([str(ROOT / "tests" / "doubles" / "trap"), str(ROOT)])
    (tmp_path / "asked").touch()
    return os.environ | {
        "PYTHONPATH": path,
        "INKSTONE_TRAP": str(tmp_path / "asked"),
        "HTTPS_PROXY": "http://192.0.2.1:3128",
    }


@pytest.mark.parametrize("switch", ["on", "off"])
def test_S14_a_session_without_a_network_asks_for_nothing_else(
    shelf: Path, trapped: dict[str, str], switch: str
) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", SESSION, str(shelf), switch],
        env=trapped, capture_output=True, text=True, timeout=280, check=False,
    )  # fmt: skip
    assert "done" in ended.stdout, ended.stderr
    assert Path(trapped["INKSTONE_TRAP"]).read_text("utf-8") == ""


@pytest.mark.parametrize(
    "asks",
    ["socket.create_connection(('192.0.2.1', 9))", "socket.getaddrinfo('example.org', 443)"],
)
def test_S14_the_trap_catches_in_a_process_and_in_what_it_starts(
    trapped: dict[str, str], asks: str
) -> None:
    inner = f"import socket; {asks}"
    outer = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {inner!r}])"
    ended = subprocess.run(
        [sys.executable, "-c", outer], env=trapped, capture_output=True, text=True, check=False
    )
    assert "timed out" in ended.stderr
    assert Path(trapped["INKSTONE_TRAP"]).read_text("utf-8").count("\n") == 1
