"""The GGUF header: what it reads, and that everything wrong with it has a name."""

from __future__ import annotations

import struct
import time
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.contract import EngineError, FaultKind
from engine.storage.gguf_header import GgufHeader, parse_gguf_header, read_gguf_header
from tests.storage.gguf_file import GgufFile, text

F32, Q4_0 = 0, 2
PATH = Path("model.gguf")


def tensor(
    name: str = "a", rows: int = 2, columns: int = 16
) -> tuple[str, tuple[int, int], int, bytes]:
    return (name, (rows, columns), F32, bytes(rows * columns * 4))


def parse(file: GgufFile) -> GgufHeader:
    return parse_gguf_header(file.to_bytes(), PATH)


def fault_of(raw: bytes) -> tuple[FaultKind, str]:
    with pytest.raises(EngineError) as caught:
        parse_gguf_header(raw, PATH)
    fault = caught.value.fault
    assert fault.figures["path"] == "model.gguf"
    return fault.kind, str(fault.figures.get("detail", fault.figures.get("format", "")))


def test_values_of_every_kind_are_read() -> None:
    pairs = {
        "general.architecture": "llama",
        "n": 7,
        "x": 0.5,
        "yes": True,
        "words": ["a", "砚", ""],
        "bits": [True, False],
        "numbers": [1, 2, 3],
        "nested": [[1, 2], [3]],
        "nothing": [],
    }
    metadata = parse(GgufFile(pairs=pairs)).metadata
    assert {**metadata, "words": list(metadata["words"])} == pairs
    assert metadata.length("words") == 3
    assert metadata.length("n") == 0


def test_a_lone_byte_of_a_character_in_a_vocabulary_is_no_fault() -> None:
    raw = struct.pack("<IQ", 8, 1) + text(b"\xe7")
    file = GgufFile(pairs={"tokens": ["x"]}).to_bytes()
    file = file.replace(struct.pack("<IQ", 8, 1) + text("x"), raw)
    assert parse_gguf_header(file, PATH).metadata["tokens"][:] == ["\ufffd"]


def test_tensors_have_pytorch_shapes_and_absolute_offsets() -> None:
    file = GgufFile(tensors=[tensor("a", 2, 16), ("b", (3,), F32, bytes(12))])
    header = parse(file)
    a, b = header.tensors.values()
    assert (a.shape, b.shape) == ((2, 16), (3,))
    assert a.offset % 32 == 0
    assert b.offset == a.offset + 128
    assert b.offset + 12 <= header.size


def test_another_alignment_is_followed() -> None:
    file = GgufFile(pairs={"general.alignment": 64}, tensors=[tensor()], alignment=64)
    assert parse(file).tensors["a"].offset % 64 == 0


@pytest.mark.parametrize(
    ("file", "kind", "says"),
    [
        (GgufFile(magic=b"ABCD"), FaultKind.FORMAT_UNSUPPORTED, "unknown"),
        (GgufFile(magic=b"tjgg"), FaultKind.FORMAT_UNSUPPORTED, "ggjt"),
        (GgufFile(version=1), FaultKind.FORMAT_UNSUPPORTED, "GGUF 1"),
        (GgufFile(version=99), FaultKind.FORMAT_UNSUPPORTED, "GGUF 99"),
        (GgufFile(version=3 << 24), FaultKind.FORMAT_UNSUPPORTED, "GGUF 3, big-endian"),
        (GgufFile(tensor_count=1 << 60), FaultKind.FILE_DAMAGED, "tensors"),
        (GgufFile(pair_count=1 << 40), FaultKind.FILE_DAMAGED, "key/values"),
        (GgufFile(tensor_count=1000), FaultKind.FILE_TRUNCATED, ""),
        (GgufFile(tensors=[tensor(), tensor()]), FaultKind.FILE_DAMAGED, "occurs twice"),
        (GgufFile(tensors=[tensor()], offsets={"a": 8}), FaultKind.FILE_DAMAGED, "multiple of 32"),
        (GgufFile(tensors=[tensor()], offsets={"a": 1 << 50}), FaultKind.FILE_DAMAGED, "past"),
        (
            GgufFile(tensors=[tensor(), tensor("b")], offsets={"b": 32}),
            FaultKind.FILE_DAMAGED,
            "overlaps",
        ),
        (GgufFile(tensors=[("a", (4, 0), F32, b"")]), FaultKind.FILE_DAMAGED, "no values"),
        (GgufFile(tensors=[("a", (2, 48), Q4_0, bytes(54))]), FaultKind.FILE_DAMAGED, "48 columns"),
        (GgufFile(tensors=[("a", (1,) * 5, F32, bytes(4))]), FaultKind.FILE_DAMAGED, "5 dim"),
        (GgufFile(tensors=[("a", (32,), 99, bytes(4))]), FaultKind.QUANTIZATION_UNSUPPORTED, ""),
        (GgufFile(pairs={"general.alignment": 3}), FaultKind.FILE_DAMAGED, "alignment"),
        (GgufFile(pairs={"general.alignment": "x"}), FaultKind.FILE_DAMAGED, "alignment"),
        (GgufFile(pairs={"a": [[[[[1]]]]]}), FaultKind.FILE_DAMAGED, "nested deeper"),
    ],
)
def test_what_is_wrong_with_a_header_has_a_name(file: GgufFile, kind: FaultKind, says: str) -> None:
    found, detail = fault_of(file.to_bytes())
    assert found is kind
    assert says in detail


def test_a_key_that_occurs_twice_is_damage() -> None:
    raw = GgufFile(pairs={"ab": 1, "ac": 2}).to_bytes().replace(b"ac", b"ab")
    assert fault_of(raw) == (FaultKind.FILE_DAMAGED, "the key ab occurs twice")


@pytest.mark.parametrize("length", [1 << 62, 1 << 40, (64 << 20) + 1])
def test_absurd_lengths_are_refused_before_memory_is_spent(length: int) -> None:
    for value, old in (("word", text("word")), (["word"], text("word"))):
        raw = GgufFile(pairs={"k": value}).to_bytes()
        raw = raw.replace(old, struct.pack("<Q", length) + b"word")
        assert fault_of(raw)[0] is FaultKind.FILE_DAMAGED
    raw = GgufFile(pairs={"k": [1, 2, 3]}).to_bytes()
    raw = raw.replace(struct.pack("<IQ", 4, 3), struct.pack("<IQ", 4, length))
    assert fault_of(raw)[0] is FaultKind.FILE_DAMAGED


def test_a_file_cut_anywhere_is_truncated_with_both_sizes() -> None:
    raw = GgufFile(pairs={"k": ["a", "b"], "s": "x"}, tensors=[tensor()]).to_bytes()
    for size in range(8, len(raw)):
        with pytest.raises(EngineError) as caught:
            parse_gguf_header(raw[:size], PATH)
        fault = caught.value.fault
        assert fault.kind is FaultKind.FILE_TRUNCATED
        assert fault.figures["size"] == size < int(fault.figures["expected"]) <= len(raw)


def test_a_missing_file_and_an_empty_one_have_names(tmp_path: Path) -> None:
    with pytest.raises(EngineError) as caught:
        read_gguf_header(tmp_path / "no.gguf")
    assert caught.value.fault.kind is FaultKind.FILE_MISSING
    (tmp_path / "empty.gguf").touch()
    with pytest.raises(EngineError) as caught:
        read_gguf_header(tmp_path / "empty.gguf")
    assert caught.value.fault.kind is FaultKind.FILE_TRUNCATED


def test_a_vocabulary_of_262144_words_is_stepped_over_in_well_under_a_second() -> None:
    raw = GgufFile(pairs={"tokens": [f"word{i}" for i in range(262_144)]}).to_bytes()
    start = time.process_time()
    metadata = parse_gguf_header(raw, PATH).metadata
    assert metadata["tokens"][262_143] == "word262143"
    # 0.15 s of this process; the limit leaves room for slower ones
    assert time.process_time() - start < 3


GOOD = GgufFile(
    pairs={"general.alignment": 32, "words": ["a", "bc"], "deep": [[1], [2]], "f": 0.5},
    tensors=[tensor("a"), ("b", (2, 64), Q4_0, bytes(72))],
).to_bytes()


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=200))
def test_fuzz_random_bytes_only_ever_raise_named_faults(tail: bytes) -> None:
    for raw in (tail, b"GGUF\x03\0\0\0" + tail):
        with suppress(EngineError):
            dict(parse_gguf_header(raw, PATH).metadata)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, len(GOOD) - 1), st.integers(0, 255)), min_size=1, max_size=6),
    st.integers(0, len(GOOD)),
)
def test_fuzz_damaged_headers_only_ever_raise_named_faults(
    changes: list[tuple[int, int]], size: int
) -> None:
    raw = bytearray(GOOD)
    for place, value in changes:
        raw[place] = value
    for damaged in (bytes(raw), bytes(raw[:size])):
        try:
            header = parse_gguf_header(damaged, PATH)
        except EngineError:
            continue
        dict(header.metadata)
        for info in header.tensors.values():
            assert 0 <= info.offset <= info.offset + info.nbytes <= len(damaged)
