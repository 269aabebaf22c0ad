"""The tables of numbers that operations read: numpy structures of int64, filled by Python.

Addresses are bytes, ``…_step`` is the distance in bytes between neighbouring rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

PRIVATE_ROWS = 4
"""Up to this many rows every thread prepares the activations for itself: cheaper than waiting."""


def _table(names: str) -> Any:
    return np.dtype([(name, np.int64) for name in names.split()])


JOB = _table("program instructions flags phase spins yield_function")
"""A program: ``instructions`` rows of (operation, arguments, barrier); the flags of the threads'
barrier, its phase before the program, pauses before a waiting thread yields the processor."""

NO_BARRIER, BARRIER, BARRIER_IF_SHARED = 0, 1, 2
"""After an instruction: go on, wait for all threads, wait only if rows are not private."""

STEP = _table("rows scratch scratch_step spans span_count")
"""What one step of all operations shares. ``scratch``: memory for each thread."""

SPAN = _table("first tokens start pages")
"""One sequence: first row, new tokens, tokens before them, address of its page numbers."""

QUANTIZE = _table("function x x_step columns padded out out_step private_step")
"""float32 rows to blocks of int8; ``columns`` valid of ``padded``; ``private_step`` between the
copies of the threads."""

PRODUCT = _table(
    "function1 function2 function4 function8 w tiles records tile_bytes x x_step private_step "
    "start start_step y y_step outputs"
)
"""Quantized weight times quantized rows; ``outputs`` rows of the weight are real."""

FLOAT_PRODUCT = _table(
    "function1 function2 function4 w tiles tile_bytes depth depth_step x x_step "
    "start start_step y y_step outputs unpack records w_tile_bytes"
)
"""Float weight times float rows; with ``unpack``, a quantized weight made float tile by tile."""

EMBED = _table("ids w tile_bytes records unpack columns y y_step element")
"""Rows of a weight; ``element`` 0 quantized, 1 float32, 2 float16, 3 bfloat16."""

NORM = _table("x x_step weight columns y y_step epsilon_bits")
"""RMS norm; the epsilon is given as the bits of a float32."""

ATTEND = _table(
    "q q_step k k_step v v_step y y_step heads kv_heads key_dim value_dim keys values "
    "page_size page_tokens value_padded window scale_bits softcap_bits "
    "score1 score2 score4"
)
"""Attention of one layer; ``page_tokens`` and ``value_padded`` are padded to 16; a ``window`` of 0
is all, a soft cap of 0 is off."""

PACK = _table(
    "codes code_step scale minimum scale_groups group rows columns out tile_bytes records "
    "bits has_minimum layout_group layout_columns layout_blocks block_bytes scales_at minima_at "
    "scale_bytes zero nibbles wide tiles"
)
"""Canonical form to tiles."""

PACK_FLOAT = _table("w w_step rows columns out tile_bytes tiles element_bytes")
"""Float rows to tiles [columns][16 rows]."""

READ = _table("values count sums")
"""Reading for its own sake; a sum for each thread, 128 bytes apart."""
