"""``python -m engine quantize``: its options, and what it prints."""

from __future__ import annotations

import argparse
import signal
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.cli_options import model_path
from engine.cli_words import bytes_text
from engine.job_events import tell
from engine.library.identify import identify
from engine.library.partial_copies import discard, partial_folder

if TYPE_CHECKING:
    from engine.quantization.job import Made
    from engine.quantization.scheme import Recipe

STOPPED_STATUS = 130


def add_quantize(parser: argparse.ArgumentParser) -> None:
    """The options of making a smaller copy."""
    parser.add_argument("source", help="a GGUF file, a model folder, a name, or: starter")
    parser.add_argument("target", type=Path, help="the folder that will hold the copy")
    parser.add_argument(
        "--to", choices=("8", "4", "4-small"), help="else 8 below 3 billion parameters, else 4"
    )
    parser.add_argument("--bits", type=int, choices=(4, 8), help="of a weight")
    parser.add_argument("--group", type=int, choices=(32, 64, 128), help="columns a scale")
    parser.add_argument(
        "--method", choices=("nearest", "search", "awq", "gptq"), help="how codes are found"
    )
    parser.add_argument(
        "--kept", type=float, metavar="SHARE", help="of the layers' weights, kept in 8 bits"
    )
    parser.add_argument(
        "--calibration", type=Path, metavar="FILE", help="a text in place of the bundled ones"
    )
    parser.add_argument("--discard", action="store_true", help="throw what was begun away, and end")
    parser.add_argument(
        "--events", action="store_true", help="one JSON object a line, for another program"
    )


def quantize(options: argparse.Namespace) -> int:
    """Make the copy; the exit status.

    Ctrl-C throws away what was begun; a request to end (SIGTERM) or a kill leaves it, and the same
    command goes on from there.
    """
    target = options.target.absolute()
    if options.discard:
        discard(target)
        return 0
    signal.signal(signal.SIGTERM, _end)
    path = model_path(options.source)
    facts = identify(path)
    # these load the engine's libraries
    from engine.quantization.job import Job  # noqa: PLC0415
    from engine.quantizing import open_source  # noqa: PLC0415

    show = _tell if options.events else _Line()
    try:
        source = open_source(path, options.calibration)
        made = Job(source, target, _recipe(options, facts.parameters), show).run()
    except KeyboardInterrupt:
        discard(target)
        raise
    except SystemExit:
        print(f"Stopped; what is done is kept in {partial_folder(target)}", file=sys.stderr)
        raise
    size = identify(target).size_bytes
    if options.events:
        tell("made", path=str(target), size=size, **made)
    else:
        print(f"\r{target}: {bytes_text(size)}, {made['bits_per_weight']} bits a weight")
    return 0


def _recipe(options: argparse.Namespace, parameters: int) -> Recipe:
    from engine.quantization.scheme import (  # noqa: PLC0415
        PRESETS,
        Method,
        Recipe,
        Scheme,
        recommended,
    )

    given = {"bits": options.bits, "group": options.group}
    changes = {name: value for name, value in given.items() if value is not None}
    base = PRESETS[options.to or recommended(parameters)]
    if options.bits is not None and options.to is None:
        base = Recipe(Scheme(options.bits, 32))
    recipe = replace(base, scheme=replace(base.scheme, **changes))
    if options.method is not None:
        recipe = replace(recipe, method=Method(options.method))
    return recipe if options.kept is None else replace(recipe, kept_share=options.kept)


def _tell(made: Made) -> None:
    values: dict[str, Any] = asdict(made)
    tell("progress", **values)


class _Line:
    """How far it is, on one line of the terminal."""

    def __call__(self, made: Made) -> None:
        left = f", {made.seconds_left:.0f} s left" if made.seconds_left >= 0 else ""
        print(f"\r{made.stage} {made.done}/{made.total}{left}   ", end="", file=sys.stderr)
        if made.stage == "verifying":
            print(file=sys.stderr)


def _end(number: int, frame: object) -> None:
    raise SystemExit(STOPPED_STATUS)
