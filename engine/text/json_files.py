"""The small files beside a model's weights, read with named faults."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from engine.contract import EngineError, FaultKind


def read_json(file: Path) -> dict[str, Any]:
    """A JSON file's object; empty where there is no such file.

    Raises:
        EngineError: FILE_UNREADABLE, CONFIG_INVALID.
    """
    if not file.is_file():
        return {}
    text = read_text(file)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise EngineError(
            FaultKind.CONFIG_INVALID, path=str(file), detail=f"{type(error).__name__}: {error}"
        ) from error
    if not isinstance(value, dict):
        raise EngineError(FaultKind.CONFIG_INVALID, path=str(file), detail="not an object")
    return value


def read_text(file: Path) -> str:
    """A text file's content.

    Raises:
        EngineError: FILE_UNREADABLE.
    """
    try:
        return file.read_text(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        raise EngineError(
            FaultKind.FILE_UNREADABLE, path=str(file), reason=str(error.strerror)
        ) from error
