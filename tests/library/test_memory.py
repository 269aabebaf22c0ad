"""What a model that is not here yet will take is what the same files take once they are here."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.library.held import SAFETENSORS, held_size
from engine.library.identify import identify
from engine.library.memory import memory_needed, memory_of_shape
from engine.storage.ggml_types import GGML_TYPES, GgmlType
from tests.library.model_files import llama_folder, llama_gguf

READABLE = {number: kind for number, kind in GGML_TYPES.items() if kind.held_bits}
VALUES = 96 * 256


@pytest.mark.parametrize("number", READABLE, ids=lambda number: GGML_TYPES[number].name)
def test_what_a_label_says_is_held_is_what_the_files_headers_say(
    tmp_path: Path, number: int
) -> None:
    kind: GgmlType = GGML_TYPES[number]
    size = VALUES // kind.values * kind.bytes
    made = llama_gguf()
    made.tensors = [("token_embd.weight", (96, 256), number, bytes(size))]
    made.write(tmp_path / "m.gguf")
    assert held_size(size, kind.name) == identify(tmp_path / "m.gguf").weight_bytes


@pytest.mark.parametrize(
    ("label", "times"),
    [
        ("Q4_K_M", 5 / 4.5), ("UD-Q5_K_XL", 8.5 / 5.5), ("my-model.q6_k", 7 / 6.5625),
        ("IQ4_XS", 2), ("Q8_0", 1), ("BF16", 1), (SAFETENSORS, 1), ("nothing known", 1),
    ],
)  # fmt: skip
def test_a_label_names_what_most_of_a_file_is(label: str, times: float) -> None:
    assert held_size(10**9, label) == pytest.approx(10**9 * times)


def test_a_folder_takes_what_its_tokenizer_takes_before_it_is_here_too(tmp_path: Path) -> None:
    facts = identify(llama_folder(tmp_path))
    shape = facts.cache_bytes_per_token, 512, facts.vocabulary
    assert memory_of_shape(facts.weight_bytes, SAFETENSORS, *shape) == memory_needed(facts, 512)
    file = memory_of_shape(facts.weight_bytes, "BF16", *shape)
    assert file.workspace < memory_needed(facts, 512).workspace
