"""The day a GPU is at hand: ``python tests/bench/cuda.py`` says whether the CUDA kernels are right.

Every kernel, whole decoders and the models named are compared with the reference on the GPU; then
the table of speeds is printed (``cuda_table.py``). Without a GPU it says so and ends with status 3;
with ``--interpret`` the comparison runs on the CPU under Triton's interpreter. Ends with status 1
if a comparison fails; ``--json`` prints the results as one object.
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
    parser.add_argument("models", nargs="*", type=Path, help="model files to compare, too")
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
    failed = any(results.values())
    if not failed and not options.interpret:
        measure(options.models)
    return int(failed)


def measure(models: list[Path]) -> None:
    """Compare real models, and print the table."""
    import torch

    from engine.kernels.cuda.kernels import CudaKernels
    from engine.kernels.cuda.recording import CudaRecorder
    from tests.bench.cuda_table import real_model, table

    device = torch.device("cuda", torch.cuda.current_device())
    recorder = CudaRecorder(device)
    processors = torch.cuda.get_device_properties(device).multi_processor_count
    kernels = CudaKernels(device, torch.bfloat16, recorder, processors)
    for path in models:
        print(real_model(path, kernels), flush=True)
    for line in table(kernels, recorder):
        print(line, flush=True)


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
