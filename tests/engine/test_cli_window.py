"""The command line beside the window: the same settings and folders, completion, its help."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from engine.cli import main
from engine.cli_help import SHELLS
from engine.cli_options import (
    add_generation,
    add_model,
    generate_settings,
    load_settings,
    model_path,
)
from engine.cli_window import window_settings
from engine.contract import EngineError, FaultKind, LoadSettings, Sampling
from engine.contract.ranges import LOADING, SAMPLING
from engine.library.sources import SourceKind


def keep(**values: object) -> None:
    """Write the window's file."""
    Path(os.environ["INKSTONE_HOME"], "settings.json").write_text(json.dumps(values), "utf-8")


def loaded_with(*arguments: str) -> LoadSettings:
    parser = argparse.ArgumentParser()
    add_model(parser)
    return load_settings(parser.parse_args(["m.gguf", *arguments]))


def test_a_model_is_loaded_as_the_window_loads_it_and_an_option_goes_first() -> None:
    assert loaded_with() == LoadSettings()
    keep(context=4096, threads=3, cache_bits=8, device="cpu", gpu_layers=0)
    assert loaded_with() == LoadSettings(4096, "cpu", 3, 8, 0)
    given = loaded_with("--context", "512", "--threads", "0", "--gpu-layers", "-1")
    assert given == LoadSettings(512, "cpu", None, 8, None)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"context": 3, "threads": "x", "cache_bits": 5}'])
def test_an_unsound_file_has_the_defaults(text: str) -> None:
    Path(os.environ["INKSTONE_HOME"], "settings.json").write_text(text, "utf-8")
    assert loaded_with() == LoadSettings()
    assert window_settings().folders == ()


def test_the_ranges_are_the_windows(capsys: pytest.CaptureFixture[str]) -> None:
    for setting in LOADING:
        if setting.high < float("inf"):
            name = "--" + setting.key.replace("_", "-")
            with pytest.raises(SystemExit):
                loaded_with(name, str(int(setting.high) + 1))
            assert f"to {setting.high:,}" in capsys.readouterr().err


def test_every_step_of_the_sampler_has_an_option() -> None:
    parser = argparse.ArgumentParser()
    add_generation(parser)
    words = [
        word
        for each in SAMPLING if not each.choices
        for word in ("--" + each.key.replace("_", "-"), f"{each.high:g}")
        if each.high <= 100
    ]  # fmt: skip
    made = generate_settings(parser.parse_args([*words, "--seed", "-1"]), Sampling()).sampling
    assert made is not None
    for each in SAMPLING:
        if not each.choices and each.high <= 100:
            assert getattr(made, each.key) == each.high
    assert made.seed is None


def test_models_lie_where_the_window_looks(
    tmp_path: Path, starter_model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "own-name.gguf").symlink_to(starter_model)
    keep(model_folders=[str(tmp_path / "mine")], sources_off=["ollama"])
    settings = window_settings()
    assert settings.sources()[-1].folder == tmp_path / "mine"
    assert SourceKind.OLLAMA not in {each.kind for each in settings.sources()}
    assert main(["models", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["source"] for row in rows if row["path"].endswith("own-name.gguf")] == ["added"]
    assert main(["inspect", "own-name", "--json"]) == 0


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_completes_every_command(
    shell: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    for word in ("inkstone", "quantize", "download", "max-tokens", "creative"):
        assert word in script
    if shutil.which(shell):
        (tmp_path / "script").write_text(script, "utf-8")
        checked = subprocess.run(
            [shell, "-n", tmp_path / "script"], capture_output=True, check=False
        )
        assert checked.returncode == 0, checked.stderr


def test_the_help_has_examples_variables_and_every_exit_status(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    said = capsys.readouterr().out
    for word in ("examples:", "INKSTONE_HOME", "INKSTONE_SERVER_KEY", "exit status:"):
        assert word in said
    for status in (0, 1, 2, 130, 141):
        assert f"\n  {status} " in said


def test_a_folder_with_one_gguf_file_is_that_file_and_of_several_one_must_be_named(
    tmp_path: Path,
) -> None:
    first = tmp_path / "m-Q4_K_M.gguf"
    first.touch()
    assert model_path(str(tmp_path)) == first
    first.rename(tmp_path / "m-00001-of-00002.gguf")
    (tmp_path / "m-00002-of-00002.gguf").touch()
    assert model_path(str(tmp_path)).name == "m-00001-of-00002.gguf"
    for part in tmp_path.glob("m-0*"):
        part.unlink()
    first.touch()
    (tmp_path / "m-Q8_0.gguf").touch()
    with pytest.raises(EngineError) as refused:
        model_path(str(tmp_path))
    assert refused.value.fault.kind is FaultKind.SETTING_INVALID
    assert "m-Q4_K_M.gguf, m-Q8_0.gguf" in str(refused.value.fault.figures["allowed"])
    (tmp_path / "config.json").touch()
    assert model_path(str(tmp_path)) == tmp_path


@pytest.mark.parametrize("name", ["", "  "])
def test_no_name_is_not_the_folder_one_stands_in(name: str) -> None:
    with pytest.raises(EngineError) as refused:
        model_path(name)
    assert refused.value.fault.kind is FaultKind.SETTING_INVALID
