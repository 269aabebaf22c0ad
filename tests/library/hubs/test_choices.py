"""Only what one model needs is chosen out of what a repository holds."""

from __future__ import annotations

import pytest

from engine.contract import EngineError, FaultKind
from engine.library.downloads.order import WantedFile
from engine.library.hubs.choices import FileChoice, choices_in, order_for
from engine.library.hubs.hub import HubModel, Repository


def repository(**sizes: int) -> Repository:
    files = tuple(WantedFile(f"http://h/{name}", name, size) for name, size in sizes.items())
    return Repository(HubModel("huggingface", "me/Model-1B"), "main", "http://h/me", files)


def chosen(**sizes: int) -> dict[str, FileChoice]:
    return {choice.label: choice for choice in choices_in(repository(**sizes))}


def paths(choice: FileChoice) -> list[str]:
    return [file.path for file in choice.files]


def test_one_quantization_of_many_is_recommended() -> None:
    found = chosen(
        **{
            "m-Q8_0.gguf": 8,
            "m-Q4_K_M.gguf": 4,
            "m.Q2_K.gguf": 2,
            "m-BF16.gguf": 16,
            "README.md": 1,
        }
    )
    assert list(found) == ["Q2_K", "Q4_K_M", "Q8_0", "BF16"]  # the smallest first
    assert [label for label, choice in found.items() if choice.is_recommended] == ["Q4_K_M"]
    assert paths(found["Q4_K_M"]) == ["m-Q4_K_M.gguf"]
    assert found["Q4_K_M"].size == 4


def test_the_parts_of_a_split_file_stay_together_and_torn_sets_are_none() -> None:
    found = chosen(
        **{
            "m-q4_k_m-00002-of-00002.gguf": 3, "m-q4_k_m-00001-of-00002.gguf": 4,
            "Q8_0/m-Q8_0-00001-of-00003.gguf": 9,
        }
    )  # fmt: skip
    assert list(found) == ["Q4_K_M"]
    assert paths(found["Q4_K_M"]) == [
        "m-q4_k_m-00001-of-00002.gguf", "m-q4_k_m-00002-of-00002.gguf",
    ]  # fmt: skip
    assert found["Q4_K_M"].size == 7


def test_safetensors_come_with_their_texts_and_nothing_else() -> None:
    found = chosen(
        **{
            "model-00001-of-00002.safetensors": 5, "model-00002-of-00002.safetensors": 4,
            "model.safetensors.index.json": 1, "config.json": 1, "tokenizer.json": 2,
            "pytorch_model.bin": 9, "modeling_x.py": 1, "onnx/model.onnx": 9, "README.md": 1,
            "consolidated.safetensors": 9, "original/x.safetensors": 9, "chat_template.jinja": 1,
        }
    )  # fmt: skip
    assert list(found) == ["safetensors"]
    assert sorted(paths(found["safetensors"])) == [
        "chat_template.jinja", "config.json", "model-00001-of-00002.safetensors",
        "model-00002-of-00002.safetensors", "model.safetensors.index.json", "tokenizer.json",
    ]  # fmt: skip


def test_what_goes_beside_a_model_is_no_choice() -> None:
    found = chosen(**{"mmproj-m-f16.gguf": 1, "m.imatrix.gguf": 1, "m-Q6_K.gguf": 6})
    assert list(found) == ["Q6_K"]


def test_two_models_in_one_repository_are_told_apart() -> None:
    found = chosen(**{"small-Q4_0.gguf": 1, "large-Q4_0.gguf": 2})
    assert set(found) == {"small-Q4_0", "large-Q4_0"}


@pytest.mark.parametrize(
    ("files", "kind"),
    [
        ({"pytorch_model.bin": 9, "config.json": 1}, FaultKind.PICKLE_REFUSED),
        ({"README.md": 1}, FaultKind.NOTHING_TO_LOAD),
        ({"model.safetensors": 1}, FaultKind.NOTHING_TO_LOAD),
        ({}, FaultKind.NOTHING_TO_LOAD),
    ],
)
def test_a_repository_without_a_model_says_so(files: dict[str, int], kind: FaultKind) -> None:
    with pytest.raises(EngineError) as caught:
        choices_in(repository(**files))
    assert caught.value.fault.kind is kind


def test_an_order_lies_under_its_publisher() -> None:
    source = repository(**{"m-Q4_K_M.gguf": 4})
    order = order_for(source, choices_in(source)[0])
    assert (order.folder, order.name) == ("me/Model-1B", "Model-1B · Q4_K_M")
    assert (order.key, order.account) == ("huggingface:me/Model-1B:Q4_K_M", "huggingface")
