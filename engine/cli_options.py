"""The options of the command line, and what they become in the contract."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

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
from engine.library.folders import models_folder
from engine.library.scan import scan
from engine.library.sources import Source, SourceKind, other_sources
from engine.library.starter import starter_path

Number = Callable[[str], float]


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


_SAMPLING: tuple[tuple[str, Number], ...] = (
    ("temperature", within(float, 0, 100)),
    ("top_k", within(int, 0)),
    ("top_p", within(float, 0, 1)),
    ("min_p", within(float, 0, 1)),
    ("typical_p", within(float, 0, 1)),
    ("repetition_penalty", within(float, 0.01, 100)),
    ("frequency_penalty", within(float, -100, 100)),
    ("presence_penalty", within(float, -100, 100)),
    ("seed", int),
)
_TOKENS = within(int, 1)


def add_model(parser: argparse.ArgumentParser, default: str | None = None) -> None:
    """The model and how it is loaded; with a default it may be left out."""
    parser.add_argument(
        "model",
        nargs="?" if default else None,
        default=default,
        help="a GGUF file, a model folder, a name in the model folder, or: starter",
    )
    parser.add_argument("--context", type=_TOKENS, metavar="TOKENS", help="longest conversation")
    parser.add_argument(
        "--device", help="cpu, cuda (all GPUs), cuda:1, mps; else GPUs where there are any"
    )
    parser.add_argument(
        "--gpu-layers",
        type=within(int, 0),
        metavar="LAYERS",
        help="layers on GPUs, the rest on the CPU; else as many as fit",
    )
    parser.add_argument("--threads", type=within(int, 1, 1024), help="that compute on a CPU")
    parser.add_argument(
        "--cache-bits", type=int, default=16, choices=(8, 16), help="bits a value of the KV cache"
    )


def add_generation(parser: argparse.ArgumentParser) -> None:
    """How replies are sampled and where they end."""
    parser.add_argument(
        "--preset", choices=list(PRESETS), default=BALANCED,
        help="the window's presets; balanced is what the model recommends, single values go first",
    )  # fmt: skip
    for name, kind in _SAMPLING:
        parser.add_argument("--" + name.replace("_", "-"), type=kind, metavar=name.upper())
    parser.add_argument(
        "--order", choices=[order.value for order in SamplingOrder], help="of temperature"
    )
    parser.add_argument("--max-tokens", type=_TOKENS, metavar="TOKENS", help="of a reply at most")
    parser.add_argument("--stop", action="append", default=[], help="ends a reply; repeatable")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of text")


def add_conversation(parser: argparse.ArgumentParser) -> None:
    """What belongs to a conversation alone."""
    parser.add_argument("--prompt", help="answer this and end, instead of a conversation")
    parser.add_argument("--system", default="", help="system prompt")
    parser.add_argument(
        "--thinking",
        type=Thinking,
        default=Thinking.AUTO,
        choices=list(Thinking),
        help="for models that can reason",
    )


def load_settings(options: argparse.Namespace) -> LoadSettings:
    """How the model is to be loaded."""
    return LoadSettings(
        options.context, options.device, options.threads, options.cache_bits, options.gpu_layers
    )


def generate_settings(options: argparse.Namespace, defaults: Sampling) -> GenerateSettings:
    """How replies are to be made: the model's defaults with what was given."""
    given: dict[str, Any] = {
        name: value for name, _ in _SAMPLING if (value := getattr(options, name)) is not None
    }
    if options.order is not None:
        given["order"] = SamplingOrder(options.order)
    sampling = replace(PRESETS[options.preset] or defaults, **given)
    return GenerateSettings(sampling, tuple(options.stop), options.max_tokens)


def model_path(name: str) -> Path:
    """Where the named model lies.

    Args:
        name: a path, "starter", or the name of a model in the model folder or in another
            program's, as Ollama's "qwen3:4b".

    Raises:
        EngineError: FILE_MISSING.
    """
    if name == "starter":
        return starter_path()
    path = Path(name).expanduser()
    if path.exists():
        return path
    sources = (Source(SourceKind.OWN, models_folder()), *other_sources())
    for found in scan(sources):
        names = {found.facts.name, found.path.stem, *found.aliases} if found.facts else set()
        if name in names:
            return found.path
    raise EngineError(FaultKind.FILE_MISSING, path=str(path))
