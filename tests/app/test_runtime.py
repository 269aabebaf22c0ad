"""The CUDA runtime in the real window: the driver, the index and torch are stand-ins."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.application import Application
from app.chat import gpu_runtime
from app.chat.gpu_runtime import Deed, GpuRuntime, Outlook
from app.ui.models_page import ModelsPage
from app.ui.runtime.dialog import RuntimeDialog
from app.ui.runtime.offer import RuntimeOffer
from app.ui.runtime.words import Stand, runtime_words, stand_of
from engine.contract import Fault, FaultKind
from engine.library.runtime.place import find_runtime, runtime_folder
from engine.library.runtime.variants import read_variants, this_platform
from tests.app.conftest import Program
from tests.app.legible import troubles
from tests.library.file_server import serve
from tests.library.runtime.wheelhouse import whole_shop
from tests.scenes_runtime import BROKEN, EVERY_STATE, OFFERED, runtime_dialog

GPU = "NVIDIA GeForce RTX 4060"
TORCH = {
    "torch/__init__.py": b"""__version__ = "2.13.0"
class cuda:
    is_available = staticmethod(lambda: True)
    device_count = staticmethod(lambda: 1)
""",
    "torch/large.bin": os.urandom(200_000),
}
pytestmark = pytest.mark.skipif(
    os.name == "nt" or not any(this_platform() in each.platforms for each in read_variants()),
    reason="no CUDA runtime for this platform",
)


@pytest.fixture
def card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A driver's tool that tells of one graphics card."""
    tool = tmp_path / "bin" / "nvidia-smi"
    tool.parent.mkdir()
    tool.write_text(
        '#!/bin/sh\ncase "$*" in\n'
        f'*driver_version,compute_cap*) echo "580.95.05, 8.9, {GPU}";;\nesac\n'
    )
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(gpu_runtime, "has_own_cuda", lambda: False)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.delenv("PIP_EXTRA_INDEX_URL", raising=False)


class Person:
    """Somebody before the models page."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.running: Application = program.start_ready()
        self.on_screen = self.running.surroundings.runtime

    def open_models(self) -> RuntimeOffer:
        self.running.window.show_page("models")
        offer = self.on_screen.offer
        assert offer is not None
        self.until(lambda: self.on_screen.runtime.state.deed is Deed.NOTHING)
        return offer

    def until(self, holds: Callable[[], bool]) -> None:
        self.program.qtbot.waitUntil(holds, timeout=60_000)

    def until_stand(self, *stands: Stand) -> None:
        self.until(lambda: stand_of(self.on_screen.runtime.state) in stands)

    def dialog(self) -> RuntimeDialog:
        assert self.on_screen.dialog is not None
        return self.on_screen.dialog


@pytest.mark.usefixtures("card")
def test_it_is_offered_fetched_paused_gone_on_with_used_and_removed(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = whole_shop(TORCH)
    site.held = threading.Event()
    with serve(site):
        monkeypatch.setenv("PIP_INDEX_URL", f"{site.address}/simple")
        person = Person(program)
        offer = person.open_models()
        assert offer.isVisible()
        assert offer.words.text().startswith(GPU)
        assert site.ranges == []  # nothing was asked by itself
        offer.open.click()
        person.until_stand(Stand.OFFERED)
        assert "2.73 GB" in person.dialog().words.text() or "2.7 GB" in person.dialog().words.text()
        person.dialog().install.click()
        person.until(lambda: person.on_screen.runtime.state.done > 50_000)
        person.dialog().pause.click()
        person.until_stand(Stand.PAUSED)
        assert person.on_screen.runtime.state.outlook.arrived > 50_000
        site.held.set()
        person.dialog().go_on.click()
        person.until_stand(Stand.HERE, Stand.PAUSED, Stand.OFFERED)
        assert "from the next start" in person.dialog().words.text()
        starts = [int(asked[6:].rstrip("-")) for asked in site.ranges if asked]
        assert any(start > 50_000 for start in starts)
        assert find_runtime() is not None
        assert not offer.isVisible()
        person.dialog().remove.click()
        person.until_stand(Stand.OFFERED)
        assert "are free again" in person.dialog().words.text()
        assert not runtime_folder().exists()


@pytest.mark.usefixtures("card")
def test_what_arrived_can_be_thrown_away_and_a_wrong_file_is_told(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = whole_shop(TORCH)
    wrong = next(path for path in site.files if path.startswith("/files/triton"))
    site.files[wrong] = bytes(len(site.files[wrong]))
    with serve(site):
        monkeypatch.setenv("PIP_INDEX_URL", f"{site.address}/simple")
        person = Person(program)
        person.open_models().open.click()
        person.until_stand(Stand.OFFERED)
        person.dialog().install.click()
        person.until_stand(Stand.PAUSED)
        assert "arrived damaged" in person.dialog().words.text()
        person.dialog().discard.click()
        person.until_stand(Stand.OFFERED)
        assert not runtime_folder().exists()


@pytest.mark.usefixtures("card")
def test_a_torch_that_finds_no_card_is_not_used(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    blind = TORCH | {"torch/__init__.py": TORCH["torch/__init__.py"].replace(b"True", b"False")}
    with serve(whole_shop(blind)) as site:
        monkeypatch.setenv("PIP_INDEX_URL", f"{site.address}/simple")
        person = Person(program)
        person.open_models().open.click()
        person.until_stand(Stand.OFFERED)
        person.dialog().install.click()
        person.until_stand(Stand.PAUSED)
        assert "finds no GPU" in person.dialog().words.text()
        assert find_runtime() is None


def test_without_a_card_nothing_is_offered_and_the_dialog_says_why(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpu_runtime, "read_driver", lambda: None)
    person = Person(program)
    assert not person.open_models().isVisible()
    person.running.window.show_page("settings")
    person.running.window.parts.settings.runtime.click()
    person.until_stand(Stand.UNFIT)
    assert person.dialog().words.text().startswith("There is no NVIDIA GPU")
    assert not person.dialog().install.isVisible()


@pytest.mark.usefixtures("card")
def test_offline_begins_nothing_and_stops_what_runs(program: Program) -> None:
    jobs = list[Job]()

    def make(arguments: list[str], parent: QObject) -> Job:
        jobs.append(Job(arguments, parent))
        return jobs[-1]

    person = Person(program)
    person.on_screen.runtime._make_job = make  # type: ignore[assignment]
    person.running.settings.change(offline=True)
    person.open_models().open.click()
    person.until_stand(Stand.OFFERED)
    person.dialog().install.click()
    assert jobs == []
    assert person.dialog().words.text().startswith("Offline, only this computer is asked.")
    person.running.settings.change(offline=False)
    person.dialog().install.click()
    assert [job.arguments for job in jobs] == [["runtime", "install", "--events"]]
    person.running.window.parts.settings.change("offline", True)
    assert jobs[0].is_stopping


@pytest.mark.usefixtures("card")
def test_the_offer_can_be_refused_for_good_and_had_back(program: Program) -> None:
    person = Person(program)
    offer = person.open_models()
    offer.no.click()
    assert not offer.isVisible()
    assert not person.running.settings.settings.offer_cuda
    person.running.window.parts.settings.change("offer_cuda", True)
    assert not offer.isHidden()


class Job(QObject):
    """A process that does nothing until it is told what it says."""

    reported = Signal(object)
    ended = Signal(object)

    def __init__(self, arguments: list[str], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.arguments, self.is_stopping = arguments, False

    def start(self) -> None: ...

    def stop(self) -> None:
        self.is_stopping = True

    def close(self) -> None: ...


def test_a_removal_while_it_downloads_stops_first(program: Program) -> None:
    jobs = list[Job]()

    def make(arguments: list[str], parent: QObject) -> Job:
        jobs.append(Job(arguments, parent))
        return jobs[-1]

    runtime = GpuRuntime(make, program.start_ready())  # type: ignore[arg-type]
    looks = list[int]()
    runtime.look_wanted.connect(lambda: looks.append(1))
    runtime.show(OFFERED)
    runtime.install()
    jobs[0].reported.emit({"event": "progress", "done": 5, "total": 10})
    assert (runtime.state.deed, runtime.state.done) == (Deed.FETCHING, 5)
    jobs[0].reported.emit({"event": "progress", "done": 10, "total": 10})
    assert runtime.state.deed is Deed.UNPACKING
    runtime.remove()
    assert jobs[0].is_stopping
    jobs[0].ended.emit(None)
    assert jobs[1].arguments == ["runtime", "remove", "--events"]
    jobs[1].reported.emit({"event": "runtime", "freed": 7})
    jobs[1].ended.emit(None)
    assert (runtime.state.freed, looks) == (7, [1])


def test_a_runtime_that_does_not_start_says_why(program: Program) -> None:
    running = program.start_ready()
    dialog = runtime_dialog(running, EVERY_STATE[0])
    running.surroundings.runtime.runtime.show(BROKEN)
    assert "libcudart.so.13" in dialog.words.text()
    assert dialog.remove.isVisible()
    dialog.reject()


def test_an_own_cuda_is_seen_without_importing_torch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "torch" / "lib").mkdir(parents=True)
    (tmp_path / "torch" / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(__import__("sys").modules, "torch", raising=False)
    assert not gpu_runtime.has_own_cuda()
    (tmp_path / "torch" / "lib" / "libtorch_cuda.so").touch()
    assert gpu_runtime.has_own_cuda()


@pytest.mark.parametrize("scale", [0.8, 1.6])
@pytest.mark.parametrize("code", ["en", "zh_CN"])
def test_no_text_is_cut_off_in_any_state(
    program: Program, models_page: Callable[[Application], ModelsPage], code: str, scale: float
) -> None:
    running = program.start_ready()
    running.window.resize(720, 560)
    running.settings.change(language=code, text_scale=scale)
    for name in ("language", "text_scale"):
        running.settings_on_screen._on_changed(name)
    models_page(running)
    found: set[str] = set()

    def look(widget: QWidget, where: object) -> None:
        program.qtbot.wait(20)
        if seen := set(troubles(widget)):
            program.qtbot.wait(300)  # a busy machine lays out later
            seen = set(troubles(widget))
        found.update(f"{where}: {each}" for each in seen)

    for state in EVERY_STATE:
        assert runtime_words(state, running.look.language)
        dialog = runtime_dialog(running, state)
        running.surroundings.runtime.runtime.changed.emit()
        look(dialog, stand_of(state))
        dialog.reject()
        look(running.window, stand_of(state))
    assert found == set()


@pytest.fixture
def models_page(monkeypatch: pytest.MonkeyPatch) -> Callable[[Application], ModelsPage]:
    """Open the models page; what is there to be seen is set by the test."""
    monkeypatch.setattr(
        "app.chat.gpu_runtime.look_around",
        lambda: Outlook(fault=Fault(FaultKind.RUNTIME_NO_DRIVER)),
    )

    def show(running: Application) -> ModelsPage:
        running.window.show_page("models")
        return running.window.parts.models

    return show
