"""The options of the command line, and what they become in the contract."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.cli_window import window_settings
from engine.contract import (
    EngineError,
    FaultKind,
    GenerateSettings,
    LoadSettings,
    Sampling,
    SamplingOrder,
    Thinking,
)
from engine.contract.presets import BALANCED, PRESETS
from engine.contract.ranges import LOADING, REPLY, SAMPLING
from engine.contract.setting import Setting, by_key
from engine.library.scan import scan
from engine.library.sources import Source, SourceKind
from engine.library.starter import starter_path
from engine.storage.gguf_split import is_later_part

Number = Callable[[str], float]

_MOST_NAMED = 8  # files of a folder, in one sentence


def within(kind: type[float], least: float, most: float = math.inf) -> Number:
    """Return a reader of numbers from ``least`` to ``most``; argparse says the rest."""

    def read(text: str) -> float:
        try:
            value = kind(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text} is not a number of this kind") from None
        if not least <= value <= most:
            upper = f" to {most:g}" if most < math.inf else " or more"
            raise argparse.ArgumentTypeError(f"{text} is outside {least:g}{upper}")
        return value

    return read


def of_setting(setting: Setting) -> Number:
    """Return a reader of what a setting of the catalogue allows."""

    def read(text: str) -> Any:
        try:
            return setting.parse(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text} is not {allowed(setting)}") from None

    return read


def allowed(setting: Setting) -> str:
    """Say which numbers a setting may be."""
    numbers = f"{setting.low:,} to {setting.high:,}"
    is_apart = setting.off is not None and not setting.low <= setting.off <= setting.high
    return f"{numbers}, or {setting.off:,}" if is_apart else numbers


_LOADING = by_key(LOADING)
_STEPS = tuple(each for each in SAMPLING if not each.choices)
_REPLY = by_key(REPLY)


def add_model(parser: argparse.ArgumentParser, default: str | None = None) -> None:
    """The model and how it is loaded; with a default it may be left out."""
    parser.add_argument(
        "model",
        nargs="?" if default else None,
        default=default,
        help="a GGUF file, a model folder, a name in the model folder, or: starter",
    )
    parser.add_argument(
        "--device", help="cpu, cuda (all GPUs), cuda:1, mps; else GPUs where there are any"
    )
    abouts = {
        "context": "longest conversation",
        "gpu_layers": "on GPUs, the rest on the CPU",
        "threads": "that compute on a CPU",
    }
    for key, about in abouts.items():
        setting = _LOADING[key]
        parser.add_argument(
            "--" + key.replace("_", "-"), type=of_setting(setting), metavar=setting.unit.upper(),
            help=f"{about} ({allowed(setting)}); else as the window has it",
        )  # fmt: skip
    parser.add_argument(
        "--cache-bits", type=int, choices=_LOADING["cache_bits"].choices,
        help="bits a value of the KV cache, else as the window has it",
    )  # fmt: skip


def add_generation(parser: argparse.ArgumentParser) -> None:
    """How replies are sampled and where they end."""
    parser.add_argument(
        "--preset", choices=list(PRESETS), default=BALANCED,
        help="the window's presets; balanced is what the model recommends, single values go first",
    )  # fmt: skip
    for setting in _STEPS:
        parser.add_argument(
            "--" + setting.key.replace("_", "-"), type=of_setting(setting),
            metavar=setting.unit.upper() or "NUMBER", help=allowed(setting),
        )  # fmt: skip
    parser.add_argument(
        "--order", choices=[order.value for order in SamplingOrder], help="of temperature"
    )
    most = within(int, _REPLY["max_tokens"].low, _REPLY["max_tokens"].high)
    parser.add_argument("--max-tokens", type=most, metavar="TOKENS", help="of a reply at most")
    parser.add_argument("--stop", action="append", default=[], help="ends a reply; repeatable")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of text")


def add_conversation(parser: argparse.ArgumentParser) -> None:
    """What belongs to a conversation alone."""
    parser.add_argument("--prompt", help="answer this and end, instead of a conversation")
    parser.add_argument("--system", default="", help="system prompt")
    parser.add_argument(
        "--plain", action="store_true", help="Markdown's source on a terminal, too, as it comes"
    )
    parser.add_argument(
        "--thinking",
        type=Thinking,
        default=Thinking.AUTO,
        choices=list(Thinking),
        help="for models that can reason",
    )


def load_settings(options: argparse.Namespace) -> LoadSettings:
    """How the model is to be loaded: as the window would, but for what was given."""
    return window_settings().load_settings(vars(options))


def generate_settings(options: argparse.Namespace, defaults: Sampling) -> GenerateSettings:
    """How replies are to be made: the model's defaults with what was given."""
    given: dict[str, Any] = {
        each.key: value for each in _STEPS if (value := getattr(options, each.key)) is not None
    }
    if given.get("seed") == -1:
        given["seed"] = None
    if options.order is not None:
        given["order"] = SamplingOrder(options.order)
    sampling = replace(PRESETS[options.preset] or defaults, **given)
    return GenerateSettings(sampling, tuple(options.stop), options.max_tokens)


def model_path(name: str) -> Path:
    """Where the named model lies.

    Args:
        name: a path, "starter", or the name of a model where the window looks: the model
            folder, folders that were added, or another program's, as Ollama's "qwen3:4b".

    Raises:
        EngineError: FILE_MISSING; SETTING_INVALID for no name at all, which as a path is the
            folder one stands in, or for a folder with several models.
    """
    if not name.strip():
        raise EngineError(
            FaultKind.SETTING_INVALID,
            name="the model",
            value="nothing",
            allowed="a file, a folder, a name",
        )
    if name == "starter":
        return starter_path()
    path = Path(name).expanduser()
    if path.exists():
        return _only_file(path)
    for found in scan(window_settings().sources()):
        names = {found.facts.name, found.path.stem, *found.aliases} if found.facts else set()
        if names & {name, f"{name}:latest"}:  # Ollama's tag where none is said
            return found.path
    raise EngineError(FaultKind.FILE_MISSING, path=str(path))


def _only_file(path: Path) -> Path:
    """The GGUF file of a folder that holds one and no other model; else the path itself."""
    if not path.is_dir() or (path / "config.json").exists():
        return path
    files = sorted(file for file in path.glob("*.gguf") if not is_later_part(file))
    if len(files) > 1:
        raise EngineError(
            FaultKind.SETTING_INVALID,
            name="the model",
            value=str(path),
            allowed=", ".join(file.name for file in files[:_MOST_NAMED]) + " in it",
        )
    return files[0] if files else _only_below(path)


def _only_below(folder: Path) -> Path:
    """The one model that lies deeper in a folder that is none, as in a hub's cache.

    Raises:
        EngineError: SETTING_INVALID where there are several, FORMAT_UNSUPPORTED where there are
            none.
    """
    if (folder / "adapter_config.json").exists():
        raise EngineError(FaultKind.FORMAT_UNSUPPORTED, path=str(folder), format="adapter")
    below = [found.path for found in scan([Source(SourceKind.ADDED, folder)])]
    if len(below) > 1:
        named = ", ".join(str(path.relative_to(folder)) for path in below[:_MOST_NAMED])
        raise EngineError(
            FaultKind.SETTING_INVALID, name="the model", value=str(folder), allowed=f"{named} in it"
        )
    if not below:
        raise EngineError(FaultKind.FORMAT_UNSUPPORTED, path=str(folder), format="unknown")
    return below[0]
