"""Deleting a model of our own folder. Other programs' files are theirs to delete."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from engine.contract import EngineError, FaultKind
from engine.storage.gguf_split import read_gguf_headers


def is_ours(path: Path, own: Path) -> bool:
    """Whether a model lies in our own folder itself, not behind a link out of it."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(own))


def remove_model(path: Path, own: Path) -> int:
    """Delete a model's files, and the folders that became empty; the bytes that became free.

    A GGUF file goes with its parts, a folder's model with the files beside its weights: not with
    other models that lie there or deeper. What is a link is unlinked, what is gone already is no
    trouble.

    Raises:
        EngineError: ``REMOVAL_REFUSED`` where the system refuses or the model is not ours.
    """
    if not is_ours(path, own):
        raise EngineError(FaultKind.REMOVAL_REFUSED, path=str(path), reason="")
    freed = 0
    for file in _files(path):
        try:
            size = file.lstat().st_size
            file.unlink()
        except FileNotFoundError:
            continue
        except OSError as error:
            reason = error.strerror or str(error)
            raise EngineError(FaultKind.REMOVAL_REFUSED, path=str(file), reason=reason) from error
        freed += size
    _remove_empty(path if path.is_dir() else path.parent, own)
    return freed


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        return [file for file in path.iterdir() if file.is_file() and file.suffix != ".gguf"]
    try:
        return [header.path for header in read_gguf_headers(path)]
    except EngineError:  # a damaged file is deleted too
        return [path]


def _remove_empty(folder: Path, own: Path) -> None:
    with suppress(OSError):  # something lies in it
        while folder != own and folder.is_relative_to(own):
            folder.rmdir()
            folder = folder.parent
