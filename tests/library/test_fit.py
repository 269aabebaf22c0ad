"""Whether a model fits, where, and how fast it should be."""

from __future__ import annotations

import os
import stat
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from engine.contract import ModelFacts
from engine.library.fit import Place, Room, expected_speed, fit
from engine.library.gpus import Gpu, Holder, read_gpus
from engine.library.identify import identify
from tests.library.model_files import llama_gguf

GB = 10**9


@pytest.fixture
def facts(tmp_path: Path) -> ModelFacts:
    llama_gguf().write(tmp_path / "m.gguf")
    made = identify(tmp_path / "m.gguf")
    return replace(
        made, weight_bytes=4 * GB, size_bytes=4 * GB, cache_bytes_per_token=100_000,
        context_length=32_768, vocabulary=0,
    )  # fmt: skip


def test_a_model_runs_where_it_fits(facts: ModelFacts) -> None:
    places = {
        fit(facts, 8192, Room(memory, gpus)).place: (memory, gpus)
        for memory, gpus in ((16 * GB, 8 * GB), (16 * GB, 2 * GB), (16 * GB, 0), (4 * GB, 0))
    }
    assert list(places) == [Place.GPU, Place.PARTLY, Place.CPU, Place.NOWHERE]


def test_the_longest_context_fits_and_one_more_does_not(facts: ModelFacts) -> None:
    room = Room(6 * GB)
    longest = fit(facts, 2048, room).longest
    assert 2048 < longest < 32_768
    assert fit(facts, longest, room).place is Place.CPU
    assert fit(facts, longest + 1, room).place is Place.NOWHERE
    assert fit(facts, 2048, Room(3 * GB)).longest == 0
    assert fit(facts, 2048, Room(64 * GB)).longest == 32_768


def test_the_memory_of_the_model_to_be_replaced_counts(facts: ModelFacts) -> None:
    assert fit(facts, 2048, Room(3 * GB)).place is Place.NOWHERE
    assert fit(facts, 2048, Room(3 * GB, given_back=3 * GB)).place is Place.CPU
    assert fit(facts, 2048, Room(3 * GB, GB, given_back=5 * GB)).place is Place.GPU


def test_the_last_tenth_is_tight(facts: ModelFacts) -> None:
    total = fit(facts, 2048, Room(99 * GB)).least
    assert fit(facts, 2048, Room(int(total * 1.05))).is_tight
    assert not fit(facts, 2048, Room(int(total * 1.2))).is_tight


def test_a_second_conversations_cache_is_taken_as_far_as_there_is_room(facts: ModelFacts) -> None:
    a_token = facts.cache_bytes_per_token
    plenty = fit(facts, 2048, Room(99 * GB))
    assert plenty.need.total - plenty.least == 2048 * a_token  # as much as the context
    assert fit(facts, 8192, Room(99 * GB)).need.cache == (8192 + 4096) * a_token
    close = fit(facts, 2048, Room(plenty.least + 100 * a_token))
    assert close.need.total - close.least == 100 * a_token
    nowhere = fit(facts, 2048, Room(plenty.least - 1))
    assert (nowhere.place, nowhere.need.total) == (Place.NOWHERE, nowhere.least)


def test_D15_an_unknown_architecture_has_no_estimate(facts: ModelFacts) -> None:
    unknown = replace(facts, architecture="novel", layers=0, cache_bytes_per_token=0)
    told = fit(unknown, 2048, Room(16 * GB))
    assert (told.place, told.longest) == (Place.UNKNOWN, 0)


def test_speed_follows_what_is_read_for_a_token(facts: ModelFacts) -> None:
    assert expected_speed(facts, 40e9) == pytest.approx(8.5)
    sparse = replace(facts, active_parameters=facts.parameters // 4)
    assert expected_speed(sparse, 40e9) == pytest.approx(34, rel=1e-3)
    assert expected_speed(facts, 0) == 0
    assert expected_speed(replace(facts, weight_bytes=0, size_bytes=0), 40e9) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="the double is a shell script")
def test_D14_what_is_free_of_a_gpu_is_told_and_by_whom_the_rest_is_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = tmp_path / "nvidia-smi"
    tool.write_text(
        "#!/bin/sh\ncase $1 in\n"
        '*query-gpu*) echo "GPU-1, NVIDIA RTX 4090, 24564, 2100"; echo "GPU-2, Tesla, [N/A], 5";;\n'
        '*) echo "GPU-1, 812, /usr/bin/python3, 4000"\n'
        'echo "GPU-1, 9, [Not Found], 18000";;\nesac\n'
    )
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    mib = 1 << 20
    first, second = read_gpus()
    assert first == Gpu(
        "NVIDIA RTX 4090", 24_564 * mib, 2100 * mib,
        (Holder(9, "[Not Found]", 18_000 * mib), Holder(812, "python3", 4000 * mib)),
    )  # fmt: skip
    assert (second.total, second.free) == (0, 5 * mib)


@pytest.mark.parametrize("script", ["exit 9", "echo nonsense", "echo"])
@pytest.mark.skipif(sys.platform == "win32", reason="the double is a shell script")
def test_a_driver_that_does_not_answer_is_no_gpu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    tool = tmp_path / "nvidia-smi"
    tool.write_text(f"#!/bin/sh\n{script}\n")
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert read_gpus() == ()


def test_without_the_drivers_tool_there_is_no_gpu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert read_gpus() == ()
