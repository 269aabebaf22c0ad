"""The tables of numbers that operations read: numpy structures of int64, filled by Python.

Addresses and ``…_step``s (the distance between neighbouring rows) are bytes; an address of 0 is
"none". ``…_bits`` is a float32 given by its bits. ``private`` is the distance between the copies
that threads make for themselves of a prepared activation while rows are few.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import Any

import numpy as np

PRIVATE_ROWS = 4
"""Up to this many rows every thread prepares the activations for itself: cheaper than waiting."""

NO_BARRIER, BARRIER, BARRIER_IF_SHARED, BARRIER_IF_WANTED_SHARED = 0, 1, 2, 3
"""After an instruction: go on; wait for all threads; wait unless rows (or wanted rows) are few
enough to be private."""

QUANTIZED, FLOAT, UNPACKED, QUANTIZED_WORDS = 0, 1, 2, 3
"""How a matrix is multiplied: integer products with bytes, float products, unpacked tile by tile
first, integer products with 16-bit activations."""

NO_NORM, RMS_NORM, LAYER_NORM = 0, 1, 2

SILU, GELU, GELU_TANH, RELU, RELU_SQUARED, CLAMPED = 0, 1, 2, 3, 4, 5


def _table(names: str) -> Any:
    return np.dtype([(name, np.int64) for name in names.split()])


JOB = _table(
    "program instructions state flags phase turn spins idle_yields yield_function repeats stop "
    "interruption"
)
"""A program: ``instructions`` rows of (operation, arguments, barrier), and its ``STEP``; the flags
of the threads' barrier and its phase before the program; the address of the workers' ``TURN``;
pauses before a waiting thread yields the processor, and how often a worker without work yields
before it sleeps. It runs ``repeats`` times, or until the word at ``stop`` (0: there is none) is
not 0; a word at ``interruption`` ends it between any two instructions."""

TURN, LAST_TURN = 1024, -1
"""The word that starts workers: ``TURN`` more for every program, plus the number of threads that
take part, so that a worker learns both at once; after the last turn workers end."""

STEP = _table(
    "rows scratch scratch_step spans span_count ids positions wanted wanted_count logits "
    "logits_step turn queues"
)
"""What all operations of one step share; ``scratch`` is memory for each thread, ``wanted`` the
rows whose logits are wanted, ``turn`` the number of the run by which work is claimed, ``queues``
what the threads' own shares of work are claimed by."""

SPAN = _table("first tokens start pages")
"""One sequence: first row, new tokens, tokens before them, address of its page numbers. All spans
stand once for each group of layers, group after group."""

MATRIX = _table(
    "kind multiply function1 function2 function4 function8 w tile_bytes tiles outputs records "
    "record_bytes record_step depth depth_step unpack spread spread_product spread_rows "
    "spread_bytes pair pair_rows fine fine1 fine2 fine4 fine8"
)
"""A packed weight: how it is multiplied, the generated functions for 1, 2, 4 and 8 activation rows,
where it lies. ``record_step``: bytes of a row's activations that a record covers. ``spread``: what
takes a record's codes apart into ``spread_bytes``, which ``spread_product`` then multiplies with
``spread_rows`` rows; 0 if that does not pay. ``pair``: what multiplies two tiles side by side with
``pair_rows`` rows, if anything does. ``fine``: how activations of two digits are multiplied, and by
which functions, where logits are wanted; 0: never."""

PREPARE = _table(
    "x x_step columns norm weight bias epsilon_bits floats floats_step floats_private "
    "quantize block_bytes padded out out_step private quantize_words words words_step "
    "words_private selected"
)
"""Rows on their way into a product: normalized, as float32 (``floats``), as blocks of int8
(``out``, each of ``block_bytes``, for those of two digits are longer) or int16 (``words``),
``padded`` of them. ``selected``: only the wanted rows, which are few at any time."""

PRODUCT = _table("claimed matrix x x_step private start start_step y y_step selected to_logits")
"""``y = start + W x`` for a prepared x; ``claimed``, here and below: see ``claims.py``."""

GATED = _table(
    "claimed gate up gate_tile up_tile units x x_step private up_x up_x_step up_private gate_bias "
    "up_bias activation floats floats_step quantize out out_step quantize_words "
    "words words_step"
)
"""``activation(gate x) * (up x)`` by units of 32 rows; no ``up``: the activation alone.
``up_x``: the same rows as ``x``, in the form that ``up`` takes."""

ROUTE = _table(
    "x x_step private columns router bias logits experts shared shared_gate sigmoid correction "
    "chosen normalise scale_bits groups groups_chosen group_members work picks weights"
)
"""Choosing experts: ``logits``: float32 [rows][experts and the shared one]; ``picks`` (int64) and
``weights`` (float32): [rows][chosen and the shared one]; ``work``: room for 5 rows of scores for
each thread."""

MIXTURE = _table("experts count taken picks weights first order sorted y y_step outputs clear")
"""All experts of a layer: ``experts``: ``count`` rows of ``EXPERT``; what sorting makes:
``first`` (int64 [count + 2]): where an expert's rows begin in ``order`` (int64, the token of each)
and ``sorted`` (float32, its weight). ``clear``: y is set to 0 before experts add to it."""

EXPERT = _table(
    "gate up down gate_tile up_tile units x x_step private gate_bias up_bias down_bias activation "
    "alpha_bits limit_bits floats floats_step quantize out out_step quantize_words "
    "words words_step gates gates_step"
)
"""One expert; ``floats``, ``out`` and ``words`` are where its gated rows go, ``gates`` where
``down`` finds them."""

RESIDUAL = _table("x x_step y y_step columns norm weight bias epsilon_bits scale_bits")
"""``x += scale * norm(y)``."""

EMBED = _table("w tile_bytes records unpack columns y y_step element scale_bits")
"""Rows of a weight; ``element`` 0 quantized, 1 float32, 2 float16, 3 bfloat16."""

ANGLES = _table("frequencies half factor_bits out out_step")
"""Cosines and sines of the rows' positions: [row][half cosines, half sines]."""

NORM = _table("x x_step norm weight bias columns y y_step epsilon_bits")
"""A norm of rows, by itself."""

ATTEND = _table(
    "claimed q q_step k k_step v v_step y y_step heads kv_heads key_dim value_dim keys values "
    "joined key_bytes value_bytes key_scales_at value_scales_at element_bytes page_size "
    "page_tokens token_values value_padded window scale_bits softcap_bits tile1 tile2 tile3 tile4 "
    "dots1 dots2 dots3 dots4 attend "
    "q_norm k_norm norm_whole q_epsilon_bits k_epsilon_bits clip_bits angles angles_step half "
    "sinks group raw raw_step plain"
)
"""Attention of one layer; ``page_tokens`` and ``value_padded`` are padded to 16; ``token_values``:
from one token's values to the next one's; a ``window`` of 0 is all; a clip or soft cap of 0 is off;
``sinks``: float32 [heads]; ``group``: of page numbers. ``joined``: values are the first columns of
keys, which then lie as values do. ``raw``: projected latent queries, ``plain`` values of a head
before those that turn."""

EXPAND = _table(
    "w heads head_rows latent x x_step x_head y y_step y_head function1 function2 function3 "
    "function4"
)
"""Latents and heads: float32 ``w`` [heads][head_rows][latent], the functions for 1 to 4 rows."""

LOGITS = _table("columns scale_bits softcap_bits")
"""Scale and cap the step's logits."""

PACK = _table(
    "codes code_step scale minimum scale_groups group rows columns out tile_bytes records "
    "bits has_minimum layout_group layout_columns layout_blocks block_bytes scales_at minima_at "
    "scale_bytes zero nibbles wide tiles"
)
"""Canonical form to tiles."""

PACK_FLOAT = _table("w w_step rows columns out tile_bytes tiles element_bytes")
"""Float rows to tiles [columns][16 rows]."""

DRAW = _table(
    "logits size top_k hot_first cuts_far factor_bits distance_bits shares maxima x ids every "
    "weights edge_x edge_ids sums token parts part_count"
)
"""Drawing a token. ``shares``: float64 [2], of top-p and of the draw; ``distance_bits``: min-p's,
in logits, if it ``cuts_far``; ``factor_bits``: 1 / temperature; ``every``: 0, 1, 2, …; ``parts``:
float32 ``PART`` bytes apart, the largest logit of each part whose ``maxima`` are known, NaN where
one is none; without parts the maxima are looked for. The rest is room for ``size`` candidates."""

PART = 128
"""Bytes between what two threads find: no two in the same (or a paired) cache line."""

BURST = _table("draw draw_table shares token ends end_count early groups uniforms drawn progress")
"""Steps whose tokens are drawn between them: the function that draws, its ``DRAW`` table and the
addresses of two of its fields; ``ends``: int64, tokens after which no step follows, and which the
first ``early`` tokens cannot be; ``uniforms``: float64, one a step; ``drawn``: int64, the tokens;
``progress``: int64 [3]: drawn so far, wanted, and the word that stops the program."""

READ = _table("values count sums ahead")
"""Reading for its own sake: a sum for each thread, 128 bytes apart; what lies ``ahead`` bytes on is
asked of memory."""


def float_bits(value: float) -> int:
    """The bits of a float32."""
    return int(struct.unpack("<i", struct.pack("<f", value))[0])


def fill(kind: Any, figures: Mapping[str, int]) -> Any:
    """A table of ``kind`` with these figures, 0 where none is given."""
    table = np.zeros(1, kind)
    for name, value in figures.items():
        table[name] = value
    return table
