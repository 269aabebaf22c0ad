"""What a model is said to need is what it takes, within a twentieth, for every model at hand."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.bench.fit import measured

READ = 1024  # tokens; the rest of the cache is touched (see ``tests/bench/fit.py``)


@pytest.mark.journey
@pytest.mark.skipif(sys.platform != "linux", reason="the constants were measured on Linux")
@pytest.mark.parametrize(
    ("model", "context"),
    # a long context on the model with the dearest cache, a short one on the largest vocabulary;
    # the other two are measured by the table of tests/bench/fit.py
    [("starter_model", 8192), ("gemma_model", 2048)],
)
def test_what_is_said_to_be_taken_is_the_measured_peak(
    model: str, context: int, request: pytest.FixtureRequest
) -> None:
    path: Path = request.getfixturevalue(model)
    figures = measured(path, context, READ)
    if not _is_close(figures):  # kernels that are compiled at their first start take memory too
        figures = measured(path, context, READ)
    assert _is_close(figures), figures


def _is_close(figures: dict[str, int]) -> bool:
    return abs(figures["said"] / figures["peak"] - 1) <= 0.05
