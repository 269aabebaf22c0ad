"""The figures of the quality report against their definitions."""

from __future__ import annotations

import pytest
import torch

from engine.quantization.likeness import Comparison


def test_a_model_is_like_itself() -> None:
    logits, targets = torch.randn(9, 30), torch.arange(9)
    same = Comparison()
    same.add(logits, logits, targets)
    found = same.likeness()
    assert found.divergence == pytest.approx(0, abs=1e-6)
    assert found.same_top == 1
    assert found.perplexity == pytest.approx(found.source_perplexity)


def test_the_figures_are_their_definitions_however_they_are_added() -> None:
    torch.manual_seed(2)
    theirs, ours, targets = torch.randn(8, 20), torch.randn(8, 20), torch.arange(8)
    found = Comparison()
    for some in (slice(0, 3), slice(3, 8)):
        found.add(theirs[some], ours[some], targets[some])
    got = found.likeness()
    p, q = theirs.double().softmax(-1), ours.double().softmax(-1)
    assert got.divergence == pytest.approx(float((p * (p / q).log()).sum(-1).mean()), rel=1e-5)
    assert got.same_top == float((p.argmax(-1) == q.argmax(-1)).float().mean())
    chosen = q[torch.arange(8), targets]
    assert got.perplexity == pytest.approx(float((-chosen.log().mean()).exp()), rel=1e-5)
    assert got.tokens == 8
