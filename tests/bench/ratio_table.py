"""The table of ratios to llama.cpp: ``python tests/bench/ratio_table.py ROW… --peer PYTHON``.

Each row runs ``python -m engine bench --against llama.cpp`` and is printed as Markdown. Files that
do not exist (``random_gguf.py``) are written into ``--folder`` and stay there. Rows: see ``ROWS``.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import random_gguf

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Row:
    """One measurement: the file, the peer's file if another, what is wanted."""

    title: str
    file: str
    decode: float
    prefill: float
    peer_file: str = ""
    busy: int = 0
    tokens: tuple[int, int] = (512, 128)


BIG = (256, 64)
ROWS = {
    "smollm2": Row("SmolLM2-135M Q4_1", "starter", 2.3, 5),
    "smollm2-q4_0": Row(
        "SmolLM2-135M Q4_1, against it as Q4_0", "starter", 1.6, 2, "requantized"
    ),
    "gemma": Row("Gemma-3-270M Q4_K_M", "gemma-3-270m-Q4_K_M", 1.5, 2),
    "q4_0": Row("1.24B random, Q4_0", "q4_0", 1.05, 2, tokens=BIG),
    "q4_k": Row("1.24B random, Q4_K", "q4_k", 1.05, 1.3, tokens=BIG),
    "q8_0": Row("1.24B random, Q8_0", "q8_0", 1.0, 1.8, tokens=BIG),
    "busy": Row("SmolLM2-135M Q4_1, one busy process", "starter", 2.5, 3, busy=1),
}  # fmt: skip


def file_of(name: str, folder: Path) -> str:
    """What ``bench`` takes for a row's file; written first if it is random."""
    if name not in random_gguf.FORMATS and name != "requantized":
        return name
    path = folder / f"{name}.gguf"
    if not path.exists() and name == "requantized":
        sys.path.insert(0, str(ROOT))
        from engine.library.starter import starter_path

        random_gguf.write_requantized(starter_path(), path)
    elif not path.exists():
        random_gguf.write_random(path, random_gguf.FORMATS[name])
    return str(path)


def measure(row: Row, options: argparse.Namespace) -> str:
    """One line of Markdown."""
    prompt, reply = row.tokens
    command = [
        sys.executable, "-m", "engine", "bench", file_of(row.file, options.folder), "--json",
        "--against", "llama.cpp", "--threads", "2", "--rounds", str(options.rounds),
        "--prompt-tokens", str(prompt), "--decode-tokens", str(reply), "--busy", str(row.busy),
        "--context", "2048",
    ]  # fmt: skip
    if options.peer:
        command += ["--peer", options.peer]
    if row.peer_file:
        command += ["--peer-model", file_of(row.peer_file, options.folder)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if ran.returncode:
        return f"| {row.title} | {ran.stderr.strip().splitlines()[-1]} |"
    got = json.loads(ran.stdout)
    cells = [row.title]
    for what, wanted in (("decode", row.decode), ("prefill", row.prefill)):
        rate, ratio = got["ours"][what], got["ratios"][what]
        cells.append(f"{rate['median']:.0f} ({rate['least']:.0f}–{rate['most']:.0f})")
        best = max(side[what]["median"] for side in got["peers"])
        cells.append(f"{best:.0f}")
        cells.append(f"{ratio['median']:.2f} (wanted {wanted:g})")
    share = got["decode_share_of_bandwidth"]
    cells.append(f"{100 * share:.0f} % of {got['read_bytes_per_second'] / 1e9:.1f} GB/s")
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    """Measure the rows asked for, or all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", nargs="*", choices=[*ROWS, []], help="all if none is named")
    parser.add_argument("--peer", help="a Python program or folder that has llama-cpp-python")
    parser.add_argument("--folder", type=Path, default=Path("/tmp"))
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    print("| file | decode | llama.cpp | ratio | prefill | llama.cpp | ratio | decode reads |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name in options.rows or ROWS:
        print(measure(ROWS[name], options), flush=True)


if __name__ == "__main__":
    main()
