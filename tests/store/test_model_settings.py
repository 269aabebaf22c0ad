"""A model's own values go before the program's, outlive the program, and are always allowed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.store.catalogue import PER_MODEL
from app.store.model_notes import ModelNotes
from app.store.model_settings import ModelSettings
from app.store.settings import SettingsFile
from app.store.worker import InlineWorker
from engine.contract import LoadSettings

ONE, OTHER = Path("/模型/one.gguf"), Path("/模型/other.gguf")


def opened(folder: Path, **program: object) -> ModelSettings:
    """The settings as a start of the program finds them."""
    settings = SettingsFile(folder / "settings.json", InlineWorker())
    settings.change(**program)
    return ModelSettings(settings, ModelNotes(folder / "models.json", InlineWorker()))


def test_own_values_go_before_the_programs_at_the_next_start_too(tmp_path: Path) -> None:
    models = opened(tmp_path, context=8192, threads=3)
    models.change(ONE, "device", "cpu")
    models.change(ONE, "gpu_layers", 12)
    models.change(ONE, "context", 4096)
    models.change(ONE, "cache_bits", 8)
    again = opened(tmp_path)
    assert again.load_settings(ONE) == LoadSettings(4096, "cpu", 3, 8, 12)
    assert again.load_settings(OTHER) == LoadSettings(8192, None, 3, 16, None)


def test_a_value_like_the_programs_stays_when_the_programs_changes(tmp_path: Path) -> None:
    models = opened(tmp_path, context=8192)
    models.change(ONE, "context", 8192)
    assert opened(tmp_path, context=1024).load_settings(ONE).context == 8192


def test_one_value_and_all_go_back_to_the_programs(tmp_path: Path) -> None:
    models = opened(tmp_path, keep_loaded_minutes=5)
    models.change(ONE, "keep_loaded_minutes", 30)
    models.change(ONE, "threads", 2)
    models.change(ONE, "threads", None)
    assert models.own(ONE) == {"keep_loaded_minutes": 30}
    models.reset(ONE)
    assert models.own(ONE) == {}
    assert models.whole(ONE, "keep_loaded_minutes") == 5
    assert json.loads((tmp_path / "models.json").read_text()) == {}


@pytest.mark.parametrize(
    ("key", "value"),
    [("context", 3), ("context", "long"), ("device", "tpu"), ("cache_bits", 4), ("theme", "dark")],
)
def test_what_is_not_allowed_is_refused_and_changes_nothing(
    tmp_path: Path, key: str, value: int | str
) -> None:
    models = opened(tmp_path)
    models.change(ONE, "context", 2048)
    with pytest.raises(ValueError, match=key):
        models.change(ONE, key, value)
    assert models.own(ONE) == {"context": 2048}


def test_a_damaged_value_is_the_programs(tmp_path: Path) -> None:
    stored = {"context": -7, "threads": [2], "device": None, "cache_bits": 8, "unknown": 1}
    (tmp_path / "models.json").write_text(json.dumps({str(ONE): {"settings": stored}}))
    assert opened(tmp_path, threads=4).load_settings(ONE) == LoadSettings(threads=4, cache_bits=8)


def test_what_a_model_can_have_for_itself_is_known() -> None:
    assert {each.key for each in PER_MODEL} == {
        "device", "gpu_layers", "context", "cache_bits", "threads", "keep_loaded_minutes",
    }  # fmt: skip
