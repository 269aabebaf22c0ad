"""The catalogue, the settings, their words and the engine's own defaults say the same."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

import pytest

from app.language import LANGUAGES, Language
from app.store.catalogue import CATALOGUE, SECTIONS
from app.store.settings import Settings, SettingsFile
from app.store.worker import InlineWorker
from app.ui.settings.naming import text_ids, unit_id
from engine.contract import LoadSettings, Sampling
from engine.contract.ranges import LOADING, REPLY, SAMPLING
from engine.contract.setting import Setting

ALL = {each.key: each for each in (*CATALOGUE.values(), *SAMPLING, *REPLY)}


def test_every_setting_of_the_catalogue_is_kept_with_its_default() -> None:
    kept = Settings()
    for key, setting in CATALOGUE.items():
        assert getattr(kept, key) == setting.default, key
        assert setting.allows(setting.default)
        assert setting.section in SECTIONS


def test_sampling_is_declared_with_the_contracts_defaults() -> None:
    """Texts and lists of ids are no settings of their own."""
    defaults = Sampling()
    declared = {each.key: each for each in SAMPLING}
    assert {f.name for f in fields(Sampling)} - set(declared) == {"dry_breakers", "logit_bias"}
    for key, setting in declared.items():
        default = getattr(defaults, key)
        assert setting.default == (-1 if default is None else default), key
    assert {each.key for each in LOADING} == {f.name for f in fields(LoadSettings)}
    assert [each.key for each in REPLY] == ["max_tokens", "stop"]


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("key", ALL)
def test_every_setting_has_its_words(key: str, code: str) -> None:
    language = Language(code)
    for name in text_ids(ALL[key]):
        assert language.text(name)
    if unit := unit_id(ALL[key]):
        assert "7" in language.text(unit, number="7")


@pytest.mark.parametrize(
    ("key", "good", "bad"),
    [
        ("theme", "dark", "pink"),
        ("text_scale", 1.25, 3.0),
        ("context", 4096, 3),
        ("gpu_layers", -1, -2),
        ("cache_bits", 8, 4),
        ("load_last_model", False, 0),
        ("copies_kept", 30, 31),
        ("system_prompt", "two\nlines", 7),
    ],
)
def test_only_what_is_allowed_can_be_kept(
    tmp_path: Path, key: str, good: object, bad: object
) -> None:
    path = tmp_path / "settings.json"
    file = SettingsFile(path, InlineWorker())
    file.change(**{key: good})
    with pytest.raises(ValueError, match=key):
        file.change(**{key: bad})
    assert getattr(SettingsFile(path, InlineWorker()).settings, key) == good
    path.write_text(json.dumps({key: bad}))
    assert getattr(SettingsFile(path, InlineWorker()).settings, key) == CATALOGUE[key].default


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [("threads", "4", 4), ("temperature", "0.5", 0.5), ("stop", "a\nb", ("a", "b"))],
)
def test_a_written_value_is_read(key: str, text: str, value: object) -> None:
    known = {each.key: each for each in (*LOADING, *SAMPLING, *REPLY)}
    assert known[key].parse(text) == value


@pytest.mark.parametrize("text", ["", "x", "-3", "1e9", "0x4"])
def test_a_written_value_that_is_none_is_refused(text: str) -> None:
    threads = next(each for each in LOADING if each.key == "threads")
    with pytest.raises(ValueError, match=text or "invalid"):
        threads.parse(text)


def test_a_switch_is_written_in_words() -> None:
    switch = Setting("x", False, "general")
    assert [switch.parse(text) for text in ("on", "off", "true", "false")] == [
        True,
        False,
        True,
        False,
    ]
    with pytest.raises(ValueError, match="maybe"):
        switch.parse("maybe")
