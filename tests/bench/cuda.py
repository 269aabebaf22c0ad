"""The day a GPU is at hand: ``python tests/bench/cuda.py`` says whether the CUDA kernels are right.

Every kernel and whole decoders are compared with the reference on the GPU. Without a GPU it says so
and ends with status 3; with ``--interpret`` the comparison runs on the CPU under Triton's
interpreter. Ends with status 1 if a comparison fails; ``--json`` prints the results as one object.
"""

from __future__ import annotations

import argparse
import json
import sys
import traceback
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).parents[2]))

NO_GPU = 3


def main() -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--interpret", action="store_true", help="on the CPU, without a GPU")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    options = parser.parse_args()
    if options.interpret:
        from tests.kernels.cuda_interpreter import interpret

        interpret()
    import torch

    if not options.interpret and not torch.cuda.is_available():
        print("There is no CUDA device here, so nothing was measured.")
        return NO_GPU
    results = check(torch.device("cpu" if options.interpret else "cuda"), quiet=options.json)
    if options.json:
        print(json.dumps(results))
    return int(any(results.values()))


def check(device: object, quiet: bool) -> dict[str, str]:
    """Run every check; what went wrong by the check's name, empty where nothing did."""
    from tests.kernels.cuda_checks import CHECKS, Place

    results: dict[str, str] = {}
    for name, run in CHECKS.items():
        begin = perf_counter()
        try:
            run(Place(device))  # type: ignore[arg-type]
        except Exception:  # noqa: BLE001 - whatever it is, the other checks are of interest too
            results[name] = traceback.format_exc(limit=-4)
        else:
            results[name] = ""
        if not quiet:
            outcome = results[name] or "as the reference"
            print(f"{name.replace('_', ' '):40} {outcome} ({perf_counter() - begin:.1f} s)")
    return results


if __name__ == "__main__":
    sys.exit(main())
