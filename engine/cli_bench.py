"""``python -m engine bench``: its options, and what it prints."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from engine.cli_options import add_model, within
from engine.cli_talk import stopped
from engine.job_events import tell

_COUNT = within(int, 1)


def add_bench(parser: argparse.ArgumentParser) -> None:
    """The options of a measurement."""
    add_model(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument(
        "--events", action="store_true", help="one JSON object a line, for another program"
    )
    parser.add_argument("--rounds", type=_COUNT, default=5, help="medians are over so many")
    parser.add_argument(
        "--prompt-tokens", type=_COUNT, default=512, help="of the prefill measured, about"
    )
    parser.add_argument("--decode-tokens", type=_COUNT, default=128, help="of the reply measured")
    parser.add_argument(
        "--against", choices=["llama.cpp"], help="run it on the same GGUF file in the same rounds"
    )
    parser.add_argument(
        "--peer", type=Path, metavar="PATH",
        help="a Python program or a site-packages folder that has llama-cpp-python",
    )  # fmt: skip
    parser.add_argument("--peer-model", metavar="MODEL", help="another GGUF file for the peer")
    parser.add_argument(
        "--busy", type=within(int, 0, 64), default=0, metavar="PROCESSES",
        help="others that compute meanwhile",
    )  # fmt: skip


def bench(options: argparse.Namespace) -> int:
    """Measure a model and print the figures; the exit status."""
    # these load the engine's libraries
    from engine.bench.measure import measure  # noqa: PLC0415
    from engine.bench.peer import PeerError  # noqa: PLC0415
    from engine.bench.report import report  # noqa: PLC0415

    if options.against is None and (options.peer or options.peer_model):
        print("--peer and --peer-model belong to --against llama.cpp.", file=sys.stderr)
        return 1
    try:
        result = measure(options)
    except PeerError as error:
        print(error, file=sys.stderr)
        return 1
    if result is None:
        return stopped()
    if options.events:
        tell("measured", **asdict(result))
    else:
        print(json.dumps(asdict(result)) if options.json else report(result))
    return 0
