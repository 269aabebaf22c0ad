"""A smaller copy through the real window, offscreen: ``quantize_journey.py MODEL.gguf``.

The file becomes a folder of bf16 first. The page makes a copy of it, compares both, and loads it by
the report's button; then transformers loads the copy's folder as it is, and its logits are set
beside ours. All of it in a home of its own that goes afterwards.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import torch
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.chat.shrinking import ShrinkPhase
from tests.journeys.conftest import Person
from tests.journeys.desk import Desk, ours, theirs, write_folder

_STEP_MS = 20


class Patience:
    """Waits as pytest-qt does."""

    def waitUntil(self, claim: Callable[[], bool], *, timeout: int) -> None:
        """Wait until it holds."""
        end = time.monotonic() + timeout / 1000
        while not claim():
            if time.monotonic() > end:
                raise TimeoutError
            QTest.qWait(_STEP_MS)

    def waitExposed(self, widget: QWidget) -> None:
        """Wait until a window is on screen."""
        QTest.qWaitForWindowExposed(widget)


def journey(model: Path, size: str, home: Path) -> None:
    """Go through it and print what was found."""
    source = write_folder(model, home / model.stem)
    person = Person(QApplication([]), Patience())
    try:
        person.start(source)  # with no model at all, the window would lead back to the welcome
        desk = Desk(person)
        desk.choose(source)
        began = time.monotonic()
        copy = desk.start(size)
        desk.reach(ShrinkPhase.COMPARING)
        made = time.monotonic()
        desk.reach(ShrinkPhase.DONE)
        done = time.monotonic()
        print(f"made in {made - began:.0f} s, compared in {done - made:.0f} s")
        _show(desk.work.state.report)
        print("asked in the chat:", desk.use(copy).strip())
    finally:
        person.leave()
    mine, other = ours(copy), theirs(copy)
    print(
        f"logits: at most {(mine - other).abs().max():.1e} apart from transformers', "
        f"which are up to {other.abs().max():.1f}; the same first choice "
        f"{(mine.argmax(-1) == other.argmax(-1)).float().mean():.1%}"
    )


def _show(report: dict[str, dict[str, float]]) -> None:
    like, one, before = report["likeness"], report["copy"], report["source"]
    print(f"{like['tokens']} held-out tokens: KL divergence {like['divergence']:.4f} nats a token,")
    print(f"the same first choice {like['same_top']:.1%},", end=" ")
    print(f"perplexity {like['perplexity']:.2f} against {like['source_perplexity']:.2f}")
    for each in (before, one):
        print(
            f"{each['name']}: {each['size'] / 1e6:.1f} MB, {each['bits_per_weight']:.2f} bits, "
            f"{each['tokens_per_second']} tokens/s, says: {str(each['reply']).strip()}"
        )


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path, help="a GGUF file")
    parser.add_argument("--to", choices=("8", "4", "4-small"), default="4")
    options = parser.parse_args()
    torch.set_grad_enabled(False)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["INKSTONE_HOME"] = str(Path(folder, "home"))
        journey(options.model.absolute(), options.to, Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
