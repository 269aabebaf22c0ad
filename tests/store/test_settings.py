"""The settings file: written whole, forgiving of what is unknown, odd or damaged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.store.faults import StoreFaultKind
from app.store.settings import Settings, SettingsFile
from app.store.worker import InlineWorker


def opened(path: Path) -> SettingsFile:
    return SettingsFile(path, InlineWorker())


def test_no_file_is_all_defaults(tmp_path: Path) -> None:
    file = opened(tmp_path / "settings.json")
    assert (file.settings, file.fault) == (Settings(), None)


def test_what_is_changed_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "settings.json"
    opened(path).change(language="zh_CN", model_folders=("/a", "/模型"), text_scale=1.25)
    again = opened(path).settings
    assert (again.language, again.model_folders, again.text_scale) == (
        "zh_CN",
        ("/a", "/模型"),
        1.25,
    )
    assert [each.name for each in path.parent.iterdir()] == ["settings.json"]


def test_a_setting_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TypeError):
        opened(tmp_path / "settings.json").change(colour="red")


def test_a_newer_programs_settings_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{"hologram": true, "theme": "dark"}')
    opened(path).change(language="en")
    assert json.loads(path.read_text())["hologram"] is True
    assert opened(path).settings.theme == "dark"


@pytest.mark.parametrize("value", [None, 1.5, True, [], [1], {}, "x", -(10**30)])
def test_a_value_of_another_type_is_its_default(tmp_path: Path, value: object) -> None:
    path = tmp_path / "settings.json"
    path.write_text(json.dumps(dict.fromkeys(Settings.__slots__, value)))
    settings = opened(path).settings
    for name in Settings.__slots__:
        default = getattr(Settings(), name)
        assert type(getattr(settings, name)) is type(default)


@pytest.mark.parametrize("content", [b"", b"{", b"\0" * 300, b"[]", b"\xff\xfe\x00"])
def test_a_damaged_file_is_set_aside_and_reported(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(content)
    file = opened(path)
    assert file.settings == Settings()
    assert file.fault is not None
    assert file.fault.kind is StoreFaultKind.SETTINGS_SET_ASIDE
    assert Path(str(file.fault.figures["aside"])).read_bytes() == content
    file.change(theme="dark")
    assert opened(path).settings.theme == "dark"


def test_a_failed_save_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "settings.json"
    opened(path).change(theme="dark")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("app.store.settings.os.fsync", full)
    file = opened(path)
    file.change(theme="light")
    assert file.fault is not None
    assert file.settings.theme == "light"
    monkeypatch.undo()
    assert opened(path).settings.theme == "dark"
