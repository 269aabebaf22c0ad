"""The safetensors header: faults have names, and the library agrees with what is accepted."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors import SafetensorError, deserialize

from engine.contract import EngineError, FaultKind
from engine.storage.safetensors_header import parse_safetensors_header, read_safetensors_header

PATH = Path("model.safetensors")


def entry(begin: int, end: int, shape: Any = None, dtype: Any = "F32") -> dict[str, Any]:
    shape = [(end - begin) // 4] if shape is None else shape
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


def file_of(header: Any, data: int = 0) -> bytes:
    raw = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(raw).to_bytes(8, "little") + raw + bytes(data)


def kind_of(tmp_path: Path, raw: bytes) -> FaultKind | None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(raw)
    try:
        read_safetensors_header(path)
    except EngineError as error:
        return error.fault.kind
    return None


def test_a_good_header_is_read(tmp_path: Path) -> None:
    path = tmp_path / "砚 台.safetensors"
    header = {"__metadata__": {"format": "pt"}, "a": entry(0, 8), "b": entry(8, 8, [0])}
    path.write_bytes(file_of(header, 8))
    found = read_safetensors_header(path)
    assert found.metadata == {"format": "pt"}
    assert found.tensors["a"].shape == (2,)
    assert found.tensors["a"].nbytes == 8


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        (b"", FaultKind.FILE_TRUNCATED),
        (b"\x08\0\0", FaultKind.FILE_TRUNCATED),
        (file_of({"a": entry(0, 8)}, 8)[:20], FaultKind.FILE_TRUNCATED),
        (file_of({"a": entry(0, 8)}, 4), FaultKind.FILE_TRUNCATED),
        (file_of({"a": entry(0, 8)}, 12), FaultKind.FILE_DAMAGED),
        ((1 << 63).to_bytes(8, "little"), FaultKind.FILE_DAMAGED),
        (file_of(b"{"), FaultKind.FILE_DAMAGED),
        (file_of(b"\xff\xff"), FaultKind.FILE_DAMAGED),
        (file_of(b"[" * 100_000), FaultKind.FILE_DAMAGED),
        (file_of(b'{"a":' * 100_000), FaultKind.FILE_DAMAGED),
        (file_of([]), FaultKind.FILE_DAMAGED),
        (file_of({"__metadata__": {"n": 1}}), FaultKind.FILE_DAMAGED),
        (file_of(b'{"a":{},"a":{}}'), FaultKind.FILE_DAMAGED),
        (file_of({"a": 1}), FaultKind.FILE_DAMAGED),
        (file_of({"a": entry(0, 8, [3])}, 8), FaultKind.FILE_DAMAGED),
        (file_of({"a": entry(0, 4, [True])}, 4), FaultKind.FILE_DAMAGED),
        (file_of({"a": entry(0, 4, [-1])}, 4), FaultKind.FILE_DAMAGED),
        (file_of({"a": entry(8, 0, [0])}, 8), FaultKind.FILE_DAMAGED),
        (file_of({"a": entry(0, 8, [1 << 62] * 9)}, 8), FaultKind.FILE_DAMAGED),
        (file_of({"a": entry(0, 8), "b": entry(4, 12)}, 12), FaultKind.FILE_DAMAGED),
        (file_of({"a": entry(0, 8), "b": entry(12, 16)}, 16), FaultKind.FILE_DAMAGED),
        (file_of({"a": entry(0, 8, [2], "Q9")}, 8), FaultKind.QUANTIZATION_UNSUPPORTED),
    ],
)
def test_what_is_wrong_with_a_header_has_a_name(
    tmp_path: Path, raw: bytes, kind: FaultKind
) -> None:
    assert kind_of(tmp_path, raw) is kind


GOOD = file_of(
    {"__metadata__": {"format": "pt"}, "a": entry(0, 16, [2, 2]), "b": entry(16, 24)}, 24
)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(st.integers(8, len(GOOD) - 25), st.integers(0, 255)), max_size=5),
    st.integers(0, 40),
)
def test_fuzz_damaged_headers_only_ever_raise_named_faults(
    changes: list[tuple[int, int]], data: int
) -> None:
    raw = bytearray(GOOD[:-24])
    for place, value in changes:
        raw[place] = value
    header = bytes(raw[8:])
    try:
        found = parse_safetensors_header(header, len(raw) + data, PATH)
    except EngineError:
        return
    # whatever passes here, the library opens with the same names and shapes
    try:
        opened = dict(deserialize(bytes(raw) + bytes(data)))
    except SafetensorError as error:
        pytest.fail(f"accepted {header!r}, refused by the library: {error}")
    assert {n: tuple(t["shape"]) for n, t in opened.items()} == {
        n: t.shape for n, t in found.tensors.items()
    }


@settings(max_examples=150, deadline=None)
@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=4),
                    lambda inner: st.lists(inner, max_size=3)
                    | st.dictionaries(st.sampled_from(["a", "dtype", "shape", "data_offsets", "F32",
                                                       "__metadata__"]), inner, max_size=4),
                    max_leaves=12))  # fmt: skip
def test_fuzz_any_json_only_ever_raises_named_faults(content: Any) -> None:
    raw = json.dumps(content).encode()
    with suppress(EngineError):
        parse_safetensors_header(raw, 8 + len(raw), PATH)
