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


def test_drift_counts_every_token_by_the_logarithm_of_its_divergence() -> None:
    """With two tokens and a source that is sure, the divergence is -log of what the copy gives."""
    wanted = torch.tensor([0.0, 1e-7, 2e-5, 1e-3, 0.2, 3.0], dtype=torch.float64)
    sure = torch.tensor([[0.0, -1e4]]).repeat(len(wanted), 1)
    given = (-wanted).exp()
    ours = torch.stack([given.log(), (1 - given).clamp(1e-300).log()], -1)
    found = Comparison()
    found.add(sure, ours, torch.zeros(len(wanted), dtype=torch.long))
    got = found.likeness()
    assert sum(got.drift) == len(wanted)
    assert len(got.drift) == 18
    # 2e-5 lies 0.3 decades above the left edge, 1e-3 two, 0.2 four and a third; each step is 5 / 18
    assert [n for n, count in enumerate(got.drift) if count] == [0, 1, 7, 15, 17]
    assert got.drift[0] == 2
