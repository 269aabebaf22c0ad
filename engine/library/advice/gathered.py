"""Facts made of what the engine told: the load, the reply's text, a copy's report."""

from __future__ import annotations

import zlib
from pathlib import Path

from engine.contract import Loaded, LoadSettings
from engine.library.advice.facts import Running
from engine.library.smaller import read_quality


def running_of(
    loaded: Loaded, settings: LoadSettings, keep_minutes: int = 0, same_top: float | None = None
) -> Running:
    """Return a loaded model as the rules see it.

    Args:
        loaded: what the engine told of the load.
        settings: what it was loaded with.
        keep_minutes: of rest, after which it is freed; 0 never.
        same_top: see ``same_top_of``.
    """
    return Running(
        model=loaded.model,
        settings=settings,
        context=loaded.context,
        threads=loaded.threads,
        device=loaded.device,
        memory=loaded.memory,
        usual=loaded.default_sampling,
        can_think=loaded.can_think,
        load_s=loaded.load_s,
        notices={notice.kind: notice.figures for notice in loaded.notices},
        keep_minutes=keep_minutes,
        same_top=same_top,
    )


def same_top_of(path: Path) -> float | None:
    """Return the share of next words in which a copy agrees with its source; None unmeasured."""
    likeness = read_quality(path).report.get("likeness")
    same = likeness.get("same_top") if isinstance(likeness, dict) else None
    return float(same) if isinstance(same, int | float) else None


def packed_share(text: str) -> float:
    """Return how small a packer makes a text, as a share of its bytes; 1 for none."""
    raw = text.encode("utf-8", "surrogatepass")
    return len(zlib.compress(raw, 9)) / len(raw) if raw else 1.0
