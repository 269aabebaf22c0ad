"""What the queue is asked for, and how far it is: plain values that go to disk and to a window."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import PurePath, PurePosixPath
from typing import Any

from engine.contract import Fault, FaultKind


@dataclass(frozen=True, slots=True)
class WantedFile:
    """One file of a model.

    Attributes:
        address: where it lies.
        path: where it belongs inside the model's folder, with ``/``.
        size: bytes; 0 where nobody says.
        sha256, git_sha1: what it must hash to; empty where nobody says.
    """

    address: str
    path: str
    size: int = 0
    sha256: str = ""
    git_sha1: str = ""

    @property
    def is_verifiable(self) -> bool:
        """Whether there is a hash to compare."""
        return bool(self.sha256 or self.git_sha1)


@dataclass(frozen=True, slots=True)
class Order:
    """A model to fetch.

    Attributes:
        key: tells orders apart; the same key is the same download.
        name: what a person calls it.
        folder: where it will lie, relative to the model folder, with ``/``.
        files: in the order in which they are fetched.
        account: whose token is sent ("huggingface", "modelscope"); "" for nobody's.
        page: where its terms are read and accepted in a browser; "" where there is none.
    """

    key: str
    name: str
    folder: str
    files: tuple[WantedFile, ...]
    account: str = ""
    page: str = ""

    @property
    def size(self) -> int:
        """Bytes of all files, as far as they are known."""
        return sum(file.size for file in self.files)

    @property
    def entry(self) -> str:
        """What to load, inside its folder: a GGUF file (the first part); "" is the folder."""
        return next((f.path for f in self.files if f.path.lower().endswith(".gguf")), "")


class Phase(StrEnum):
    """Where a download stands."""

    WAITING = "waiting"
    RUNNING = "running"
    PAUSED = "paused"
    FAILED = "failed"
    FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class DownloadState:
    """How far an order is.

    Attributes:
        done, total: bytes; total is 0 where nobody knows.
        rate: bytes a second over the last seconds.
        seconds_left: at that rate; 0 where nothing can be said.
        verifying: all bytes are here, and hashes are compared.
        fault: why it failed.
        path: what to load, when it is finished.
        verified: whether every file matched a published hash.
        ended: when it finished (seconds since 1970).
    """

    order: Order
    phase: Phase
    done: int = 0
    total: int = 0
    rate: float = 0.0
    seconds_left: float = 0.0
    verifying: bool = False
    fault: Fault | None = None
    path: str = ""
    verified: bool = False
    ended: float = 0.0

    @property
    def aside(self) -> str:
        """The name of its folder, where another one's file has its place; else ""."""
        if not self.path:
            return ""
        depth = len(PurePosixPath(self.order.entry).parts)
        folder = (PurePath(self.path), *PurePath(self.path).parents)[depth].name
        return "" if folder == PurePosixPath(self.order.folder).name else folder


def safe_path(path: str) -> bool:
    """Whether a path from a server stays inside the folder that it is put into."""
    parts = PurePosixPath(path).parts
    odd = any(part in {"..", "."} or "\\" in part or ":" in part for part in parts)
    return bool(parts) and not path.startswith("/") and "\0" not in path and not odd


def to_json(state: DownloadState) -> dict[str, Any]:
    """What is worth keeping of a state."""
    fault = state.fault
    return {
        "order": asdict(state.order),
        "phase": state.phase.value,
        "fault": [fault.kind.value, dict(fault.figures)] if fault else None,
        "path": state.path,
        "verified": state.verified,
        "ended": state.ended,
        "total": state.total,
    }


def from_json(value: Mapping[str, Any]) -> DownloadState:
    """The state that ``to_json`` wrote.

    Raises:
        KeyError, TypeError, ValueError: it was not written by us, or is damaged.
    """
    given = dict(value["order"])
    files = tuple(WantedFile(**file) for file in given.pop("files"))
    order = Order(files=files, **given)
    if not files or not all(safe_path(p) for p in (order.folder, *(f.path for f in files))):
        raise ValueError(order.folder)
    fault = value["fault"]
    return DownloadState(
        order,
        Phase(value["phase"]),
        total=int(value["total"]),
        fault=Fault(FaultKind(fault[0]), dict(fault[1])) if fault else None,
        path=str(value["path"]),
        verified=bool(value["verified"]),
        ended=float(value["ended"]),
    )
