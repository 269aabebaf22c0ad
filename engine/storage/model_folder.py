"""Which files make up a model, and in which format. Standard library only.

A folder from the hub holds ``config.json`` and one safetensors file, or several with an index that
says which tensor is where. Pickled checkpoints run code when they are opened and are refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.contract import EngineError, FaultKind

GGUF, SAFETENSORS = "gguf", "safetensors"
PICKLES = frozenset({".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle"})
_OLDER_QUANTIZATION = {"quantize_config.json": "gptq", "quant_config.json": "awq"}
INDEX = "model.safetensors.index.json"
_SHARD = re.compile(r"(?P<stem>.+)-(?P<number>\d{5})-of-(?P<count>\d{5})\.safetensors")
# the same weights a second time in another naming, or no language model at all
_BESIDE = ("consolidated", "adapter_model", "training_args", "optimizer")


def format_of(path: Path) -> str:
    """``"gguf"`` or ``"safetensors"``, by what is there, not by the name alone.

    Raises:
        EngineError: ``FILE_MISSING``, ``FILE_UNREADABLE``, ``PICKLE_REFUSED``,
            ``FORMAT_UNSUPPORTED``.
    """
    if path.is_dir():
        return SAFETENSORS
    if path.exists() and not path.is_file():  # opening a pipe waits for who never writes
        raise EngineError(FaultKind.FORMAT_UNSUPPORTED, path=str(path), format="unknown")
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except FileNotFoundError:
        raise EngineError(FaultKind.FILE_MISSING, path=str(path)) from None
    except OSError as error:
        raise EngineError(
            FaultKind.FILE_UNREADABLE, path=str(path), reason=error.strerror or str(error)
        ) from error
    suffix = path.suffix.lower()
    if magic == b"GGUF" or suffix == ".gguf":  # a damaged GGUF file is its reader's to name
        return GGUF
    if suffix == ".safetensors":
        return SAFETENSORS
    if suffix in PICKLES:
        raise EngineError(FaultKind.PICKLE_REFUSED, path=str(path))
    raise EngineError(FaultKind.FORMAT_UNSUPPORTED, path=str(path), format=suffix or path.name)


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object from a file.

    Raises:
        EngineError: ``FILE_MISSING``, ``FILE_UNREADABLE``, ``CONFIG_INVALID``.
    """
    try:
        content = json.loads(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        raise EngineError(FaultKind.FILE_MISSING, path=str(path)) from None
    except OSError as error:
        raise EngineError(
            FaultKind.FILE_UNREADABLE, path=str(path), reason=error.strerror or str(error)
        ) from error
    except (ValueError, RecursionError) as error:
        raise EngineError(
            FaultKind.CONFIG_INVALID, path=str(path), detail=f"not JSON: {error}"
        ) from error
    if not isinstance(content, dict):
        raise EngineError(FaultKind.CONFIG_INVALID, path=str(path), detail="not an object")
    return content


def read_config(folder: Path) -> dict[str, Any]:
    """``config.json``, with the quantization that older tools wrote into a file of its own."""
    config = read_json(folder / "config.json")
    for name, method in _OLDER_QUANTIZATION.items():
        if "quantization_config" not in config and (folder / name).is_file():
            config["quantization_config"] = {"quant_method": method, **read_json(folder / name)}
    return config


def weight_files(path: Path) -> Sequence[Path]:
    """The safetensors files of a model, each of them there.

    Args:
        path: a folder, or one file of it.

    Raises:
        EngineError: ``FILE_MISSING`` (a shard, or any weights at all), ``PICKLE_REFUSED``,
            ``FORMAT_UNSUPPORTED``, ``CONFIG_INVALID`` (an index that is not one).
    """
    folder = path if path.is_dir() else path.parent
    index = folder / INDEX
    if index.is_file() and (path.is_dir() or path.name in _indexed_names(index)):
        return _present(folder / name for name in _indexed_names(index))
    if path.is_file():
        return _all_shards(path)
    found = sorted(p for p in folder.glob("*.safetensors") if not p.name.startswith(_BESIDE))
    if not found:
        raise _no_weights(folder)
    whole = folder / "model.safetensors"
    return [whole] if whole in found else _all_shards(found[0])


def weight_map(path: Path) -> Mapping[str, str]:
    """Tensor name to file name, as the folder's index has it; empty without an index."""
    folder = path if path.is_dir() else path.parent
    index = folder / INDEX
    return _weight_map(index) if index.is_file() else {}


def _weight_map(index: Path) -> dict[str, str]:
    table = read_json(index).get("weight_map")
    if not isinstance(table, dict) or not all(isinstance(v, str) for v in table.values()):
        raise EngineError(FaultKind.CONFIG_INVALID, path=str(index), detail="weight_map")
    outside = [name for name in table.values() if Path(name).name != name]
    if outside:  # an index must not reach into other folders
        raise EngineError(FaultKind.CONFIG_INVALID, path=str(index), detail=outside[0])
    return table


def _indexed_names(index: Path) -> list[str]:
    return sorted(set(_weight_map(index).values()))


def _all_shards(path: Path) -> list[Path]:
    """The file alone, or all of its shards where its name says that there are some."""
    match = _SHARD.fullmatch(path.name)
    if match is None:
        return [path]
    stem, count = match["stem"], match["count"]
    return _present(
        path.with_name(f"{stem}-{number:05}-of-{count}.safetensors")
        for number in range(1, int(count) + 1)
    )


def _present(paths: Any) -> list[Path]:
    found = list(paths)
    for path in found:
        if not path.is_file():
            raise EngineError(FaultKind.FILE_MISSING, path=str(path))
    return found


def _no_weights(folder: Path) -> EngineError:
    names = sorted(p.name for p in folder.iterdir()) if folder.is_dir() else []
    for name in names:
        if Path(name).suffix.lower() in PICKLES:
            return EngineError(FaultKind.PICKLE_REFUSED, path=str(folder / name))
    if any(name.startswith("adapter_model") for name in names):
        return EngineError(FaultKind.FORMAT_UNSUPPORTED, path=str(folder), format="adapter")
    return EngineError(FaultKind.FILE_MISSING, path=str(folder / "model.safetensors"))
