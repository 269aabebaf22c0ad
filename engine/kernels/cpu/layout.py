"""How a quantized weight lies in memory: tiles of 16 rows, each one stream of records.

A record holds ``columns`` inputs of 16 rows: the codes, block after block of 32 inputs, then the
scales and minima of the record, so that a matrix product reads one stream from front to back.
In a block, a vector of 64 bytes holds four neighbouring inputs of each of the 16 rows (row r in
bytes 4r…4r+3), which is what a dot-product instruction multiplies with four broadcast activations.

* 4 bits: 4 vectors; in vector j low nibbles are inputs 8j…8j+3, high nibbles 8j+4…8j+7.
* 5 and 6 bits: the low 4 bits as above, then the high bits: bits k (5), or 2i and 2i+1 (6), of a
  byte belong to the four inputs of step k (6: vector k / 4, i = k % 4).
* 8 bits: 8 vectors; vector k holds inputs 4k…4k+3.
* spread (never kept; a piece of a tile that many rows pass over): a vector for each step of four
  inputs, so codes need no taking apart; codes of 8 bits as 16, two vectors a step: the first and
  third of each four, then the others. Scales are float32.

Codes are unsigned; without a minimum, ``zero`` is what stands for 0.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

TILE_ROWS = 16
BLOCK = 32
"""Columns that share an activation scale."""


@dataclass(frozen=True, slots=True)
class Activations:
    """How a block of 32 activations lies in memory.

    The codes, then the scale and scale * sum (float32), -zero * sum of all 32 and of the first 16
    (int32).

    Attributes:
        name: of the form.
        code_bytes: bytes of a code.
        largest: the largest magnitude of a code.
        zero: what the sums are multiplied with, negated: a weight's own zero is a multiple of it.
    """

    name: str
    code_bytes: int
    largest: int
    zero: int

    @property
    def scale_at(self) -> int:
        """Offset of the scale."""
        return BLOCK * self.code_bytes

    @property
    def scaled_sum_at(self) -> int:
        """Offset of scale * sum."""
        return self.scale_at + 4

    @property
    def sum_at(self) -> int:
        """Offset of -zero * sum."""
        return self.scale_at + 8

    @property
    def half_sum_at(self) -> int:
        """Offset of -zero * sum of the first 16."""
        return self.scale_at + 12

    @property
    def block_bytes(self) -> int:
        """Bytes of a block."""
        return self.scale_at + 16


BYTES = Activations("bytes", 1, 127, 8)
"""int8 in order: four neighbours are what a dot product of bytes takes."""
DIGITS = Activations("digits", 2, 127 << 8, 8)
"""16 bits as two signed bytes: the high ones of all 32 in order, then the low ones."""
WORDS = Activations("words", 2, 1 << 14, 128)
"""int16; of each four neighbours the first and third, then the second and fourth, as products of
16 bits take them. 32 products with codes of 8 bits fit in 32 bits."""


@dataclass(frozen=True, slots=True)
class Layout:
    """A kind of record.

    Attributes:
        bits: 4, 5, 6 or 8 a code.
        group: columns that share a scale: 16, 32, 64 or 128.
        minimum: each group also has a minimum.
        wide: scales and minima are float32 instead of float16.
        spread: a code takes a byte, one of 8 bits two.
    """

    bits: int
    group: int
    minimum: bool
    wide: bool
    spread: bool = False

    @property
    def name(self) -> str:
        """A short name, unique among layouts."""
        marks = ("m" if self.minimum else "", "w" if self.wide else "", "s" if self.spread else "")
        return f"u{self.bits}{marks[0]}g{self.group}{marks[1]}{marks[2]}"

    def spread_out(self) -> Layout:
        """The same records as many rows take them."""
        return replace(self, wide=True, spread=True)

    @property
    def zero(self) -> int:
        """The code that stands for 0, or 0 where there is a minimum."""
        return 0 if self.minimum else 1 << (self.bits - 1)

    @property
    def columns(self) -> int:
        """Inputs a record covers."""
        return max(self.group, BLOCK)

    @property
    def blocks(self) -> int:
        """Blocks of 32 inputs in a record."""
        return self.columns // BLOCK

    @property
    def scales(self) -> int:
        """Scales a record has for each row."""
        return self.columns // self.group

    @property
    def block_bytes(self) -> int:
        """Bytes of the codes of 16 rows x 32 inputs."""
        if self.spread:
            return 1024 if self.bits == 8 else 512
        return self.bits * 64

    @property
    def scale_bytes(self) -> int:
        """Bytes of the 16 scales of one group."""
        return TILE_ROWS * (4 if self.wide else 2)

    @property
    def scales_at(self) -> int:
        """Offset of the scales in a record."""
        return self.blocks * self.block_bytes

    @property
    def minima_at(self) -> int:
        """Offset of the minima in a record."""
        return self.scales_at + self.scales * self.scale_bytes

    @property
    def record_bytes(self) -> int:
        """Bytes of a record."""
        return self.minima_at + (self.scales * self.scale_bytes if self.minimum else 0)

    def records(self, columns: int) -> int:
        """Records that a row of ``columns`` inputs needs."""
        return -(-columns // self.columns)
