"""The CUDA runtime for the window: whether it would help here, and its download as a job.

What there is to know is read in the background, without torch; the download runs in a process of
its own (``python -m engine runtime install --events``), whose end leaves what arrived.
"""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass, replace
from enum import Enum, auto
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from app.chat.child_job import ChildJob, MakeJob, connected_job
from engine.contract import EngineError, Fault
from engine.library.runtime.driver import Driver, read_driver
from engine.library.runtime.place import (
    Runtime,
    arriving_bytes,
    find_runtime,
    held_bytes,
    runtime_folder,
)
from engine.library.runtime.variants import Variant, choose_variant, read_variants


@dataclass(frozen=True, slots=True)
class Outlook:
    """What there is on this computer.

    Attributes:
        driver: NVIDIA's, where there is a GPU that it drives.
        variant: what would be installed.
        fault: why nothing can be.
        found: what is installed.
        held: bytes that the runtime takes, unfinished downloads too.
        arrived: bytes of an unfinished download.
        free: bytes that are free beside it.
        has_own: the program came with CUDA already.
    """

    driver: Driver | None = None
    variant: Variant | None = None
    fault: Fault | None = None
    found: Runtime | None = None
    held: int = 0
    arrived: int = 0
    free: int = 0
    has_own: bool = False

    @property
    def needed(self) -> int:
        """Bytes that the disk must have free for the rest of the installation."""
        return self.variant.download + self.variant.unpacked - self.arrived if self.variant else 0

    @property
    def is_worth_offering(self) -> bool:
        """Whether there is a GPU that could compute, and does not yet."""
        return self.variant is not None and self.found is None and not self.has_own


def look_around() -> Outlook:
    """Ask the driver, the disk and the table; not on the window's thread."""
    driver, variant, fault = read_driver(), None, None
    try:
        variant = choose_variant(driver, read_variants())
    except EngineError as error:
        fault = error.fault
    folder = runtime_folder()
    there = next(each for each in (folder, *folder.parents) if each.is_dir())
    return Outlook(
        driver, variant, fault, find_runtime(), held_bytes(), arriving_bytes(),
        shutil.disk_usage(there).free, has_own_cuda(),
    )  # fmt: skip


def has_own_cuda() -> bool:
    """Say whether the torch beside the program computes on NVIDIA's GPUs; it is not imported."""
    found = find_spec("torch")
    name = "torch_cuda.dll" if sys.platform == "win32" else "libtorch_cuda.so"
    places = found.submodule_search_locations or [] if found is not None else []
    return any((Path(place) / "lib" / name).is_file() for place in places)


class Deed(Enum):
    """What is being done."""

    NOTHING = auto()
    LOOKING = auto()
    FETCHING = auto()
    UNPACKING = auto()  # and trying: nothing of it is used before it was
    REMOVING = auto()


@dataclass(frozen=True, slots=True)
class RuntimeState:
    """What the window shows.

    Attributes:
        done: of ``total`` bytes of the download.
        fault: what went wrong last.
        freed: bytes that a removal gave back.
        is_new: it was installed in this run of the program.
    """

    outlook: Outlook = Outlook()
    deed: Deed = Deed.LOOKING
    done: int = 0
    total: int = 0
    fault: Fault | None = None
    freed: int = 0
    is_new: bool = False


class GpuRuntime(QObject):
    """One job at a time: install (or go on), pause, remove.

    Args:
        make_job: starts the process.
    """

    changed = Signal()
    look_wanted = Signal()  # ``show`` is to be given what ``look_around`` says

    def __init__(self, make_job: MakeJob = ChildJob, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._make_job = make_job
        self._job: ChildJob | None = None
        self._drops = False
        self.state = RuntimeState()

    def show(self, outlook: Outlook) -> None:
        """Take in what there is now."""
        deed = self.state.deed if self._job is not None else Deed.NOTHING
        done = self.state.done if self._job is not None else outlook.arrived
        self._change(outlook=outlook, deed=deed, done=done)

    def install(self) -> None:
        """Fetch it, or go on where that stopped."""
        if self._job is None and self.state.outlook.variant is not None:
            total = self.state.outlook.variant.download
            self._change(deed=Deed.FETCHING, total=total, fault=None, freed=0)
            self._run(["runtime", "install", "--events"])

    def pause(self) -> None:
        """Stop; what arrived is kept."""
        if self._job is not None and self.state.deed in {Deed.FETCHING, Deed.UNPACKING}:
            self._job.stop()

    def remove(self) -> None:
        """Take it away, and what arrived of it; a download that runs is stopped first."""
        if self._job is None:
            self._change(deed=Deed.REMOVING, fault=None)
            self._run(["runtime", "remove", "--events"])
        elif self.state.deed in {Deed.FETCHING, Deed.UNPACKING}:
            self._drops = True
            self._job.stop()

    def refuse(self, fault: Fault) -> None:
        """Say why nothing is begun."""
        self._change(fault=fault)

    def close(self) -> None:
        """End at once; what arrived is kept."""
        if self._job is not None:
            self._job.close()

    def _run(self, arguments: list[str]) -> None:
        slots = self._on_reported, self._on_ended
        self._job = connected_job(self._make_job, arguments, self, *slots)
        self._job.start()

    @Slot(object)
    def _on_reported(self, said: dict[str, Any]) -> None:
        match said.get("event"):
            case "progress":
                done, total = int(said.get("done", 0)), int(said.get("total", 0))
                deed = Deed.UNPACKING if total and done >= total else Deed.FETCHING
                self._change(deed=deed, done=done, total=total)
            case "runtime" if self.state.deed is Deed.REMOVING:
                self._change(freed=int(said.get("freed", 0)), is_new=False)
            case "runtime":
                self._change(is_new=True)

    @Slot(object)
    def _on_ended(self, fault: Fault | None) -> None:
        self._job = None
        drops, self._drops = self._drops, False
        self._change(deed=Deed.LOOKING, fault=fault)
        if drops:
            self.remove()
        else:
            self.look_wanted.emit()

    def _change(self, **values: Any) -> None:
        self.state = replace(self.state, **values)
        self.changed.emit()
