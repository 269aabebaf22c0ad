"""The catalogue, the settings, their words and the engine's own defaults say the same."""

from __future__ import annotations

import json
import math
from dataclasses import fields
from pathlib import Path

import pytest

from app.language import LANGUAGES, Language
from app.store.catalogue import CATALOGUE, SECTIONS
from app.store.settings import Settings, SettingsFile
from app.store.worker import InlineWorker
from app.ui.settings.naming import about_id, name_id, text_ids, unit_id
from engine.contract import LoadSettings, Sampling
from engine.contract.ranges import LOADING, REPLY, SAMPLING
from engine.contract.setting import Kind, Setting, Value

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
        assert "7" in language.text(unit, number="7", count=7)
        assert "1" in language.text(unit, number="1", count=1)


@pytest.mark.parametrize("key", ALL)
def test_every_number_has_a_range_around_its_default_and_a_unit(key: str) -> None:
    """Shares, penalties and the seed are bare numbers; all else says what it counts."""
    setting = ALL[key]
    if setting.kind not in {Kind.WHOLE, Kind.DECIMAL}:
        assert setting.unit == ""
        return
    assert math.isfinite(setting.low)
    assert math.isfinite(setting.high)
    assert setting.low < setting.high
    assert 0 < setting.step <= setting.high - setting.low
    assert setting.low <= setting.default <= setting.high or setting.default == setting.off
    assert setting.unit or setting in SAMPLING
    for outside in (setting.low - setting.step, setting.high + setting.step):
        assert setting.allows(type(setting.default)(outside)) == (outside == setting.off)


@pytest.mark.parametrize("key", ALL)
def test_the_sentence_about_a_setting_is_written_in_both_languages(key: str) -> None:
    setting = ALL[key]
    english, chinese = (Language(code).text(about_id(setting)) for code in ("en", "zh_CN"))
    assert english.rstrip()[-1] not in ",;:"
    assert any("\u4e00" <= each <= "\u9fff" for each in chinese)
    assert english != Language("en").text(name_id(setting)), "says more than the name"


def another(setting: Setting) -> Value:
    """A value that a setting may have besides its default."""
    match setting.kind:
        case Kind.SWITCH:
            return not setting.default
        case Kind.CHOICE:
            return next(each for each in setting.choices if each != setting.default)
        case Kind.WHOLE | Kind.DECIMAL:
            return type(setting.default)(setting.high)
        case Kind.LINES:
            return ("https://a.example",) if "://" in setting.pattern else ("a.example",)
        case _:
            return "127.0.0.1"


@pytest.mark.parametrize("key", CATALOGUE)
def test_every_setting_goes_back_to_its_default_and_stays_so(tmp_path: Path, key: str) -> None:
    setting, path = CATALOGUE[key], tmp_path / "settings.json"
    other = another(setting)
    file = SettingsFile(path, InlineWorker())
    file.change(**{key: other})
    assert getattr(SettingsFile(path, InlineWorker()).settings, key) == other != setting.default
    file.change(**{key: setting.default})
    assert getattr(SettingsFile(path, InlineWorker()).settings, key) == setting.default


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
