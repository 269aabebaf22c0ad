"""Codes and scales: what searching, and GPTQ, gain over rounding to the nearest."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from engine.contract import EngineError, FaultKind
from engine.library.recipes import Scheme
from engine.quantization.gptq import round_gptq
from engine.quantization.polishing import damped, polish, round_polished
from engine.quantization.rounding import error_of, limits, round_nearest, round_searched


def outliers(rows: int = 64, columns: int = 128) -> tuple[Tensor, Tensor]:
    """A matrix, and correlated inputs of which some columns are thirty times as large."""
    torch.manual_seed(1)
    weight = torch.randn(rows, columns) * 0.05
    mixing = torch.randn(columns, columns) / columns**0.5 + torch.eye(columns)
    x = torch.randn(512, columns) @ mixing
    x[:, 3::31] *= 30
    return weight, x


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("group", [32, 64, 128])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_codes_stay_in_their_range_and_near_the_weight(
    bits: int, group: int, dtype: torch.dtype
) -> None:
    weight, _ = outliers()
    low, high = limits(bits)
    for rounded in (
        round_nearest(weight, Scheme(bits, group), dtype),
        round_searched(weight, Scheme(bits, group), dtype),
    ):
        assert rounded.codes.dtype == torch.int8
        assert rounded.scale.dtype == dtype
        assert int(rounded.codes.min()) >= low
        assert int(rounded.codes.max()) <= high
        assert error_of(weight, rounded) < (0.15 if bits == 4 else 0.012)


def test_a_group_of_zeros_stays_zero() -> None:
    weight = torch.zeros(2, 64)
    weight[0, 0] = 1
    rounded = round_searched(weight, Scheme(4, 32), torch.bfloat16)
    assert torch.equal(rounded.weight, weight)


def output_error(weight: Tensor, rounded: Tensor, x: Tensor) -> float:
    """Of ``x @ wᵀ``, relative."""
    return float(((weight - rounded) @ x.T).norm() / (weight @ x.T).norm())


def test_searching_beats_the_nearest_and_gptq_beats_both_on_outlier_channels() -> None:
    weight, x = outliers()
    scheme, hessian = Scheme(4, 32), x.T @ x / len(x)
    nearest = output_error(weight, round_nearest(weight, scheme, torch.bfloat16).weight, x)
    searched = round_searched(weight, scheme, torch.bfloat16, hessian.diagonal())
    found = output_error(weight, searched.weight, x)
    gptq = output_error(weight, round_gptq(weight, scheme, torch.bfloat16, hessian).weight, x)
    assert found < 0.8 * nearest
    assert gptq < 0.9 * found


@pytest.mark.parametrize("group", [32, 128])
def test_polishing_gains_on_correlated_inputs_and_never_loses(group: int) -> None:
    weight, x = outliers()
    scheme, hessian = Scheme(4, group), damped(x.T @ x / len(x))
    for first in (
        round_nearest(weight, scheme, torch.bfloat16),
        round_searched(weight, scheme, torch.bfloat16, hessian.diagonal()),
        round_gptq(weight, scheme, torch.bfloat16, hessian),
    ):
        before, after = first, polish(weight, first, scheme, hessian)
        assert _product_error(weight, after.weight, hessian) <= 1.0001 * _product_error(
            weight, before.weight, hessian
        )
        assert int(after.codes.min()) >= -8
        assert int(after.codes.max()) <= 7
    searched = round_searched(weight, scheme, torch.bfloat16, hessian.diagonal())
    polished = round_polished(weight, scheme, torch.bfloat16, x.T @ x / len(x))
    assert output_error(weight, polished.weight, x) < 0.8 * output_error(weight, searched.weight, x)


def test_shrinking_keeps_squares_and_takes_from_what_columns_share() -> None:
    x = torch.randn(6, 32, generator=torch.Generator().manual_seed(2))  # fewer rows than columns
    x[:, 7] = 0
    hessian = x.T @ x / len(x)
    found = damped(hessian)
    apart = ~torch.eye(32, dtype=torch.bool)
    assert torch.allclose(found[apart], hessian[apart] * 0.6)
    floor = 1e-3 * float(hessian.diagonal().mean())
    assert torch.allclose(found.diagonal(), hessian.diagonal() + floor)
    assert int(torch.linalg.cholesky_ex(found)[1]) == 0  # positive definite, unlike the text's own


def _product_error(weight: Tensor, rounded: Tensor, hessian: Tensor) -> float:
    wrong = weight - rounded
    return float(((wrong @ hessian) * wrong).sum())


def test_gptq_survives_inputs_that_never_vary() -> None:
    weight, _ = outliers()
    hessian = torch.zeros(128, 128)
    hessian[0, 0] = 1
    rounded = round_gptq(weight, Scheme(4, 32), torch.bfloat16, hessian)
    assert error_of(weight, rounded) < 0.3


def test_sizes_that_no_kernel_reads_are_refused() -> None:
    with pytest.raises(EngineError) as caught:
        Scheme(4, 48)
    assert caught.value.fault.kind is FaultKind.SETTING_INVALID
