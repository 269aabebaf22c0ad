"""Model files to measure: ``python tests/bench/random_gguf.py SHAPE OUT [--from GGUF]``.

``q4_0``, ``q4_k`` and ``q8_0`` write a Llama of 1.24 billion random weights in that format (blocks
are random bytes with small scales, which every block format reads), with a vocabulary that spells
the benchmark's words. ``requantized`` writes a real GGUF again with its Q4_1 matrices as Q4_0.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from gguf import GGMLQuantizationType as Kind
from tokenizers.pre_tokenizers import ByteLevel

HIDDEN, LAYERS, HEADS, KV_HEADS, HEAD_DIM, WIDE, VOCABULARY = 2048, 16, 32, 8, 64, 8192, 128256
FORMATS = {"q4_0": Kind.Q4_0, "q4_k": Kind.Q4_K, "q8_0": Kind.Q8_0}
SCALES = {  # of a block's float16 fields, by their byte offsets: logits stay finite
    Kind.Q4_0: {0: 0.003}, Kind.Q8_0: {0: 1.5e-4}, Kind.Q4_K: {0: 4e-5, 2: 3e-4},
    Kind.Q6_K: {208: 1e-5},
}  # fmt: skip
WORDS = ("sea", "wind", "and", "the", "old", "ship", "of", "sails", "to", "night", "a", "harbour")
SPACE = "Ġ"


def blocks(rows: int, columns: int, kind: Kind, random: np.random.Generator) -> Any:
    """Random blocks of a format, uint8 [rows, bytes]."""
    values, size = gguf.GGML_QUANT_SIZES[kind]
    made = random.integers(0, 256, (rows, columns // values, size), dtype=np.uint8)
    for at, scale in SCALES[kind].items():
        made[..., at : at + 2] = np.array([scale], np.float16).view(np.uint8)
    return made.reshape(rows, -1)


def add_vocabulary(writer: gguf.GGUFWriter) -> None:
    """All bytes, the words piece by piece, and names for the rest."""
    tokens, merges = sorted(ByteLevel.alphabet()), []
    for word in WORDS:
        piece = SPACE
        for letter in word:
            merge, piece = f"{piece} {letter}", piece + letter
            if piece not in tokens:
                tokens.append(piece)
                merges.append(merge)
    known = len(tokens)
    tokens += [f"<unused {number}>" for number in range(VOCABULARY - known)]
    unused = [int(gguf.TokenType.UNUSED)] * (VOCABULARY - known)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("llama-bpe")
    writer.add_token_list(tokens)
    writer.add_token_types([int(gguf.TokenType.NORMAL)] * known + unused)
    writer.add_token_merges(merges)
    writer.add_eos_token_id(VOCABULARY - 1)
    writer.add_add_bos_token(False)


def shapes() -> dict[str, tuple[int, int]]:
    """Every matrix of a layer: rows and columns."""
    attention = {
        "attn_q": (HEADS * HEAD_DIM, HIDDEN), "attn_k": (KV_HEADS * HEAD_DIM, HIDDEN),
        "attn_v": (KV_HEADS * HEAD_DIM, HIDDEN), "attn_output": (HIDDEN, HEADS * HEAD_DIM),
    }  # fmt: skip
    forward = {"ffn_gate": (WIDE, HIDDEN), "ffn_up": (WIDE, HIDDEN), "ffn_down": (HIDDEN, WIDE)}
    return attention | forward


def write_random(path: Path, kind: Kind) -> None:
    """A Llama whose matrices are all of one format; four-bit ones get an embedding of Q6_K."""
    random = np.random.default_rng(0)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name(f"Random 1.24B {kind.name}")
    writer.add_block_count(LAYERS)
    writer.add_context_length(16384)
    writer.add_embedding_length(HIDDEN)
    writer.add_feed_forward_length(WIDE)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KV_HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(500000.0)
    writer.add_rope_dimension_count(HEAD_DIM)
    writer.add_vocab_size(VOCABULARY)
    add_vocabulary(writer)
    embedding = kind if kind is Kind.Q8_0 else Kind.Q6_K
    matrix = blocks(VOCABULARY, HIDDEN, embedding, random)
    writer.add_tensor("token_embd.weight", matrix, raw_dtype=embedding)
    writer.add_tensor("output_norm.weight", np.ones(HIDDEN, np.float32))
    for layer in range(LAYERS):
        for norm in ("attn_norm", "ffn_norm"):
            writer.add_tensor(f"blk.{layer}.{norm}.weight", np.ones(HIDDEN, np.float32))
        for name, (rows, columns) in shapes().items():
            matrix = blocks(rows, columns, kind, random)
            writer.add_tensor(f"blk.{layer}.{name}.weight", matrix, raw_dtype=kind)
    write(writer)


def write_requantized(source: Path, path: Path) -> None:
    """The same model, its Q4_1 matrices rounded to Q4_0."""
    reader = gguf.GGUFReader(source)
    architecture = reader.fields["general.architecture"].contents()
    writer = gguf.GGUFWriter(path, architecture)
    for name, field in reader.fields.items():
        if name.startswith("GGUF.") or name == "general.architecture":
            continue
        inner = field.types[1] if len(field.types) > 1 else None
        writer.add_key_value(name, field.contents(), field.types[0], inner)
    for tensor in reader.tensors:
        data, kind = tensor.data, tensor.tensor_type
        if kind is Kind.Q4_1:
            data, kind = (
                gguf.quants.quantize(gguf.quants.dequantize(data, kind), Kind.Q4_0),
                Kind.Q4_0,
            )
        writer.add_tensor(tensor.name, data, raw_dtype=kind)
    write(writer)


def write(writer: gguf.GGUFWriter) -> None:
    """Put everything on disk."""
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main() -> None:
    """Write one file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("shape", choices=[*FORMATS, "requantized"])
    parser.add_argument("out", type=Path)
    parser.add_argument("--from", dest="source", type=Path, help="the GGUF to requantize")
    options = parser.parse_args()
    if options.shape == "requantized":
        write_requantized(options.source, options.out)
    else:
        write_random(options.out, FORMATS[options.shape])


if __name__ == "__main__":
    main()
