"""Rotation of heads: float32 angles, either layout of the pairs, nothing changed in place."""

from __future__ import annotations

import torch

from engine.layers import frequencies
from engine.layers.rotary import Rotary, apply_rope, half_split_order


def test_E6_positions_beyond_8000_keep_their_distance_in_bfloat16() -> None:
    """A bfloat16 position has 8 bits: 8001 would be 8000, and the angle off by a whole radian."""
    rotary = Rotary(frequencies.plain(10000.0, 64))
    cos, sin = rotary.tables(torch.tensor([8001]))
    assert cos.dtype == sin.dtype == torch.float32
    exact = torch.tensor(8001.0, dtype=torch.float64) * rotary.frequencies.double()
    assert (cos[0].double() - exact.cos()).abs().max() < 1e-3
    x = torch.randn(1, 2, 64)
    turned = apply_rope(x.bfloat16(), cos, sin)
    assert turned.dtype == torch.bfloat16
    assert (turned.float() - apply_rope(x, cos, sin)).abs().max() < 0.05


def test_scores_depend_on_the_distance_alone() -> None:
    generator = torch.Generator().manual_seed(0)
    q, k = torch.randn(2, 1, 1, 32, generator=generator).unbind()
    rotary = Rotary(frequencies.plain(10000.0, 32))

    def score(i: int, j: int) -> float:
        turned = [apply_rope(x, *rotary.tables(torch.tensor([at]))) for x, at in ((q, i), (k, j))]
        return float((turned[0] * turned[1]).sum())

    assert abs(score(7, 3) - score(107, 103)) < 1e-4
    assert abs(score(7, 3) - score(7, 2)) > 1e-3


def test_dimensions_past_the_rotary_ones_pass_unchanged() -> None:
    x = torch.randn(3, 2, 32)
    before = x.clone()
    cos, sin = Rotary(frequencies.plain(10000.0, 8)).tables(torch.tensor([0, 5, 9]))
    turned = apply_rope(x, cos, sin)
    assert torch.equal(turned[..., 8:], x[..., 8:])
    assert torch.equal(turned[0], x[0]), "position 0 does not turn"
    assert torch.equal(x, before), "the input is not changed"


def test_interleaved_pairs_give_the_same_scores_in_half_split_order() -> None:
    """The definition for interleaved pairs, written out, against reordered rows."""
    generator = torch.Generator().manual_seed(0)
    q, k = torch.randn(2, 1, 1, 16, generator=generator).unbind()
    rotary = Rotary(frequencies.plain(100.0, 8))
    order = half_split_order(heads=1, head_dim=16, rotary_dim=8, offset=4)

    def interleaved(x: torch.Tensor, at: int) -> torch.Tensor:
        y = x.clone()
        for pair in range(4):
            angle = at * rotary.frequencies[pair]
            a, b = x[..., 4 + 2 * pair], x[..., 5 + 2 * pair]
            y[..., 4 + 2 * pair] = a * angle.cos() - b * angle.sin()
            y[..., 5 + 2 * pair] = b * angle.cos() + a * angle.sin()
        return y

    def reordered(x: torch.Tensor, at: int) -> torch.Tensor:
        y = x[..., order]
        turned = apply_rope(y[..., 4:12], *rotary.tables(torch.tensor([at])))
        return torch.cat((y[..., :4], turned, y[..., 12:]), dim=-1)

    want = (interleaved(q, 9) * interleaved(k, 4)).sum()
    got = (reordered(q, 9) * reordered(k, 4)).sum()
    torch.testing.assert_close(got, want)
