"""Starting attention: a step's page tables as tensors, and the two kernels that read them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from engine.kernels.batch import Span
from engine.kernels.cuda import triton_attention
from engine.kernels.cuda.launches import Launches, power_of_two, stored
from engine.kernels.interface import AttentionRule, CacheShape
from engine.kernels.reference_cache import CacheLayer

MOST_SPLITS = 32
BLOCK_TOKENS = 32
BLOCK_ROWS = 64


@dataclass(frozen=True, slots=True)
class Decoding:
    """One new token for each of some sequences, as static tensors.

    Attributes:
        slots: int64 [sequences], where each new token goes; -1 is nowhere.
        lengths: int64 [sequences], tokens in the cache after the step; 0 attends to nothing.
        pages: int32 [sequences, table width].
    """

    slots: Tensor
    lengths: Tensor
    pages: Tensor


@dataclass(frozen=True, slots=True)
class Slices:
    """Several new tokens of some sequences.

    Attributes:
        slots: int64 [tokens], where each new token goes.
        blocks: int32 [blocks, 4]: first row, rows, position of the first row, sequence.
        pages: int32 [sequences, table width].
    """

    slots: Tensor
    blocks: Tensor
    pages: Tensor


Places = Decoding | Slices


def slices_of(spans: tuple[Span, ...], group: int, page_size: int, device: torch.device) -> Slices:
    """The tensors of a step that is more than one token for each sequence, in one group's pages."""
    tables = [span.table(group) for span in spans]
    width = max(len(table) for table in tables)
    slots: list[int] = []
    blocks: list[tuple[int, int, int, int]] = []
    for sequence, (span, table) in enumerate(zip(spans, tables, strict=True)):
        places = range(span.start, span.start + span.tokens)
        slots += [table[p // page_size] * page_size + p % page_size for p in places]
        for row in range(0, span.tokens, BLOCK_ROWS):
            rows = min(BLOCK_ROWS, span.tokens - row)
            blocks.append((span.first + row, rows, span.start + row, sequence))
    pages = [[*table, *[0] * (width - len(table))] for table in tables]
    return Slices(
        torch.tensor(slots, dtype=torch.int64, device=device),
        torch.tensor(blocks, dtype=torch.int32, device=device),
        torch.tensor(pages, dtype=torch.int32, device=device),
    )


def can_attend(shape: CacheShape) -> bool:
    """Whether the kernels hold a head in their tiles."""
    return not shape.values_in_keys and shape.key_dim == shape.value_dim <= 256


def splits_of(sequences: int, kv_heads: int, processors: int) -> int:
    """In how many parts each sequence's keys are read, so that two programs a processor run."""
    wanted = -(-2 * processors // (sequences * kv_heads))
    return min(MOST_SPLITS, power_of_two(wanted))


def attend(
    launches: Launches,
    q: Tensor,
    layer: CacheLayer,
    places: Places,
    page_size: int,
    rule: AttentionRule,
) -> Tensor:
    """[tokens, heads, dim] -> the same; the step's keys and values are in the cache already."""
    if layer.values is None:
        raise TypeError("values in the keys are the reference's")
    (k, k_scale), (v, v_scale) = stored(layer.keys), stored(layer.values)
    scales = (k if k_scale is None else k_scale, v if v_scale is None else v_scale)
    rules = (rule.scale, rule.softcap or 1.0, rule.window or 0, places.pages.shape[1])
    dim = q.shape[2]
    constants: dict[str, Any] = {
        "HEADS": q.shape[1],
        "KV_HEADS": layer.shape.kv_heads,
        "DIM": dim,
        "PAGE": page_size,
        "HAS_CAP": rule.softcap is not None,
        "HAS_WINDOW": rule.window is not None,
        "BYTES": k_scale is not None,
        "BLOCK_T": BLOCK_TOKENS,
        "BLOCK_D": power_of_two(dim, 16),
        "num_stages": 2,
        "num_warps": 4 if dim <= 128 else 8,  # with fewer, registers spill
    }
    if isinstance(places, Decoding):
        return _decode(launches, (q, k, v, *scales), places, rules, constants, rule.sinks)
    out = torch.empty_like(q)
    sinks = q if rule.sinks is None else rule.sinks
    arguments = (q, k, v, *scales, places.pages, places.blocks, sinks, out, *rules)
    most = 16 if len(q) <= 16 else BLOCK_ROWS
    constants |= {"HAS_SINKS": rule.sinks is not None, "BLOCK_M": most}
    grid = (len(places.blocks), q.shape[1])
    launches.launch(triton_attention.attend_rows, grid, arguments, constants)
    return out


def _decode(
    launches: Launches,
    tensors: tuple[Tensor, ...],
    places: Decoding,
    rules: tuple[float, ...],
    constants: dict[str, Any],
    sinks: Tensor | None,
) -> Tensor:
    q = tensors[0]
    sequences, heads, dim = q.shape
    kv_heads = constants["KV_HEADS"]
    splits = splits_of(sequences, kv_heads, launches.processors)
    partial = torch.empty(sequences, heads, splits, dim, dtype=torch.float32, device=q.device)
    maxima = torch.empty(sequences, heads, splits, dtype=torch.float32, device=q.device)
    sums, out = torch.empty_like(maxima), torch.empty_like(q)
    arguments = (*tensors, places.pages, places.lengths, partial, maxima, sums, *rules)
    split = constants | {"SPLITS": splits, "BLOCK_G": power_of_two(heads // kv_heads, 16)}
    launches.launch(triton_attention.attend_split, (sequences, kv_heads, splits), arguments, split)
    joined = {
        "HEADS": heads,
        "DIM": dim,
        "SPLITS": splits,
        "HAS_SINKS": sinks is not None,
        "BLOCK_D": constants["BLOCK_D"],
    }
    arguments = (partial, maxima, sums, q if sinks is None else sinks, out)
    launches.launch(triton_attention.combine, (sequences * heads,), arguments, joined)
    return out
