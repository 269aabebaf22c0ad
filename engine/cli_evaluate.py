"""``python -m engine evaluate``: its options, and what it prints."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.cli_ask import add_ask, ask
from engine.cli_options import model_path, within
from engine.cli_sizes import bytes_text
from engine.contract import EngineError, FaultKind, FinishReason
from engine.job_events import tell, tell_progress
from engine.library.copy_facts import QUALITY, REPORT_TOKENS
from engine.startup import load_libraries

if TYPE_CHECKING:
    from engine.evaluating import QualityReport, Spoken

_BAR = 40  # characters of the longest bar


def add_evaluate(parser: argparse.ArgumentParser) -> None:
    """The options of a quality report."""
    parser.add_argument("model", help="a GGUF file, a model folder, a name, or: starter")
    parser.add_argument(
        "--against", metavar="SOURCE", help="the model that it was made of; without, --ask alone"
    )
    parser.add_argument(
        "--tokens", type=within(int, 2, 1024), default=512, help="of each of the two texts"
    )
    parser.add_argument(
        "--keep",
        action=argparse.BooleanOptionalAction,
        help=f"write it into the copy's folder, as {QUALITY}, where the window finds it; "
        "by default where the folder says that it was made of SOURCE, or has no report yet",
    )
    add_ask(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument(
        "--events", action="store_true", help="one JSON object a line, for another program"
    )


def evaluate(options: argparse.Namespace) -> int:
    """Compare a model with the one that it was made of, or ask both; the exit status.

    Raises:
        EngineError: what is wrong with them; SETTING_INVALID where nothing is said to compare with.
    """
    copy = model_path(options.model)
    if options.ask is not None:
        return ask(options, copy, model_path(options.against) if options.against else None)
    if options.against is None:
        allowed = "the model that it was made of, or --ask for the copy alone"
        raise EngineError(
            FaultKind.SETTING_INVALID, name="--against", value="left out", allowed=allowed
        )
    return _report(options, copy, model_path(options.against))


def _report(options: argparse.Namespace, copy: Path, source: Path) -> int:
    for _ in load_libraries(0):
        pass
    # behind the engine's libraries
    import torch  # noqa: PLC0415

    from engine import evaluating  # noqa: PLC0415
    from engine.device import out_of_memory_named  # noqa: PLC0415

    show = tell_progress if options.events else _show
    try:
        with out_of_memory_named(torch.device("cpu")):
            found = evaluating.evaluate(copy, source, int(options.tokens), show)
    except KeyboardInterrupt:
        print(file=sys.stderr)  # below the line that says how far it was
        raise
    values = {"source_path": str(source.absolute()), **evaluating.as_json(found)}
    made_of = evaluating.made_of(copy)
    is_first = bool(made_of) and not (copy / QUALITY).exists()
    wanted = is_first or made_of == source.name if options.keep is None else options.keep
    try:
        if options.events:
            tell("evaluated", **values)
        else:
            print(json.dumps(values) if options.json else _readable(found))
    finally:  # whatever reads it may have left
        if wanted:
            _keep(copy, values)
            print(f"\nKept in {copy / QUALITY}", file=sys.stderr)
    return 0


def _keep(copy: Path, values: Mapping[str, Any]) -> None:
    try:
        (copy / QUALITY).write_text(json.dumps(values, ensure_ascii=False, indent=1), "utf-8")
    except OSError as error:
        reason = error.strerror or str(error)
        raise EngineError(FaultKind.FILE_UNREADABLE, path=str(copy), reason=reason) from error


def _show(stage: str, done: int, total: int) -> None:
    print(f"\r{stage} {done}/{total}   ", end="", file=sys.stderr)


def _readable(found: QualityReport) -> str:
    like, most = found.likeness, max(found.errors, default=0.0)
    lines = [
        "",
        f"{like.tokens:,} tokens of English and Chinese text",
        f"KL divergence     {like.divergence:.4f} nats a token "
        f"(half below {like.half_below:.4f}, 99 % below {like.most_below:.3f})",
        f"same first choice {like.same_top:.1%}",
        f"perplexity        {like.perplexity:.2f}, source {like.source_perplexity:.2f}",
    ]
    for title, one in (("copy", found.copy), ("source", found.source)):
        lines.append(
            f"{title:17} {bytes_text(one.size)}, {one.bits_per_weight:.2f} bits a weight, "
            f"{one.tokens_per_second} tokens/s measured"
        )
    for layer, error in enumerate(found.errors):
        lines.append(f"layer {layer:<11} {error:.4f} {'#' * round(_BAR * error / most)}")
    lines += ["", found.question, "", f"source: {_reply(found.source)}"]
    lines += ["", f"copy:   {_reply(found.copy)}"]
    if FinishReason.LENGTH in {found.source.ended, found.copy.ended}:
        lines += ["", f"A report's answers have {REPORT_TOKENS} tokens at most; --ask lets both go"]
        lines[-1] += " on, as far as --max-tokens says."
    return "\n".join(lines)


def _reply(one: Spoken) -> str:
    """What one of them said; where the limit ended it, it says so."""
    cut = f" … (ended at {one.tokens} tokens)" if one.ended == FinishReason.LENGTH else ""
    return f"{one.reply.strip()}{cut}"
