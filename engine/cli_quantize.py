"""``python -m engine quantize``: its options, and what it prints."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.cli_options import model_path, within
from engine.cli_sizes import bytes_text
from engine.contract import EngineError, FaultKind
from engine.job_events import tell
from engine.library.identify import identify
from engine.library.partial_copies import discard, partial_folder

if TYPE_CHECKING:
    from engine.library.recipes import Recipe
    from engine.quantization.job import Made

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
        "--kept",
        type=within(float, 0, 1),
        metavar="SHARE",
        help="of the layers' weights, kept in 8 bits",
    )
    parser.add_argument(
        "--calibration",
        type=Path,
        metavar="FILE",
        help="a text that 4 bits read twice, in place of the bundled ones",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object at the end")
    parser.add_argument("--discard", action="store_true", help="throw what was begun away, and end")
    parser.add_argument(
        "--events", action="store_true", help="one JSON object a line, for another program"
    )


def quantize(options: argparse.Namespace) -> int:
    """Make the copy; the exit status.

    Ctrl-C, a request to end (SIGTERM) and a kill leave what was begun, and the same command goes on
    from there; ``--discard`` throws it away.
    """
    target = options.target.absolute()
    if options.discard:
        discard(target)
        return 0
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    path = model_path(options.source)
    facts = identify(path)
    if not facts.writes:
        raise EngineError(FaultKind.MODEL_WRITES_NOT, path=str(path))
    # these load the engine's libraries
    import torch  # noqa: PLC0415

    from engine.device import out_of_memory_named  # noqa: PLC0415
    from engine.quantization.job import Job, Made  # noqa: PLC0415
    from engine.quantizing import open_source  # noqa: PLC0415

    torch.set_num_threads(max(1, (os.cpu_count() or 2) // 2))  # a conversation goes on beside it
    show = _tell if options.events else _Line()
    try:
        show(Made("starting", 0, 1))
        with out_of_memory_named(torch.device("cpu")):
            source = open_source(path, options.calibration and options.calibration.absolute())
            made = Job(source, target, _recipe(options, facts.parameters), show).run()
    except EngineError:
        if not options.events:
            print(file=sys.stderr)  # below the line that says how far it was
        raise
    except KeyboardInterrupt:
        return _stopped(target)
    _report(options, target, made)
    return 0


def _stopped(target: Path) -> int:
    kept = partial_folder(target)
    print(
        f"\nStopped; what is done is kept in {kept}: the same command goes on from there, "
        "with --discard it is thrown away." if kept.is_dir() else "\nStopped.",
        file=sys.stderr,
    )  # fmt: skip
    return STOPPED_STATUS


def _report(options: argparse.Namespace, target: Path, made: dict[str, Any]) -> None:
    size = identify(target).size_bytes
    if options.events:
        tell("made", path=str(target), size=size, **made)
    elif options.json:
        print(json.dumps({"path": str(target), "size": size, **made}, default=str))
    else:
        print(f"\r{target}: {bytes_text(size)}, {made['bits_per_weight']} bits a weight")


def _recipe(options: argparse.Namespace, parameters: int) -> Recipe:
    from engine.library.recipes import (  # noqa: PLC0415
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
