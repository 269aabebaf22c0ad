"""Where the runtime lies, whether it is whole, and how the engine comes to use it.

``runtime/cu130-2.13.0-cp311`` in the user's data is a finished runtime: the folder gets that name
when everything is in it. Anything else there is unfinished and never looked into.
"""

from __future__ import annotations

import importlib
import json
import shutil
import sys
from collections.abc import MutableMapping, MutableSequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from engine.contract import Notice, NoticeKind
from engine.library.downloads.disk import disk_fault
from engine.library.folders import models_folder
from engine.library.runtime.variants import Variant, read_variants, this_platform

_UNUSABLE = "unusable.json"


@dataclass(frozen=True, slots=True)
class Runtime:
    """A finished runtime: its folder, and why it cannot be used; empty where it can."""

    folder: Path
    unusable: str = ""


def runtime_folder() -> Path:
    """Where runtimes lie, beside the models; not created."""
    return models_folder().parent / "runtime"


def folder_of(variant: Variant) -> Path:
    """The folder of a variant for this Python, there or not."""
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return runtime_folder() / f"{variant.name}-{variant.torch}-{python}"


def find_runtime() -> Runtime | None:
    """The finished runtime that fits this program, without asking the driver."""
    for variant in read_variants():
        folder = folder_of(variant)
        if this_platform() in variant.platforms and folder.is_dir():
            return Runtime(folder, _noted(folder / _UNUSABLE))
    return None


def held_bytes() -> int:
    """What everything of the runtime takes on disk, unfinished files too."""
    return sum(file.stat().st_size for file in runtime_folder().rglob("*") if file.is_file())


def arriving_bytes() -> int:
    """What an unfinished download has on disk."""
    waiting = runtime_folder().glob(".wheels-*/*")
    return sum(file.stat().st_size for file in waiting if file.suffix in {".whl", ".part"})


def remove_runtime() -> int:
    """Remove every runtime and what is on its way; the bytes that are free now.

    Raises:
        EngineError: ``FILE_UNREADABLE`` where the system refuses; no runtime is found any more.
    """
    held, folder = held_bytes(), runtime_folder()
    doomed = folder.with_name(folder.name + ".removed")
    try:
        if doomed.exists():  # an earlier removal was interrupted
            shutil.rmtree(doomed)
        if folder.exists():
            folder.rename(doomed)  # at once: half of a runtime must not be found
            shutil.rmtree(doomed)
    except OSError as error:
        raise disk_fault(error, folder) from error
    return held


def use_runtime(paths: MutableSequence[str]) -> Path | None:
    """Put a usable runtime first on the module path, before torch is imported.

    Args:
        paths: ``sys.path``.

    Returns:
        Its folder; None where there is none to use.
    """
    runtime = find_runtime()
    if runtime is None or runtime.unusable:
        return None
    if str(runtime.folder) not in paths:
        paths.insert(0, str(runtime.folder))
    return runtime.folder


def give_up_runtime(
    reason: str, paths: MutableSequence[str], modules: MutableMapping[str, ModuleType]
) -> bool:
    """Take the runtime out of use, here and at later starts; whether it was in use.

    Args:
        reason: why torch could not be imported from it.
        paths: ``sys.path``.
        modules: ``sys.modules``, out of which goes what came from there.
    """
    runtime = find_runtime()
    if runtime is None or str(runtime.folder) not in paths:
        return False
    paths.remove(str(runtime.folder))
    for name, module in list(modules.items()):
        file = getattr(module, "__file__", None)
        if file and Path(file).is_relative_to(runtime.folder):
            del modules[name]
    importlib.invalidate_caches()
    (runtime.folder / _UNUSABLE).write_text(json.dumps({"reason": reason}), "utf-8")
    return True


def runtime_notices() -> tuple[Notice, ...]:
    """What the user must be told: a runtime that is there and cannot be used."""
    runtime = find_runtime()
    if runtime is None or not runtime.unusable:
        return ()
    return (Notice(NoticeKind.RUNTIME_UNUSABLE, {"reason": runtime.unusable}),)


def _noted(file: Path) -> str:
    try:
        return str(json.loads(file.read_text("utf-8"))["reason"]) or "unknown"
    except FileNotFoundError:
        return ""
    except (OSError, ValueError, KeyError, TypeError) as error:
        return str(error)
