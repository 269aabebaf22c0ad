"""Memory in large pieces: aligned, zeroed, never shared, and side by side where it was reserved."""

from __future__ import annotations

import pytest

from engine.kernels.cpu.memory import ALIGNMENT, HUGE_PAGE, SLAB, Arena

LARGE = SLAB // 2 + 32


@pytest.mark.parametrize("reserve", [0, 3 * LARGE, LARGE // 2])
def test_pieces_are_aligned_zeroed_and_apart(reserve: int) -> None:
    arena = Arena(reserve)
    pieces = [arena.take(size) for size in (LARGE, 1, LARGE, 100, SLAB - 1, 5000, LARGE)]
    for number, piece in enumerate(pieces):
        assert piece.ctypes.data % ALIGNMENT == 0
        assert not piece[:1].any()
        assert not piece[-1:].any()
        piece[:] = number + 1
    for number, piece in enumerate(pieces):
        assert piece[0] == piece[-1] == number + 1


def test_reserved_pieces_lie_side_by_side() -> None:
    """A piece with a mapping of its own ends in a huge page that nothing else uses."""
    arena = Arena(8 * LARGE)
    places = [arena.take(LARGE).ctypes.data for _ in range(8)]
    assert places[0] % HUGE_PAGE == 0
    step = -(-LARGE // ALIGNMENT) * ALIGNMENT
    assert [place - places[0] for place in places] == [number * step for number in range(8)]
