"""A model that an 8-bit KV cache would change is told before anybody talks with it (case E26)."""

from __future__ import annotations

from pathlib import Path

from engine.cache_check import MOST_DIVERGENCE, cache_notices
from engine.contract import NoticeKind
from engine.kernels.reference import ReferenceKernels
from tests.families.cache_bits_table import OUTLIER, divergence, with_keys
from tests.families.parity import some_ids


def test_E26_keys_with_outliers_are_measured_and_told(tmp_path: Path) -> None:
    """One scale a head: beside ± 150 a value of 1 has a single step, and scores are lost."""
    ids, kernels = some_ids(97, 90), ReferenceKernels()
    broken = with_keys(tmp_path / "outliers", OUTLIER)
    (notice,) = cache_notices(broken, kernels, kernels.device, ids)
    assert notice.kind is NoticeKind.CACHE_INEXACT
    told = notice.figures["divergence"]
    assert isinstance(told, float)
    assert told >= MOST_DIVERGENCE
    # other tokens of the same model lose as much: the short text is enough
    assert 0.5 < told / divergence(broken) < 2
    sound = with_keys(tmp_path / "sound", 0.0)
    assert cache_notices(sound, kernels, kernels.device, ids) == ()
    assert divergence(sound) < 1e-3
