"""The catalog has the shape that the program reads, and its suggestions suit the computer."""

from __future__ import annotations

import pytest

from engine.library.downloads.order import safe_path
from engine.library.hubs.catalog import CatalogModel, pace_of, read_catalog, suggest
from engine.library.hubs.hub import ENDPOINTS

GB = 1_000_000_000
CATALOG = read_catalog()
PURPOSES = ("everyday", "languages", "programming")


@pytest.mark.parametrize("model", CATALOG, ids=lambda model: model.key)
def test_an_entry_has_its_shape(model: CatalogModel) -> None:
    assert model.hub in ENDPOINTS
    assert safe_path(model.repository)
    assert model.repository.count("/") == 1
    assert model.license in {"apache-2.0", "mit"}  # free for every use
    assert set(model.purposes) <= set(PURPOSES)
    assert model.purposes
    assert 0 < model.active_parameters <= model.parameters
    # bytes of a weight on average: a quantization's scales add to its bits, embeddings more
    assert model.bits / 8 <= model.size / model.parameters <= model.bits / 8 * 1.6
    assert model.context >= 8192
    assert model.memory > model.size


def test_keys_are_distinct_and_no_key_is_taken() -> None:
    keys = [model.key for model in CATALOG]
    assert len(set(keys)) == len(keys)
    assert "starter" not in keys
    assert not [key for key in keys if "/" in key or ":" in key]


@pytest.mark.parametrize("purpose", PURPOSES)
@pytest.mark.parametrize("free", [4 * GB, 8 * GB, 16 * GB, 32 * GB])
def test_three_that_fit_are_suggested_the_middle_one_faster_than_reading(
    purpose: str, free: int
) -> None:
    found = suggest(CATALOG, purpose, free, 40 * GB)
    assert found.quick.size < found.middle.size < found.thorough.size
    assert found.middle.memory <= free
    assert found.quick.speed(40 * GB) > found.middle.speed(40 * GB) >= 6
    assert all(purpose in m.purposes for m in (found.quick, found.middle, found.thorough))


def test_more_memory_never_suggests_less() -> None:
    middles = [suggest(CATALOG, "languages", n * GB, 40 * GB).middle.size for n in range(1, 64)]
    assert middles == sorted(middles)


def test_before_anything_is_measured_a_usual_computer_is_taken() -> None:
    assert suggest(CATALOG, "languages", 12 * GB, 0) == suggest(CATALOG, "languages", 12 * GB, 4e10)


def test_nothing_that_fits_still_names_three() -> None:
    assert suggest(CATALOG, "everyday", GB // 4, 0).quick is next(
        model for model in CATALOG if "everyday" in model.purposes
    )


def test_expected_speed_is_of_the_bytes_that_are_read() -> None:
    """85 % of the bandwidth over what is held; of experts only the active ones are read."""
    models = {model.key: model for model in CATALOG}
    assert models["qwen3-4b"].speed(38.6 * GB) == pytest.approx(11.8, abs=0.1)
    assert models["qwen3-30b-a3b"].speed(38.6 * GB) > 3 * models["qwen3-14b"].speed(38.6 * GB)


def test_what_has_no_room_on_the_disk_is_not_suggested() -> None:
    roomy = suggest(CATALOG, "everyday", 64_000_000_000, 100e9)
    found = suggest(CATALOG, "everyday", 64_000_000_000, 100e9, roomy.middle.size - 1)
    assert max(found.quick.size, found.middle.size, found.thorough.size) < roomy.middle.size
    none = suggest(CATALOG, "everyday", 64_000_000_000, 100e9, 1)  # three are named all the same
    assert none == roomy


@pytest.mark.parametrize(
    ("speed", "pace"), [(12.0, "faster"), (11.9, "alike"), (4.5, "alike"), (4.4, "slower")]
)
def test_speeds_compare_with_reading(speed: float, pace: str) -> None:
    assert pace_of(speed) == pace
