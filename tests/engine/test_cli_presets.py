"""The command line samples by the window's presets; single values go first."""

from __future__ import annotations

import argparse

import pytest

from engine.cli_options import add_generation, generate_settings
from engine.contract import Sampling
from engine.contract.presets import PRESETS

OF_THE_MODEL = Sampling(temperature=0.61, top_k=17)


def sampled(*arguments: str) -> Sampling | None:
    parser = argparse.ArgumentParser()
    add_generation(parser)
    return generate_settings(parser.parse_args(arguments), OF_THE_MODEL).sampling


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_the_windows(name: str) -> None:
    assert sampled("--preset", name) == (PRESETS[name] or OF_THE_MODEL)


def test_without_one_the_model_decides_and_a_value_goes_first() -> None:
    assert sampled() == OF_THE_MODEL
    made = sampled("--preset", "code", "--temperature", "0.9")
    assert made is not None
    assert (made.temperature, made.top_k, made.seed) == (0.9, 40, 42)


def test_an_unknown_preset_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        sampled("--preset", "wild")
    assert "creative" in capsys.readouterr().err
