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
_SQUARES = 4  # square matrices that GPTQ holds beside the sums: damped, root, inverse, its root


def memory_needed(source: Source, plan: Plan, recipe: Recipe) -> int:
    """Bytes of the largest step beside what the process holds already.

    Args:
        source: of the copy; its text is held before and after a layer.
        plan: of its files.
        recipe: GPTQ also holds the products of every two columns of a layer's inputs.
    """
    most = 0
    for number, names in enumerate(plan.files):
        rounded = [name for name in names if name in plan.schemes]
        weights = sum(plan.size(name) * _FLOAT for name in rounded)
        others = sum(plan.size(name) * _FLOAT // 2 for name in names if name not in plan.schemes)
        largest = max((plan.size(name) for name in rounded), default=0)
        # its values by the codes beside the exact ones, and the codes
        step = weights + others + largest * (_FLOAT + 1)
        if recipe.method is Method.GPTQ and number < plan.layers:
            step += _products(source, rounded)
        most = max(most, step)
    return most + _hidden(source, recipe) + _SPARE


def check_memory(source: Source, plan: Plan, recipe: Recipe) -> None:
    """Raise where the copy cannot be made now.

    Raises:
        EngineError: MEMORY_SHORT with the bytes that are needed and free.
    """
    needed, free = memory_needed(source, plan, recipe), int(psutil.virtual_memory().available)
    if needed > free:
        raise EngineError(FaultKind.MEMORY_SHORT, needed=needed, free=free)


def _products(source: Source, names: list[str]) -> int:
    columns = {together(name): source.checkpoint.shape(name)[1] for name in names}
    squares = [count**2 * _FLOAT for count in columns.values()]
    return sum(squares) + _SQUARES * max(squares, default=0)


def _hidden(source: Source, recipe: Recipe) -> int:
    """The text before and after a layer; nothing where no text is read."""
    if recipe.method is Method.NEAREST:
        return 0
    ends = ("embed_tokens.weight", "wte.weight")
    widths = (source.checkpoint.shape(n)[1] for n in source.checkpoint.names() if n.endswith(ends))
    return 2 * source.ids.numel() * next(widths, 0) * _FLOAT
