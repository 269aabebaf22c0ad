"""How much memory a copy takes while it is made: known before anything is read."""

from __future__ import annotations

import psutil

from engine.contract import EngineError, FaultKind
from engine.library.recipes import Method, Recipe
from engine.quantization.names import together
from engine.quantization.plan import Plan
from engine.quantization.source import Source

_FLOAT = 4  # bytes of what is computed with
_SPARE = 256 << 20  # candidates of the search, one sequence's way through a layer, the libraries'
_POLISHED = 2  # square matrices beside the sums: the mean, and the damped one
_SOLVED = 5  # with GPTQ the mean, the sorted, the damped one, its inverse, that one's root


def memory_needed(source: Source, plan: Plan, recipe: Recipe, *, runs: bool) -> int:
    """Bytes of the largest step beside what the process holds already.

    Args:
        source: of the copy; its text is held before and after a layer.
        plan: of its files.
        recipe: of it.
        runs: whether the text goes through the layers; the products of every two columns of a
            layer's inputs are then held, and what is left of the error while codes are polished.
    """
    most, reads = 0, runs and recipe.method is not Method.NEAREST
    for number, names in enumerate(plan.files):
        rounded = [name for name in names if name in plan.schemes]
        weights = sum(plan.size(name) * _FLOAT for name in rounded)
        others = sum(plan.size(name) * _FLOAT // 2 for name in names if name not in plan.schemes)
        largest = max((plan.size(name) for name in rounded), default=0)
        # its values by the codes beside the exact ones, and the codes
        step = weights + others + largest * (_FLOAT + 1)
        if reads and number < plan.layers:
            squares = _SOLVED if recipe.method is Method.GPTQ else _POLISHED
            step += _products(source, rounded, squares)
            step += largest * (2 * _FLOAT + 1)
        most = max(most, step)
    return most + (_hidden(source) if reads else 0) + _SPARE


def check_memory(source: Source, plan: Plan, recipe: Recipe, *, runs: bool) -> None:
    """Raise where the copy cannot be made now; the arguments are those of ``memory_needed``.

    Raises:
        EngineError: MEMORY_SHORT with the bytes that are needed and free.
    """
    needed = memory_needed(source, plan, recipe, runs=runs)
    free = int(psutil.virtual_memory().available)
    if needed > free:
        raise EngineError(FaultKind.MEMORY_SHORT, needed=needed, free=free)


def disk_beside(source: Source, *, runs: bool) -> int:
    """Bytes on the disk that only the work needs: the text before a layer, and its next state."""
    return _hidden(source) if runs else 0


def _products(source: Source, names: list[str], others: int) -> int:
    """Sums for each set of inputs, and other squares as large as the largest of them."""
    columns = {together(name): source.checkpoint.shape(name)[1] for name in names}
    squares = [count**2 * _FLOAT for count in columns.values()]
    return sum(squares) + others * max(squares, default=0)


def _hidden(source: Source) -> int:
    """The text before and twice after a layer."""
    ends = ("embed_tokens.weight", "wte.weight")
    widths = (source.checkpoint.shape(n)[1] for n in source.checkpoint.names() if n.endswith(ends))
    return 3 * source.ids.numel() * next(widths, 0) * _FLOAT
