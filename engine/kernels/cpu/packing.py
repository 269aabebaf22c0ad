"""Operations that lay canonical weights out in tiles, at the speed of memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import carray

from engine.kernels.cpu.arithmetic import share
from engine.kernels.cpu.compiling import operation
from engine.kernels.cpu.layout import BLOCK, TILE_ROWS
from engine.kernels.cpu.pointers import as_pointer, halves, inner, words
from engine.kernels.cpu.tables import PACK, PACK_FLOAT

EVERY_BYTE = np.uint32(0x01010101)


@inner
def nibbles_to_bytes(four: Any) -> Any:
    """Nibbles 0…3 of a 16-bit value, one in each byte."""
    apart = (four | (four << np.uint32(8))) & np.uint32(0x00FF00FF)
    return (apart | (apart << np.uint32(4))) & np.uint32(0x0F0F0F0F)


@inner
def pack_nibbles(source: int, target: int, lane: int) -> None:
    """One row of a block, from 16 bytes of canonical nibbles."""
    given = words(source, 4)
    out = words(target, 64)
    for j in range(4):
        eight = given[j]
        low = nibbles_to_bytes(eight & np.uint32(0xFFFF))
        high = nibbles_to_bytes(eight >> np.uint32(16))
        out[16 * j + lane] = low | (high << np.uint32(4))


@inner
def pack_bytes(source: int, target: int, lane: int, bits: int, zero: int) -> None:
    """One row of a block, from 32 signed bytes."""
    given = words(source, 8)
    out = words(target, 16 * bits)
    if bits < 8:
        for vector in range(bits):
            out[16 * vector + lane] = np.uint32(0)
    for k in range(8):
        code = (given[k] ^ np.uint32(0x80808080)) - np.uint32(128 - zero) * EVERY_BYTE
        if bits == 8:
            out[16 * k + lane] = code
            continue
        low = code & np.uint32(0x0F0F0F0F)
        out[16 * (k // 2) + lane] |= low << np.uint32(4 * (k % 2))
        high = code >> np.uint32(4)
        if bits == 5:
            out[64 + lane] |= (high & EVERY_BYTE) << np.uint32(k)
        elif bits == 6:
            pair = (high & np.uint32(0x03030303)) << np.uint32(2 * (k % 4))
            out[16 * (4 + k // 4) + lane] |= pair


@inner
def fill_codes(target: int, lane: int, bits: int, zero: int) -> None:
    """One row of a block that is not in the weight: all codes stand for 0."""
    out = words(target, 16 * bits)
    low = np.uint32(zero & 15) * EVERY_BYTE
    for vector in range(bits):
        if bits == 8:
            out[16 * vector + lane] = np.uint32(zero) * EVERY_BYTE
        elif vector < 4:
            out[16 * vector + lane] = low | (low << np.uint32(4))
        elif bits == 5:
            out[16 * vector + lane] = np.uint32(0xFF) * EVERY_BYTE if zero else np.uint32(0)
        else:
            out[16 * vector + lane] = np.uint32(0xAA) * EVERY_BYTE if zero else np.uint32(0)


@inner
def pack_scales(source: int, target: int, lane: int, index: int, wide: int) -> None:
    """Copy one scale; index -1 is a group that is not in the weight."""
    if wide:
        words(target, 16)[lane] = words(source, index + 1)[index] if index >= 0 else np.uint32(0)
    else:
        halves(target, 16)[lane] = halves(source, index + 1)[index] if index >= 0 else np.uint16(0)


@inner
def pack_record_scales(a: Any, record: int, row: int, lane: int, first_column: int) -> None:
    """The scales (and minima) of one row of a record."""
    width = 4 if a.wide else 2
    for scale in range(a.layout_columns // a.layout_group):
        column = first_column + scale * a.layout_group
        inside = row < a.rows and column < a.columns
        index = column // a.group if inside else -1
        offset = row * a.scale_groups * width
        at = record + scale * a.scale_bytes
        pack_scales(a.scale + offset, at + a.scales_at, lane, index, a.wide)
        if a.has_minimum:
            pack_scales(a.minimum + offset, at + a.minima_at, lane, index, a.wide)


@operation
def pack_quantized(arguments: int, _state: int, thread: int, threads: int) -> None:
    """Grouped4 or Grouped8 to tiles; columns are a multiple of 32 in the source's memory."""
    a = carray(as_pointer(arguments), (1,), PACK)[0]
    first, end = share(a.tiles, thread, threads)
    for tile in range(first, end):
        for number in range(a.records):
            record = a.out + tile * a.tile_bytes + number * (a.tile_bytes // a.records)
            for lane in range(TILE_ROWS):
                row = tile * TILE_ROWS + lane
                for block in range(a.layout_blocks):
                    column = number * a.layout_columns + block * BLOCK
                    target = record + block * a.block_bytes
                    if row >= a.rows or column >= a.columns:
                        fill_codes(target, lane, a.bits, a.zero)
                    elif a.nibbles:
                        pack_nibbles(a.codes + row * a.code_step + column // 2, target, lane)
                    else:
                        source = a.codes + row * a.code_step + column
                        pack_bytes(source, target, lane, a.bits, a.zero)
                pack_record_scales(a, record, row, lane, number * a.layout_columns)


@operation
def pack_float(arguments: int, _state: int, thread: int, threads: int) -> None:
    """float32, float16 or bfloat16 rows to tiles."""
    a = carray(as_pointer(arguments), (1,), PACK_FLOAT)[0]
    first, end = share(a.tiles, thread, threads)
    for tile in range(first, end):
        target = a.out + tile * a.tile_bytes
        for lane in range(TILE_ROWS):
            row = tile * TILE_ROWS + lane
            source = a.w + row * a.w_step
            inside = row < a.rows
            if a.element_bytes == 4:
                out = words(target, a.columns * TILE_ROWS)
                given = words(source, a.columns)
                for k in range(a.columns):
                    out[k * TILE_ROWS + lane] = given[k] if inside else np.uint32(0)
            else:
                out2 = halves(target, a.columns * TILE_ROWS)
                given2 = halves(source, a.columns)
                for k in range(a.columns):
                    out2[k * TILE_ROWS + lane] = given2[k] if inside else np.uint16(0)
